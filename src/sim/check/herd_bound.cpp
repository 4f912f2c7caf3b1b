#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/check/allowed_ramp.h"
#include "sim/check/checkers.h"
#include "sim/check/loads.h"

namespace petrel::sim::check {
namespace {

using State = lane::CircuitBreaker::State;
using std::chrono::minutes;
using std::chrono::seconds;

// Whether it says something about the receiver: 429 and what is our own fault do not.
bool counts(const Trip& trip) {
  const auto kind = trip.outcome.kind();
  if (kind == policy::Outcome::Kind::Failed) return true;
  return kind == policy::Outcome::Kind::Answered && !trip.outcome.is_status(429);
}

// Whether the receiver cannot bear more. Empty if it says nothing about that.
std::optional<bool> is_bad(const Trip& trip) {
  if (trip.outcome.is_status(429)) return true;
  if (!counts(trip)) return std::nullopt;
  if (!trip.outcome.is_answer()) return true;
  return trip.outcome.is_status(408) || trip.outcome.status() / 100 == 5;
}

// When attempts were let go, and whether there were too many of them in a second.
class Grants {
 public:
  void clear() { times_.clear(); }

  // They may come a while later than they were let go, and then in another order.
  void add(MonoTime at) {
    times_.insert(std::upper_bound(times_.begin(), times_.end(), at), at);
    while (times_.front() < times_.back() - minutes(2)) times_.pop_front();
  }

  // The most in a second that has the one at `at`.
  int most_in_a_second(MonoTime at) const {
    std::ptrdiff_t most = 0;
    auto last = std::lower_bound(times_.begin(), times_.end(), at);
    for (; last != times_.end() && *last < at + seconds(1); ++last) {
      const auto first = std::upper_bound(times_.begin(), last, *last - seconds(1));
      most = std::max(most, last - first + 1);
    }
    return static_cast<int>(most);
  }

 private:
  std::deque<MonoTime> times_;  // In order.
};

constexpr Duration kStep = seconds(5);

// What the way through the loop may take, and a fault of ours that waits for a moment.
constexpr Duration kStepSlack = seconds(2);

// A bucket lets go one at once, or ten milliseconds' worth.
int most_at(double rate) { return static_cast<int>(std::floor(rate + std::max(1.0, rate / 100))); }

class HerdBound final : public Checker {
 public:
  explicit HerdBound(Court& court) : Checker(court), lanes_(court.scenario.endpoints.size()) {}

  void loaded(MessageId message, Duration took) override { loads_.add(message, now(), took); }

  void written(const store::Acceptance& acceptance) override {
    for (const model::Delivery& delivery : acceptance.deliveries) waits(delivery);
  }

  void sending(const Track& track, const Trip&) override {
    Lane& lane = lanes_[track.endpoint];
    ++lane.out;
    lane.busy_at = now();
    const MonoTime granted = loads_.granted_at(track.key.message, now());
    check_throttle(track, lane, granted);
    if (!lane.ramp) return;
    ++totals().attempts_ramped;
    check_in_flight(track, lane);
    if (granted < lane.ramp->began()) return;
    lane.in_ramp.add(granted);
    const int most = lane.in_ramp.most_in_a_second(granted);
    const double rate = lane.ramp->rate(now());
    if (most <= most_at(rate)) return;
    accuse(Property::HerdBound,
           fmt::format("{} in a second, {} s after it recovered: {:.2f}/s are allowed", most,
                       (now() - lane.ramp->began()) / seconds(1), rate),
           &track);
  }

  void ended(const Track& track) override {
    Lane& lane = lanes_[track.endpoint];
    const Trip& trip = track.trips.back();
    --lane.out;
    lane.busy_at = now();
    if (counts(trip) && lane.is_closed && (!lane.closed || trip.started >= *lane.closed)) {
      lane.count_ending(now());
    }
    if (const auto bad = is_bad(trip); bad && lane.ramp) lane.ramp->ended(*bad, now());
  }

