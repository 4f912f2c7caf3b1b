#include "policy/decision.h"

#include <algorithm>
#include <array>

#include "policy/classify.h"

namespace petrel::policy {
namespace {

constexpr std::array<std::string_view, 6> kReasonNames = {"permanent", "exhausted", "expired",
                                                          "gone",      "cancelled", "blocked"};

// 429 without a Retry-After: it is plainly too much, so wait longer than the schedule says.
constexpr int kThrottledStretch = 2;

Progress advance(const RetryPolicy& policy, Progress progress, const AttemptEnd& end) {
  ++progress.attempts;
  progress.tally.add(end.outcome);
  if (!progress.give_up_at) progress.give_up_at = end.started_at + policy.give_up_after;
  return progress;
}

// At once, unless the receiver wants more time; as much of that as the policy grants.
TryAgain after_asked_wait(const RetryPolicy& policy, const AttemptEnd& end) {
  const Duration asked = end.retry_after.value_or(Duration::zero());
  const Duration granted = std::min(asked, policy.retry_after_cap);
  TryAgain again{.at = end.ended_at + granted,
                 .delay = Duration::zero(),
                 .is_retry_after = granted > Duration::zero(),
                 .is_retry_after_capped = asked > granted};
  if (again.is_retry_after) again.not_before = again.at;
  return again;
}

TryAgain next_attempt(const RetryPolicy& policy, const Progress& progress, const AttemptEnd& end,
                      Random& random) {
  const bool is_throttled = end.outcome.is_status(429) && !end.retry_after;
  const int stretch = is_throttled ? kThrottledStretch : 1;
  const Duration delay =
      policy.backoff.draw(progress.attempts, stretch, progress.delay_previous, random);
  TryAgain again = after_asked_wait(policy, end);
  again.is_retry_after = again.at > end.ended_at + delay;
  again.at = std::max(again.at, end.ended_at + delay);
  again.delay = delay;
  // Decorrelated jitter starts at the base delay, whatever the strategy's growth.
  const bool is_decorrelated = policy.backoff.jitter == Jitter::Decorrelated;
  again.nominal = policy.backoff.nominal(is_decorrelated ? 1 : progress.attempts, stretch);
  return again;
}

bool is_client_error(const Outcome& outcome) {
  return outcome.is_answer() && outcome.status() / 100 == 4;
}

// A receiver that is overloaded speaks for all that we send it, whatever becomes of this delivery.
std::optional<WallTime> lane_hold(const RetryPolicy& policy, const AttemptEnd& end) {
  const bool is_overload = end.outcome.is_status(429) || end.outcome.is_status(503);
  if (!is_overload || !end.retry_after) return std::nullopt;
  return end.ended_at + std::min(*end.retry_after, policy.retry_after_cap);
}

void decide_retry(const RetryPolicy& policy, const Rule& rule, const AttemptEnd& end,
                  Random& random, Decision& decision) {
  Progress& progress = decision.progress;
  if (rule.attempts_max && progress.tally.count(rule.on) >= *rule.attempts_max) {
    decision.fate = Dead{DeadReason::Permanent};
    decision.raises_notice = is_client_error(end.outcome);
    return;
  }
  if (progress.attempts >= policy.attempts_max) {
    decision.fate = Dead{DeadReason::Exhausted};
    return;
  }
  const TryAgain again = next_attempt(policy, progress, end, random);
  if (again.at > *progress.give_up_at) {
    decision.fate = Dead{DeadReason::Expired};
    return;
  }
  progress.delay_previous = again.delay;
  decision.fate = again;
}

void decide_early(const RetryPolicy& policy, const Progress& before, const AttemptEnd& end,
                  Decision& decision) {
  TryAgain again = after_asked_wait(policy, end);
  again.is_early = true;
  again.is_retry_after = again.at > *end.early_for;
  again.at = std::max(again.at, *end.early_for);
  decision.progress = before;
  if (before.give_up_at && again.at > *before.give_up_at) {
    decision.fate = Dead{DeadReason::Expired};
  } else {
    decision.fate = again;
  }
}

void decide_by_rule(const RetryPolicy& policy, const Rule& rule, const AttemptEnd& end,
                    Random& random, Decision& decision) {
  switch (rule.action) {
    case Action::Success:
      decision.fate = Delivered{};
      break;
    case Action::Retry:
      decide_retry(policy, rule, end, random, decision);
      break;
    case Action::Fail:
      decision.fate = Dead{DeadReason::Permanent};
      decision.raises_notice = is_client_error(end.outcome);
      break;
    case Action::Pause:
      decision.fate = Dead{DeadReason::Gone};
      decision.raises_notice = is_client_error(end.outcome);
      break;
  }
}

}  // namespace

std::string_view to_string(DeadReason reason) {
  return kReasonNames[static_cast<std::size_t>(reason)];
}

std::optional<DeadReason> parse_dead_reason(std::string_view text) {
  const auto found = std::find(kReasonNames.begin(), kReasonNames.end(), text);
  if (found == kReasonNames.end()) return std::nullopt;
  return static_cast<DeadReason>(found - kReasonNames.begin());
}

Decision decide(const RetryPolicy& policy, const Progress& before, const AttemptEnd& end,
                Random& random) {
  Decision decision;
  if (end.outcome.kind() == Outcome::Kind::OurFault) {
    decision.fate = NotSpent{};
    decision.progress = before;
    return decision;
  }
  decision.progress = advance(policy, before, end);
  if (end.outcome.kind() == Outcome::Kind::Blocked) {
    decision.fate = Dead{DeadReason::Blocked};
    return decision;
  }

  decision.lane_held_until = lane_hold(policy, end);
  const Rule rule = classify(end.outcome, policy.rules);
  decision.pauses_endpoint = rule.action == Action::Pause || end.directive.disables_endpoint;
  const bool is_success = rule.action == Action::Success;
  if (!is_success && end.directive.aborts_message) {
    decision.fate = Dead{DeadReason::Cancelled};
  } else if (!is_success && end.directive.disables_endpoint) {
    decision.fate = after_asked_wait(policy, end);  // Due when the endpoint is resumed.
    decision.progress = before;
  } else if (end.early_for && rule.action == Action::Retry) {
    decide_early(policy, before, end, decision);
  } else {
    decide_by_rule(policy, rule, end, random, decision);
  }
  return decision;
}

}  // namespace petrel::policy
