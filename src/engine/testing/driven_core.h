// DrivenCore is a Core that a test drives by hand, with the smallest world around it that it needs:
// a clock that is set, a store that keeps live deliveries in a map, and attempts that end when the
// test says so.

#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/core.h"
#include "engine/testing/samples.h"
#include "store/settlement_effect.h"

namespace petrel::engine {

class DrivenCore {
 public:
  enum class StoreMood {
    Well,
    Away,
    Silent,
    Slow,  // Reads are answered; a settlement waits until answer_settlement().
  };

  explicit DrivenCore(CoreSettings settings = {}) : core(settings, secure_random_, 7) {}

  void add_lane(int endpoint, const lane::LaneSettings& settings = {}) {
    LaneConfig config = lane_config(endpoint);
    config.settings = settings;
    core.set_authority_limit(config.authority, {.cap = settings.in_flight_max});
    core.configure(std::move(config), now);
  }

  // It is in the store, and nobody has said so.
  void keep(const model::Delivery& delivery) {
    live.insert_or_assign(place_of(delivery), delivery);
  }

  void keep_pending(int first, int last, int endpoint = 1) {
    for (int n = first; n <= last; ++n) keep(pending(n, {}, endpoint));
  }

  void accept(int message, int endpoint = 1, model::Payload payload = nullptr) {
    const model::Delivery delivery = pending(message, now.wall - kWallStart, endpoint);
    keep(delivery);
    core.accepted({delivery, std::move(payload)}, now);
  }

  // Does what the Core says until it says nothing more.
  void step() {
    for (bool is_busy = true; is_busy;) {
      Commands commands = core.step(now);
      wake_at = commands.wake_at;
      is_busy = !commands.loads.empty() || !commands.settlements.empty() ||
                !commands.release_loads.empty();
      for (SendCommand& send : commands.sends) {
        sent.push_back(number_of(send.order.delivery.message));
        out.emplace(send.ticket, std::move(send));
      }
      for (PauseCommand& pause : commands.pauses) pauses.push_back(std::move(pause));
      for (LaneLeft& lane : commands.left) left.push_back(std::move(lane));
      freed.insert(freed.end(), commands.freed.begin(), commands.freed.end());
      for (const SuspectEnded& each : commands.suspects_ended) suspects_ended.push_back(each);
      for (const SettleCommand& command : commands.settlements) answer(command);
      for (const store::DueQuery& query : commands.loads) answer(query);
      for (const store::DueQuery& query : commands.release_loads) answer_release(query);
    }
  }

  // Lets time pass, waking the Core when it wants to be woken.
  void pass(Duration time) {
    const MonoTime end = now.mono + time;
    while (wake_at && *wake_at <= end) {
      now = moment(std::max(*wake_at, now.mono) - kMonoStart);
      step();
    }
    now = moment(end - kMonoStart);
    step();
  }

  // Ends the attempt of the message.
  void end(int message, model::AttemptResult result) {
    for (const auto& [ticket, send] : out) {
      if (number_of(send.order.delivery.message) != message) continue;
      core.ended(ticket, std::move(result), now);
      out.erase(ticket);
      return step();
    }
    CHECK(false);
  }

  void end(int message, int status) { end(message, answered(status)); }

  void end_all(int status) {
    for (const auto& [ticket, send] : std::exchange(out, {})) {
      core.ended(ticket, answered(status), now);
    }
    step();
  }

  // A slow store comes to the settlement of the message that has waited longest. By itself it does
  // what the settlement says if the delivery still stands where it was.
  void answer_settlement(int message, std::optional<SettleAnswer> answer = std::nullopt) {
    const auto found = std::find_if(unanswered.begin(), unanswered.end(), [&](const auto& command) {
      return number_of(command.settlement.delivery.key.message) == message;
    });
    CHECK(found != unanswered.end());
    const SettleCommand command = *found;
    unanswered.erase(found);
    core.settled(command.ticket, answer ? *answer : write(command.settlement), now);
    step();
  }

  // The pages for the release that were held back arrive, as they were read.
  void hand_over_pages() {
    holds_release_pages = false;
    for (const auto& [query, page] : std::exchange(held_pages, {})) {
      core.release_loaded(query, page, now);
    }
    step();
  }

  // A person sends a delivery that waits once more, and the lane is told.
  void resend(int message, int endpoint = 1) {
    const auto found = find({endpoint_id(endpoint), message_id(message)});
    CHECK(found != live.end());
    model::Delivery delivery = store::with_due_time(found->second, now.wall);
    live.erase(found);
    keep(delivery);
    core.nudge(endpoint_id(endpoint));
    step();
  }

  static model::AttemptResult answered(int status) {
    model::AttemptResult result;
    result.outcome = policy::Outcome::answered(status);
    return result;
  }

