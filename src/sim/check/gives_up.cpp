#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "policy/classify.h"
#include "sim/check/bounds.h"
#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

using model::DeliveryState;
using policy::Action;
using policy::DeadReason;

class GivesUp final : public Checker {
 public:
  using Checker::Checker;

  void sending(const Track& track, const Trip& trip) override {
    const policy::RetryPolicy& policy = *plan_of(track).policy;
    if (track.on_disk && !track.on_disk->is_live()) {
      accuse(Property::GivesUp, "sent after its end was on disk", &track);
    }
    if (track.spent >= policy.attempts_max) {
      accuse(Property::GivesUp,
             fmt::format("attempt {} of at most {}", track.spent + 1, policy.attempts_max), &track);
    }
    const auto give_up_at = give_up_time(track, held_total_of(track));
    if (give_up_at && trip.started_wall > *give_up_at) {
      accuse(Property::GivesUp, "started after its give-up time", &track);
    }
  }

  void recorded(const Track& track, const model::Settlement& settlement) override {
    if (track.on_disk && !model::may_become(track.on_disk->state, settlement.delivery.state)) {
      accuse(Property::GivesUp, "a second end was recorded", &track);
    }
    if (settlement.delivery.state != DeliveryState::Dead) {
      if (settlement.delivery.is_live() && settlement.attempt) check_goes_on(track, settlement);
      return;
    }
    const DeadReason reason = settlement.delivery.reason.value_or(DeadReason::Cancelled);
    const bool fits = settlement.attempt ? reason_fits(track, reason)
                                         : reason == DeadReason::Expired && has_expired(track);
    if (fits) return;
    accuse(Property::GivesUp,
           fmt::format("dead as {}, which does not fit what happened", to_string(reason)), &track);
  }

 private:
  // Whether it started before it was due for sure. A restart goes by the wall clock.
  bool was_early(const Track& track, const Trip& trip) const {
    if (!track.recorded_trip || !track.on_disk) return false;
    return trip.started < clock().earliest_expected(track.on_disk->due_at, due_since(track));
  }

  // Counted from the first attempt on disk, without the time that the endpoint was paused.
  std::optional<WallTime> give_up_time(const Track& track, Duration held) const {
    const auto first = std::find_if(track.trips.begin(), track.trips.end(),
                                    [](const Trip& trip) { return trip.is_recorded; });
    if (first == track.trips.end()) return std::nullopt;
    return first->started_wall + plan_of(track).policy->give_up_after + (held - first->held_total);
  }

  // A change counts from its answer: until then the lane may go by what it knew before. How long
  // that takes at most, with a disk that is away, is not the question here.
  Duration held_as_known(const Track& track) const {
    const Court::Held& held = held_of(track);
    return now() - held.since < std::chrono::minutes(10) ? std::min(held.before, held.total)
                                                         : held.total;
  }

  bool has_expired(const Track& track) const {
    const auto give_up_at = give_up_time(track, held_as_known(track));
    return give_up_at && clock().latest_shown() > *give_up_at;
  }

  // How many attempts ended as the rule says, the last one included, which is not on disk yet.
  static int count(const Track& track, const policy::Selector& selector) {
    return 1 + static_cast<int>(
                   std::count_if(track.trips.begin(), track.trips.end(), [&](const Trip& trip) {
                     return trip.is_recorded && trip.is_spent && selector.matches(trip.outcome);
                   }));
  }

  bool may_expire(const Track& track) const {
    const Trip& last = track.trips.back();
    const policy::RetryPolicy& policy = *plan_of(track).policy;
    const WallTime give_up_at = give_up_time(track, held_as_known(track))
                                    .value_or(last.started_wall + policy.give_up_after);
    const int failure = track.spent + 1;
    return last.ended_wall + delay_bounds(policy, failure, last).longest > give_up_at;
  }

  bool reason_fits(const Track& track, DeadReason reason) const {
    const Trip& last = track.trips.back();
    const policy::RetryPolicy& policy = *plan_of(track).policy;
    const policy::Rule rule = policy::classify(last.outcome, policy.rules);
    // A probe before its time spends nothing, so that nothing is used up by it.
    const bool is_spent = !was_early(track, last);
    const bool is_too_often =
        is_spent && rule.attempts_max && count(track, rule.on) >= *rule.attempts_max;
    const bool is_last = is_spent && track.spent + 1 >= policy.attempts_max;
    switch (reason) {
      case DeadReason::Permanent:
        return rule.action == Action::Fail || (rule.action == Action::Retry && is_too_often);
      case DeadReason::Gone:
        return rule.action == Action::Pause;
      case DeadReason::Exhausted:
        return rule.action == Action::Retry && !is_too_often && is_last;
      case DeadReason::Expired:
        return rule.action == Action::Retry && !is_too_often && !is_last && may_expire(track);
      case DeadReason::Cancelled:
      case DeadReason::Blocked:
        break;
    }
    return false;
  }

  void check_goes_on(const Track& track, const model::Settlement& settlement) {
    if (track.trips.empty()) return;
    const int spent = settlement.delivery.progress.attempts - track.spent;
    if (was_early(track, track.trips.back())) {
      if (spent == 0) return;
      return accuse(Property::GivesUp, "a probe before its time spent an attempt", &track);
    }
    // Where the wall clock was stepped, when it was due is the engine's to say.
    if (spent == 0 && clock().steps() > 0) return;
    if (spent != 1) return accuse(Property::GivesUp, "an attempt was not counted", &track);
    const policy::RetryPolicy& policy = *plan_of(track).policy;
    const policy::Rule rule = policy::classify(track.trips.back().outcome, policy.rules);
    const bool is_too_often = rule.attempts_max && count(track, rule.on) >= *rule.attempts_max;
    const bool is_last = track.spent + 1 >= policy.attempts_max;
    if (rule.action == Action::Retry && !is_too_often && !is_last) return;
    accuse(Property::GivesUp, "goes on although its attempts are spent", &track);
  }
};

}  // namespace

std::unique_ptr<Checker> gives_up(Court& court) { return std::make_unique<GivesUp>(court); }

}  // namespace petrel::sim::check
