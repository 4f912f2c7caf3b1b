#include "policy/testing/random_policy.h"

#include <algorithm>

#include "base/check.h"

namespace petrel::policy {
namespace {

// Short, long and zero delays alike: the exponent is uniform, not the value.
Duration random_delay(Random& random, Duration most) {
  if (random.below(8) == 0) return Duration::zero();
  const std::int64_t milliseconds = std::int64_t{1} << random.below(31);
  const Duration delay =
      random.between(std::chrono::milliseconds(1), std::chrono::milliseconds(milliseconds));
  return std::min(most, std::chrono::duration_cast<Duration>(
                            std::chrono::floor<std::chrono::milliseconds>(delay)));
}

Rule random_rule(Random& random) {
  Rule rule{Selector::status(static_cast<int>(100 + random.below(900)))};
  if (random.below(3) == 0) rule.on = Selector::failure(static_cast<FailureKind>(random.below(6)));
  rule.action = static_cast<Action>(random.below(4));
  if (!rule.on.is_answer() && rule.action == Action::Success) rule.action = Action::Fail;
  if (rule.action == Action::Retry && random.below(2) == 0) {
    rule.attempts_max = static_cast<int>(1 + random.below(6));
  }
  return rule;
}

}  // namespace

RetryPolicy random_policy(Random& random) {
  RetryPolicy policy;
  Backoff& backoff = policy.backoff;
  backoff.strategy = static_cast<Strategy>(random.below(4));
  backoff.jitter = static_cast<Jitter>(random.below(5));
  backoff.delay_max = random_delay(random, kDelayMax);
  if (backoff.strategy == Strategy::Schedule) {
    if (backoff.jitter == Jitter::Decorrelated) backoff.jitter = Jitter::Full;
    const std::size_t entries = 1 + random.below(6);
    for (std::size_t i = 0; i < entries; ++i) {
      backoff.schedule.push_back(random_delay(random, backoff.delay_max));
    }
  }
  backoff.delay_base = random_delay(random, backoff.delay_max);
  if (backoff.strategy == Strategy::Exponential) backoff.multiplier = 1 + 9 * random.unit();
  if (backoff.jitter == Jitter::Percent) {
    backoff.jitter_percent = static_cast<int>(random.below(101));
  }
  policy.attempts_max = static_cast<int>(1 + random.below(random.below(10) == 0 ? 1000 : 12));
  policy.give_up_after = random_delay(random, kGiveUpAfterMax) + std::chrono::milliseconds(1);
  policy.retry_after_cap = random_delay(random, kDelayMax);
  while (random.below(3) == 0 && policy.rules.size() < 4) {
    const Rule rule = random_rule(random);
    const auto is_same = [&](const Rule& other) { return other.on == rule.on; };
    if (std::none_of(policy.rules.begin(), policy.rules.end(), is_same)) {
      policy.rules.push_back(rule);
    }
  }
  CHECK(validate(policy).ok());
  return policy;
}

Outcome random_outcome(Random& random) {
  switch (random.below(6)) {
    case 0:
      return Outcome::failed(static_cast<FailureKind>(random.below(6)));
    case 1:
      return Outcome::answered(429);
    case 2:
      return Outcome::answered(static_cast<int>(100 + random.below(900)));
    case 3:
      return random.below(20) == 0 ? Outcome::our_fault() : Outcome::answered(404);
    default:
      return Outcome::answered(static_cast<int>(500 + random.below(5)));
  }
}

}  // namespace petrel::policy