  int out_of(int endpoint) const {
    int count = 0;
    for (const auto& [ticket, send] : out) {
      if (send.order.delivery.endpoint == endpoint_id(endpoint)) ++count;
    }
    return count;
  }

  const model::Delivery& settled(std::size_t index) const { return written.at(index).delivery; }

  static int number_of(const MessageId& message) {
    const Ksuid::Bytes& bytes = message.ksuid().bytes();
    return bytes[18] * 256 + bytes[19];
  }

 private:
  using Place = std::tuple<EndpointId, store::DueClass, store::DuePosition>;

  static Place place_of(const model::Delivery& delivery) {
    return {delivery.key.endpoint,
            store::due_class(delivery.state),
            {delivery.due_at, delivery.key.message}};
  }

  std::map<Place, model::Delivery>::iterator find(const model::DeliveryKey& key) {
    return std::find_if(live.begin(), live.end(),
                        [&](const auto& each) { return each.second.key == key; });
  }

  SettleAnswer write(const model::Settlement& settlement) {
    model::Delivery before = settlement.delivery;
    before.state = settlement.state_before;
    before.due_at = settlement.due_before;
    auto stored = live.find(place_of(before));
    if (stored == live.end()) stored = find(settlement.delivery.key);
    if (stored == live.end()) return SettleAnswer::Superseded;
    const auto effect = store::effect_of(settlement, store::head_of(stored->second));
    if (effect == store::SettlementEffect::None) return SettleAnswer::Superseded;
    const bool is_moved = effect == store::SettlementEffect::KeepsDueTime;
    const model::Delivery after =
        is_moved ? store::with_due_time(settlement.delivery, stored->second.due_at)
                 : settlement.delivery;
    live.erase(stored);
    if (after.is_live()) keep(after);
    written.push_back(settlement);
    return is_moved ? SettleAnswer::Superseded : SettleAnswer::Taken;
  }

  void answer(const SettleCommand& command) {
    handed_out.push_back(now.mono - kMonoStart);
    switch (mood) {
      case StoreMood::Silent:
        return;
      case StoreMood::Slow:
        return unanswered.push_back(command);
      case StoreMood::Away:
        return core.settled(command.ticket, SettleAnswer::Away, now);
      case StoreMood::Well:
        return core.settled(command.ticket, write(command.settlement), now);
    }
  }

  void answer(const store::DueQuery& query) {
    loads.push_back(query);
    if (mood == StoreMood::Silent) return;
    if (mood == StoreMood::Away) return core.loaded(query, unavailable("away"), now);
    core.loaded(query, page_of(query), now);
  }

  void answer_release(const store::DueQuery& query) {
    release_loads.push_back(query);
    if (mood == StoreMood::Silent) return;
    if (mood == StoreMood::Away) return core.release_loaded(query, unavailable("away"), now);
    const store::DuePage page = page_of(query);
    rows_for_release += page.deliveries.size();
    if (holds_release_pages) {
      held_pages.emplace_back(query, page);
    } else {
      core.release_loaded(query, page, now);
    }
  }

  store::DuePage page_of(const store::DueQuery& query) const {
    const auto after = query.after.value_or(store::DuePosition{WallTime::min(), MessageId()});
    auto next = live.upper_bound({query.endpoint, query.queue, after});
    const auto is_wanted = [&] {
      return next != live.end() && std::get<0>(next->first) == query.endpoint &&
             std::get<1>(next->first) == query.queue;
    };
    store::DuePage page;
    page.sequence = sequence;
    for (; is_wanted() && page.deliveries.size() < query.limit; ++next) {
      page.deliveries.push_back(next->second);
    }
    page.has_more = is_wanted();
    return page;
  }

  SeededSecureRandom secure_random_{1};

 public:
  Now now = moment({});
  Core core;
  StoreMood mood = StoreMood::Well;
  std::optional<MonoTime> wake_at;

  std::map<Place, model::Delivery> live;  // The store.
  std::map<Ticket, SendCommand> out;
  std::vector<int> sent;                   // The messages, in order.
  std::vector<model::Settlement> written;  // What the store has taken.
  std::vector<SettleCommand> unanswered;   // What a slow store has not come to yet.
  std::vector<Duration> handed_out;        // When each settlement was, since the start.
  store::Sequence sequence = 0;  // How far the store has come, for the pages that it gives.
  std::vector<store::DueQuery> loads;
  std::vector<store::DueQuery> release_loads;
  bool holds_release_pages = false;
  std::vector<std::pair<store::DueQuery, store::DuePage>> held_pages;
  std::size_t rows_for_release = 0;  // Deliveries in the answers to them.
  std::vector<PauseCommand> pauses;
  std::vector<LaneLeft> left;
  std::vector<FreedSlot> freed;
  std::vector<SuspectEnded> suspects_ended;
};

}  // namespace petrel::engine
