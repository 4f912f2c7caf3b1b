#include "storm/run.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/secure_random.h"
#include "engine/core.h"
#include "storm/arrivals.h"
#include "storm/receiver.h"
#include "storm/recorder.h"
#include "storm/shelf.h"

namespace petrel::storm {
namespace {

constexpr WallTime kWallStart = wall_from_unix_seconds(1'800'000'000);
constexpr MonoTime kMonoStart{};
constexpr int kTurnsBetweenProgress = 4096;
constexpr int kUnguardedInFlightMax = 4096;  // Less than there are slots for.

engine::Now moment(Duration since_start) {
  return {.wall = kWallStart + since_start, .mono = kMonoStart + since_start};
}

EndpointId endpoint_of(Party party) {
  Ksuid::Bytes bytes{};
  bytes.back() = party == Party::Stricken ? 1 : 2;
  return EndpointId(Ksuid(bytes));
}

model::EndpointPtr record_of(EndpointId id, const std::string& url) {
  SeededSecureRandom random(1);  // Nothing is signed here.
  model::Endpoint endpoint({.current = signature::Secret::generate(random)});
  endpoint.id = id;
  endpoint.url = url;
  return std::make_shared<const model::Endpoint>(std::move(endpoint));
}

class Play {
 public:
  Play(const Scenario& scenario, const Contender& contender)
      : scenario_(scenario),
        contender_(contender),
        arrivals_(draw_arrivals(scenario)),
        secure_random_(scenario.seed),
        core_(engine::CoreSettings{}, secure_random_, scenario.seed),
        receiver_(scenario.receiver, {.from = kMonoStart + scenario.outage_at,
                                      .until = kMonoStart + scenario.recovery(),
                                      .kind = scenario.outage_kind}),
        recorder_(scenario, arrivals_) {}

  void run(const Progress& progress) {
    int turns = 0;
    while (!recorder_.is_all_settled()) {
      const std::optional<Duration> next = next_at();
      if (!next || *next > scenario_.length) return;
      now_ = std::max(now_, *next);
      accept_what_has_come();
      end_what_is_over();
      step();
      if (++turns % kTurnsBetweenProgress == 0) progress(recorder_.share_settled());
    }
  }

  const Recorder& recorder() const { return recorder_; }

 private:
  struct Ending {
    Duration at;
    engine::Ticket ticket;

    // Tickets are given in order, so what ends together ends in the order it was sent.
    friend auto operator<=>(const Ending&, const Ending&) = default;
  };

  struct Exchange {
    policy::Outcome outcome;
    Duration ends_at;
    bool is_taken_on = false;  // By the receiver that can fall over.
  };

  // A lane leaves when it has had nothing to do for long.
  void ensure_lane(Party party, const engine::Now& now) {
    if (core_.lane(endpoint_of(party)) != nullptr) return;
    engine::LaneConfig config = lane_config(party, contender_);
    const auto kept = kept_.find(config.endpoint);
    if (kept != kept_.end()) config.kept = kept->second;
    core_.set_authority_limit(config.authority, {.cap = config.settings.in_flight_max});
    core_.configure(std::move(config), now);
  }

  engine::LaneConfig lane_config(Party party, const Contender& contender) const {
    const bool is_stricken = party == Party::Stricken;
    engine::LaneConfig config;
    config.endpoint = endpoint_of(party);
    config.authority = is_stricken ? "https://stricken" : "https://neighbour";
    config.record = record_of(config.endpoint, config.authority);
    config.policy = std::make_shared<policy::RetryPolicy>(contender.policy);
    config.timeout = scenario_.timeout;
    // The neighbour has no limit of its own to wait for: what delays it is the engine.
    config.settings.is_guarded = is_stricken && contender.is_guarded;
    config.settings.in_flight_max =
        config.settings.is_guarded ? scenario_.in_flight_max : kUnguardedInFlightMax;
    return config;
  }

  std::optional<Duration> next_at() const {
    std::optional<Duration> next;
    const auto consider = [&](Duration at) { next = next ? std::min(*next, at) : at; };
    if (next_arrival_ < arrivals_.size()) consider(arrivals_[next_arrival_].at);
    if (!endings_.empty()) consider(endings_.top().at);
    if (wake_at_) consider(*wake_at_ - kMonoStart);
    return next;
  }

  void accept_what_has_come() {
    for (; next_arrival_ < arrivals_.size() && arrivals_[next_arrival_].at <= now_;
         ++next_arrival_) {
      const engine::Now now = moment(now_);
      model::Delivery delivery;
      delivery.key = {endpoint_of(arrivals_[next_arrival_].party),
                      message_id(next_arrival_, now.wall)};
      delivery.due_at = now.wall;
      delivery.updated_at = now.wall;
      shelf_.put(delivery);
      recorder_.accepted(next_arrival_);
      ensure_lane(arrivals_[next_arrival_].party, now);
      core_.accepted({.delivery = std::move(delivery), .payload = nullptr}, now);
    }
  }

  void end_what_is_over() {
    while (!endings_.empty() && endings_.top().at <= now_) {
      const Ending ending = endings_.top();
      endings_.pop();
      const auto found = out_.find(ending.ticket);
      // One that was reset has ended before its time.
      if (found == out_.end() || found->second.ends_at != ending.at) continue;
      model::AttemptResult result;
      result.outcome = found->second.outcome;
      out_.erase(found);
      core_.ended(ending.ticket, std::move(result), moment(now_));
    }
  }

  // Does what the Core says until it says nothing more.
  void step() {
    const engine::Now now = moment(now_);
    for (bool is_busy = true; is_busy;) {
      const engine::Commands commands = core_.step(now);
      wake_at_ = commands.wake_at;
      for (const engine::SendCommand& command : commands.sends) send(command);
      if (!commands.pauses.empty()) recorder_.paused();
      for (const engine::LaneLeft& lane : commands.left) {
        if (lane.kept) kept_.insert_or_assign(lane.endpoint, *lane.kept);
      }
      for (const engine::SettleCommand& command : commands.settlements) {
        shelf_.settle(command.settlement);
        recorder_.settled(command.settlement, now_);
        core_.settled(command.ticket, engine::SettleAnswer::Taken, now);
      }
      for (const store::DueQuery& query : commands.loads) {
        core_.loaded(query, shelf_.load(query), now);
      }
      for (const store::DueQuery& query : commands.release_loads) {
        core_.release_loaded(query, shelf_.load(query), now);
      }
      is_busy = !commands.settlements.empty() || !commands.loads.empty() ||
                !commands.release_loads.empty();
    }
  }

  void send(const engine::SendCommand& command) {
    if (command.order.delivery.endpoint == endpoint_of(Party::Neighbour)) {
      return end_later(command.ticket, {.outcome = policy::Outcome::answered(200),
                                        .after = scenario_.receiver.latency});
    }
    recorder_.requested(now_);
    const Receiver::Answer answer = receiver_.take(moment(now_).mono);
    if (answer.is_last_straw) {
      recorder_.crashed(now_);
      reset_what_was_taken_on();
    }
    end_later(command.ticket, answer);
  }

  void end_later(engine::Ticket ticket, Receiver::Answer answer) {
    if (answer.after >= scenario_.timeout) {
      answer.outcome = policy::Outcome::failed(policy::FailureKind::Timeout);
      answer.after = scenario_.timeout;
    }
    const Duration at = now_ + answer.after;
    out_.insert_or_assign(
        ticket,
        Exchange{.outcome = answer.outcome, .ends_at = at, .is_taken_on = answer.is_taken_on});
    endings_.push({at, ticket});
  }

  void reset_what_was_taken_on() {
    for (auto& [ticket, exchange] : out_) {
      if (!exchange.is_taken_on) continue;
      exchange = {.outcome = policy::Outcome::failed(policy::FailureKind::Reset),
                  .ends_at = now_ + kRefusalTime};
      endings_.push({exchange.ends_at, ticket});
    }
  }

  const Scenario& scenario_;
  const Contender& contender_;
  std::map<EndpointId, store::KeptLane> kept_;
  std::vector<Arrival> arrivals_;
  SeededSecureRandom secure_random_;
  engine::Core core_;
  Shelf shelf_;
  Receiver receiver_;
  Recorder recorder_;

  Duration now_{};
  std::size_t next_arrival_ = 0;
  std::optional<MonoTime> wake_at_;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings_;
  std::unordered_map<engine::Ticket, Exchange> out_;
};

}  // namespace

Run play(const Scenario& scenario, const Contender& contender, const Progress& progress) {
  Play play(scenario, contender);
  play.run(progress);
  return {.contender = contender,
          .score = play.recorder().score(),
          .timeline = play.recorder().timeline()};
}

}  // namespace petrel::storm