  void recorded(const Track& track, const model::Settlement& settlement) override {
    Lane& lane = lanes_[track.endpoint];
    waits(settlement.delivery);
    if (!lane.ramp || !settlement.attempt || track.trips.empty()) return;
    if (track.trips.back().ended >= lane.ramp->began()) lane.is_ramp_on_disk = true;
  }

  void crashed(const std::vector<Track>&, store::Browse&) override {
    for (Lane& lane : lanes_) {
      if (!lane.is_ramp_on_disk) lane.ramp.reset();
      // What is on disk is the lane as it was when its last outcome was written.
      if (lane.ramp) lane.ramp->doublings(now());
      lane.former = std::max(lane.former, lane.former_before);
      lane.before_pause = 0;
      lane.is_known = false;
      lane.out = 0;
      lane.busy_at = now();
      lane.start_counting();
      lane.in_ramp.clear();
      lane.all.clear();
    }
  }

  void looked(const NodeView* node) override {
    const bool is_store_away = node != nullptr && node->counts().is_store_away;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (is_store_away) lanes_[i].unsure_at = now();  // Nothing starts, and no ramp is judged.
      if (const engine::LaneState* state = lane_of(i)) {
        look_at(*state, lanes_[i]);
      } else if (std::exchange(lanes_[i].is_known, false)) {
        lanes_[i].start_counting();  // A lane that left begins to count anew when it comes back.
        lanes_[i].ramp.reset();      // It leaves only when its ramp is over.
      }
    }
  }

 private:
  struct Lane {
    int out = 0;  // On the wire.

    // As it was when we last looked, if we did since the node started.
    bool is_known = false;
    bool is_closed = true;
    bool is_sending = true;

    // What its rate is worked out from: attempts that ended since its counts started over.
    std::optional<MonoTime> closed;
    std::optional<MonoTime> counting_since;
    std::deque<MonoTime> endings;

    // Attempts a second, when its circuit last opened, and the time before that.
    double former = 0;
    double former_before = 0;
    double before_pause = 0;

    // Live deliveries, and when each is due; and when there was last something to do.
    std::map<MessageId, MonoTime> waiting;
    MonoTime busy_at{};
    MonoTime unsure_at{};  // When the engine last had to ask the store what there is.

    std::optional<AllowedRamp> ramp;
    bool is_ramp_on_disk = false;
    Grants in_ramp;

    std::optional<int> throttle_rate;
    Grants all;

    MonoTime ramp_from() const { return ramp ? ramp->began() : MonoTime{}; }

    void start_counting() {
      counting_since.reset();
      endings.clear();
      closed.reset();
    }

    void count_ending(MonoTime now) {
      if (!counting_since) counting_since = now;
      endings.push_back(now);
    }

    // Over the last minute, or since it began to count if that is less.
    double rate(MonoTime now) {
      while (!endings.empty() && endings.front() <= now - minutes(1)) endings.pop_front();
      if (endings.empty()) return 0;
      const auto length = std::clamp<Duration>(now - *counting_since, seconds(1), minutes(1));
      return static_cast<double>(endings.size()) * 1e6 / static_cast<double>(length.count());
    }
  };

  void check_throttle(const Track& track, Lane& lane, MonoTime granted) {
    const auto rate = throttle_rate(track.endpoint);
    if (std::exchange(lane.throttle_rate, rate) != rate) lane.all.clear();
    if (!rate) return;
    lane.all.add(granted);
    const int most = lane.all.most_in_a_second(granted);
    if (most <= most_at(*rate)) return;
    accuse(Property::HerdBound,
           fmt::format("{} in a second to an endpoint with a rate of {}/s", most, *rate), &track);
  }

