#include "sim/check/bounds.h"

#include <algorithm>

namespace petrel::sim::check {
namespace {

DelayBounds backoff_bounds(const policy::Backoff& backoff, int failure, int stretch) {
  const Duration nominal = backoff.nominal(failure, stretch);
  switch (backoff.jitter) {
    case policy::Jitter::None:
      return {nominal, nominal};
    case policy::Jitter::Full:
      return {Duration::zero(), nominal};
    case policy::Jitter::Equal:
      return {nominal / 2, nominal};
    case policy::Jitter::Percent: {
      const Duration spread = nominal * backoff.jitter_percent / 100;
      return {nominal - spread, nominal + spread};
    }
    case policy::Jitter::Decorrelated:
      return {std::min(backoff.delay_base, backoff.delay_max), backoff.delay_max};
  }
  return {nominal, nominal};
}

}  // namespace

Duration granted_wait(const policy::RetryPolicy& policy, const Trip& trip) {
  return std::min(trip.wish.value_or(Duration::zero()), policy.retry_after_cap);
}

DelayBounds delay_bounds(const policy::RetryPolicy& policy, int failure, const Trip& trip) {
  const bool is_throttled = trip.outcome.is_status(429) && !trip.wish;
  DelayBounds bounds = backoff_bounds(policy.backoff, failure, is_throttled ? 2 : 1);
  const Duration granted = granted_wait(policy, trip);
  bounds.shortest = std::max(bounds.shortest, granted);
  bounds.longest = std::max(bounds.longest, granted);
  return bounds;
}

}  // namespace petrel::sim::check
