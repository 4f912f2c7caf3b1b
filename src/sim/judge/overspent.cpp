#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "sim/judge/accusers.h"
#include "sim/judge/backoff_bounds.h"
#include "sim/judge/questions.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

class Overspent final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    const Track* const track = scene().track(request.delivery());
    if (track == nullptr || !track->is_live()) return;
    const MonoTime since = request.begun.mono - request.sent.loading;
    int most = 0;
    for (const Policy& policy : policies_between(scene(), request.sent.endpoint, since, now())) {
      most = std::max(most, policy.attempts_max);
    }
    const int spent = static_cast<int>(track->spent.size());
    if (spent >= most) {
      accuse(Rule::Overspent, request.delivery(),
             fmt::format("attempt {} of at most {}", spent + 1, most));
    }
    const auto give_up_at = latest_give_up(*track);
    if (!give_up_at || request.begun.wall - request.sent.loading <= *give_up_at) return;
    accuse(Rule::Overspent, request.delivery(), "started after its give-up time");
  }

  void on_disk(const Track* before, const OnDisk& record, const Request* request) override {
    if (before == nullptr || record.by != By::Lane) return;
    const DeliveryName name = before->name;
    if (!before->is_live()) {
      return accuse(Rule::WrongEnd, name,
                    fmt::format("was {} and is {} now, and nobody asked for it",
                                before->on_disk.state, record.state));
    }
    if (record.state == "dead") {
      const bool fits = request != nullptr ? fits_attempt(*before, record.reason, *request)
                                           : fits_waiting(*before, record.reason);
      if (fits) return;
      return accuse(Rule::WrongEnd, name,
                    fmt::format("dead as {}, which does not fit what happened", record.reason));
    }
    const bool goes_on = record.state == "pending" || record.state == "retrying";
    if (goes_on && request != nullptr) check_goes_on(*before, record, *request);
  }

 private:
  // Counted from the first attempt that counts, less the time that the endpoint was kept from
  // sending. Empty if there is none, or if the wall clock was set meanwhile: then it is the node's
  // to say.
  std::optional<WallTime> latest_give_up(const Track& track) const {
    if (track.spent.empty() || scene().clocks().was_set()) return std::nullopt;
    const Request& first = *track.spent.front();
    const auto policies = policies_between(scene(), track.name.endpoint, first.begun.mono, now());
    Duration longest{};
    for (const Policy& policy : policies) longest = std::max(longest, policy.give_up_after);
    const HeldBounds held = catalogue().held(track.name.endpoint, first.begun.mono, now());
    return first.begun.wall + longest + held.longest + settings().lateness;
  }

  std::optional<WallTime> earliest_give_up(const Track& track, const Request* last) const {
    const Request* const first = track.first_try != nullptr ? track.first_try : last;
    if (first == nullptr) return std::nullopt;
    const auto policies = policies_between(scene(), track.name.endpoint, first->begun.mono, now());
    Duration shortest = policies.front().give_up_after;
    for (const Policy& policy : policies) shortest = std::min(shortest, policy.give_up_after);
    const HeldBounds held = catalogue().held(track.name.endpoint, first->begun.mono, now());
    return first_signed(track, *first) + shortest + held.shortest;
  }

  // A first try that was lost counts for nothing, and a clock that was set back since makes the
  // next one earlier.
  WallTime first_signed(const Track& track, const Request& first) const {
    WallTime earliest = first.sent.signed_at;
    if (!scene().clocks().was_set()) return earliest;
    for (std::size_t i = track.budget_from; i < track.requests.size(); ++i) {
      earliest = std::min(earliest, track.requests[i]->sent.signed_at);
    }
    return earliest;
  }

  static bool is_cancelled(const Catalogue& catalogue, const Scene& scene, const Track& track) {
    const auto readings = catalogue.at(track.name.endpoint, scene.now().mono);
    const bool may_be_gone = std::any_of(readings.begin(), readings.end(),
                                         [](const Possible* each) { return !each->exists; });
    return may_be_gone || scene.may_be_expunged(track.name.message) ||
           was_asked_since(scene, Act::Discard, track.name, MonoTime::min());
  }

  bool fits_waiting(const Track& track, const std::string& reason) const {
    if (reason == "cancelled") return is_cancelled(catalogue(), scene(), track);
    if (reason != "expired") return false;
    const auto give_up_at = earliest_give_up(track, nullptr);
    return give_up_at && scene().clocks().latest_shown(now()) >= *give_up_at;
  }

  // Attempts that count and ended as the treatment says, the last one included.
  static int count(const Track& track, const std::string& on) {
    return 1 + static_cast<int>(
                   std::count_if(track.spent.begin(), track.spent.end(), [&](const Request* each) {
                     return each->reply && covers(on, each->reply->kind, each->reply->status);
                   }));
  }

  bool fits_attempt(const Track& track, const std::string& reason, const Request& last) const {
    if (reason == "cancelled") {
      return aborts_message(*last.reply) || is_cancelled(catalogue(), scene(), track);
    }
    if (last.reply->kind == Reply::Blocked) return reason == "blocked";
    const auto policies = policies_between(scene(), track.name.endpoint, last.replied.mono, now());
    return std::any_of(policies.begin(), policies.end(), [&](const Policy& policy) {
      return fits_policy(policy, track, reason, last);
    });
  }

  bool fits_policy(const Policy& policy, const Track& track, const std::string& reason,
                   const Request& last) const {
    const Treatment treatment = treatment_of(policy, last.reply->kind, last.reply->status);
    const bool is_too_often =
        treatment.attempts_max && count(track, treatment.on) >= *treatment.attempts_max;
    const bool is_last = static_cast<int>(track.spent.size()) + 1 >= policy.attempts_max;
    const bool is_retry = treatment.action == Action::Retry;
    if (reason == "permanent") {
      return treatment.action == Action::Fail || (is_retry && is_too_often);
    }
    if (reason == "gone") return treatment.action == Action::Pause;
    if (reason == "exhausted") return is_retry && !is_too_often && is_last;
    if (reason == "expired")
      return is_retry && !is_too_often && !is_last && may_expire(policy, track, last);
    return false;
  }

  bool may_expire(const Policy& policy, const Track& track, const Request& last) const {
    const Failure failure = failure_of(track, last);
    const auto give_up_at = earliest_give_up(track, &last);
    // A delivery that was released goes back to the time at which it was due.
    const WallTime latest = std::max(last.replied.wall + delay_bounds(policy, failure).longest,
                                     track.released_from.value_or(WallTime::min()));
    const bool was_early_probe = was_early(scene(), track, last).perhaps;
    return give_up_at &&
           std::max(latest, was_early_probe ? track.on_disk.due_at : latest) > *give_up_at;
  }

  static Failure failure_of(const Track& track, const Request& last) {
    return {.number = static_cast<int>(track.spent.size()) + 1,
            .is_throttled = last.reply->kind == Reply::Answered && last.reply->status == 429,
            .wish = wish_of(*last.reply, last.replied.wall)};
  }

  void check_goes_on(const Track& track, const OnDisk& record, const Request& last) {
    if (!is_as_it_began(track, last)) return;
    if (last.reply->kind == Reply::Blocked) {
      return accuse(Rule::WrongEnd, track.name, "goes on although its address is blocked");
    }
    const int counted = record.attempts - track.on_disk.attempts;
    const Early early = was_early(scene(), track, last);
    const bool is_free = early.perhaps || disables_endpoint(*last.reply);
    if (early.surely && counted != 0) {
      return accuse(Rule::Overspent, track.name, "a probe before its time spent an attempt");
    }
    if (counted == 0 && is_free) return;
    if (counted != 1) {
      return accuse(Rule::Overspent, track.name,
                    fmt::format("an attempt counts {} times", counted));
    }
    const auto policies = policies_between(scene(), track.name.endpoint, last.replied.mono, now());
    const auto may_go_on = [&](const Policy& policy) {
      const Treatment treatment = treatment_of(policy, last.reply->kind, last.reply->status);
      const bool is_too_often =
          treatment.attempts_max && count(track, treatment.on) >= *treatment.attempts_max;
      const bool is_last = static_cast<int>(track.spent.size()) + 1 >= policy.attempts_max;
      return treatment.action == Action::Retry && !is_too_often && !is_last;
    };
    if (std::any_of(policies.begin(), policies.end(), may_go_on)) return;
    accuse(Rule::WrongEnd, track.name, "goes on although it is final or its attempts are spent");
  }
};

}  // namespace

std::unique_ptr<Accuser> overspent(Bench bench) { return std::make_unique<Overspent>(bench); }

}  // namespace petrel::sim::judge