  void check_in_flight(const Track& track, Lane& lane) {
    const int most = lane.ramp->in_flight_max(now());
    if (lane.out <= most) return;
    accuse(Property::HerdBound,
           fmt::format("{} in flight, {} s after it recovered: {} are allowed", lane.out,
                       (now() - lane.ramp->began()) / seconds(1), most),
           &track);
  }

  void look_at(const engine::LaneState& state, Lane& lane) {
    const bool was_known = std::exchange(lane.is_known, true);
    const bool is_closed = state.guard.breaker().state() == State::Closed;
    const bool is_sending = state.config.settings.may_send;
    const bool was_closed = std::exchange(lane.is_closed, is_closed);
    const bool was_sending = std::exchange(lane.is_sending, is_sending);
    if (!was_known) {
      lane.busy_at = now();
      if (lane.ramp) lane.ramp->restarted(now());
      if (!is_closed || !is_sending) lane.ramp.reset();
      return;
    }
    if (was_closed && !is_closed) opened(lane);
    if (!was_closed && is_closed) closed(lane);
    if (was_sending && !is_sending) {
      lane.before_pause = is_closed ? lane.rate(now()) : lane.former;
      lane.ramp.reset();
    }
    if (!was_sending && is_sending && is_closed) begin_ramp(lane, lane.before_pause);
    check_idle(state, lane);
    // That it no longer binds is its own to say, but not before one good step, or an idle one.
    // On a day on which the clock was stepped, what was due when is not known well enough.
    const bool is_over = lane.ramp && !state.guard.ramp_step_ends_at();
    const bool may_be_over = is_over && (lane.ramp->doublings(now()) > 0 ||
                                         is_idle_for(kStep, lane) || clock().steps() > 0);
    if (may_be_over) lane.ramp.reset();
  }

  // A ramp that has nothing to hold back is over after a step or, if it was asked in it, two.
  void check_idle(const engine::LaneState& state, Lane& lane) {
    // What is due after a restart goes by the wall clock, which may have been stepped.
    if (!state.guard.ramp_step_ends_at() || clock().steps() > 0) return;
    for (const engine::DueQueue& queue : state.queues) {
      if (queue.has_more()) lane.unsure_at = now();  // It cannot know that nothing waits.
    }
    const Duration patience = 2 * kStep + kStepSlack;
    if (!is_idle_for(patience, lane) || now() - lane.unsure_at < patience) return;
    accuse(Property::HerdBound, "a ramp goes on although there is nothing to do");
  }

  // Nothing was on the wire or due for so long.
  bool is_idle_for(Duration time, const Lane& lane) const {
    const MonoTime since = now() - time;
    if (lane.out > 0 || std::max(lane.busy_at, lane.ramp_from()) > since) return false;
    return std::all_of(lane.waiting.begin(), lane.waiting.end(),
                       [&](const auto& each) { return each.second > now(); });
  }

  void waits(const model::Delivery& delivery) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (scenario().endpoints[i].id != delivery.key.endpoint) continue;
      const MonoTime due = now() + (delivery.due_at - clock().wall());
      lanes_[i].waiting.insert_or_assign(delivery.key.message, due);
      if (!delivery.is_live()) lanes_[i].waiting.erase(delivery.key.message);
    }
  }

  void opened(Lane& lane) {
    lane.former_before = std::exchange(lane.former, lane.rate(now()));
    lane.start_counting();
    lane.ramp.reset();
  }

  void closed(Lane& lane) {
    lane.closed = now();
    lane.count_ending(now());  // The probe.
    begin_ramp(lane, lane.former);
  }

  void begin_ramp(Lane& lane, double former_rate) {
    ++totals().recoveries;
    lane.ramp.emplace(former_rate, now());
    lane.is_ramp_on_disk = false;
    lane.in_ramp.clear();
  }

  std::vector<Lane> lanes_;  // By endpoint.
  Loads loads_;
};

}  // namespace

std::unique_ptr<Checker> herd_bound(Court& court) { return std::make_unique<HerdBound>(court); }

}  // namespace petrel::sim::check
