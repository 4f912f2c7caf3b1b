#include "sim/judge/backoff_bounds.h"

#include <algorithm>
#include <cmath>

namespace petrel::sim::judge {
namespace {

using Jitter = Policy::Jitter;
using Strategy = Policy::Strategy;

Duration times(Duration delay, double factor, Duration most) {
  const double product = static_cast<double>(delay.count()) * factor;
  if (product >= static_cast<double>(most.count())) return most;
  return Duration(static_cast<Duration::rep>(std::llround(product)));
}

Duration nominal(const Policy& policy, int failure, int stretch) {
  switch (policy.strategy) {
    case Strategy::Fixed:
      return times(policy.base, stretch, policy.max);
    case Strategy::Linear:
      return times(policy.base, static_cast<double>(failure) * stretch, policy.max);
    case Strategy::Exponential:
      return times(policy.base, std::pow(policy.multiplier, failure - 1) * stretch, policy.max);
    case Strategy::Schedule:
      break;
  }
  if (policy.schedule.empty()) return Duration::zero();
  const auto entry = std::min(static_cast<std::size_t>(failure), policy.schedule.size()) - 1;
  return times(policy.schedule[entry], stretch, policy.max);
}

// min(maxDelay, U(baseDelay, 3 · the previous wait)), doubled after a 429 without a wish: each wait
// is at most three times the longest that the one before it can have been, and that may have been
// doubled too.
DelayBounds decorrelated(const Policy& policy, int failure, int stretch) {
  const Duration low = times(policy.base, stretch, policy.max);
  const double doubled = std::pow(figures::kThrottledStretch, failure - 1) * stretch;
  const Duration high = times(policy.base, std::pow(3, failure) * doubled, policy.max);
  return {low, std::max(low, high)};
}

DelayBounds jittered(const Policy& policy, Duration delay) {
  switch (policy.jitter) {
    case Jitter::Full:
      return {Duration::zero(), delay};
    case Jitter::Equal:
      return {delay / 2, delay};
    case Jitter::Percent: {
      const Duration spread = delay * policy.jitter_percent / 100;
      return {delay - spread, delay + spread};
    }
    case Jitter::None:
    case Jitter::Decorrelated:
      break;
  }
  return {delay, delay};
}

}  // namespace

Duration granted(const Policy& policy, std::optional<Duration> wish) {
  return std::min(wish.value_or(Duration::zero()), policy.retry_after_cap);
}

DelayBounds delay_bounds(const Policy& policy, const Failure& failure) {
  const int stretch = failure.is_throttled && !failure.wish ? figures::kThrottledStretch : 1;
  DelayBounds bounds = policy.jitter == Jitter::Decorrelated
                           ? decorrelated(policy, failure.number, stretch)
                           : jittered(policy, nominal(policy, failure.number, stretch));
  const Duration asked = granted(policy, failure.wish);
  bounds.shortest = std::max(bounds.shortest, asked);
  bounds.longest = std::max(bounds.longest, asked);
  return bounds;
}

}  // namespace petrel::sim::judge
