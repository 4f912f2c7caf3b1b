#include "policy/backoff.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace petrel::policy {
namespace {

// Saturates at `most`, also when the factor or the product would not fit.
Duration scaled(Duration delay, double factor, Duration most) {
  if (delay == Duration::zero()) return delay;
  const double product = static_cast<double>(delay.count()) * factor;
  if (product >= static_cast<double>(most.count())) return most;
  return Duration(static_cast<Duration::rep>(std::llround(product)));
}

}  // namespace

Duration Backoff::nominal(int failure, int stretch) const {
  CHECK(failure >= 1);
  switch (strategy) {
    case Strategy::Fixed:
      return scaled(delay_base, stretch, delay_max);
    case Strategy::Linear:
      return scaled(delay_base, static_cast<double>(failure) * stretch, delay_max);
    case Strategy::Exponential:
      return scaled(delay_base, std::pow(multiplier, failure - 1) * stretch, delay_max);
    case Strategy::Schedule: {
      CHECK(!schedule.empty());
      const auto entry = std::min(static_cast<std::size_t>(failure), schedule.size()) - 1;
      return scaled(schedule[entry], stretch, delay_max);
    }
  }
  return delay_base;
}

Duration Backoff::draw(int failure, int stretch, Duration previous, Random& random) const {
  if (jitter == Jitter::Decorrelated) {
    const Duration low = scaled(delay_base, stretch, delay_max);
    const Duration high = std::max(low, 3 * stretch * std::max(previous, delay_base));
    return std::min(delay_max, random.between(low, high));
  }
  const Duration delay = nominal(failure, stretch);
  switch (jitter) {
    case Jitter::Full:
      return random.between(Duration::zero(), delay);
    case Jitter::Equal:
      return random.between(delay / 2, delay);
    case Jitter::Percent: {
      const Duration spread = delay * jitter_percent / 100;
      return random.between(delay - spread, delay + spread);
    }
    case Jitter::None:
    case Jitter::Decorrelated:
      break;
  }
  return delay;
}

}  // namespace petrel::policy
