#include "course.h"

#include <limits>

namespace petrel::bench {
namespace {

using policy::FailureKind;
using policy::Outcome;

constexpr int kAlways = std::numeric_limits<int>::max();

Outcome draw_passing_trouble(Random& random) {
  const std::uint64_t drawn = random.below(10);
  if (drawn < 6) return Outcome::answered(503);
  return Outcome::failed(drawn < 8 ? FailureKind::Connect : FailureKind::Timeout);
}

}  // namespace

Outcome Course::outcome_of_attempt(int number) const {
  return number <= failures ? failure : Outcome::answered(200);
}

Course draw_course(Random& random) {
  const std::uint64_t drawn = random.below(100);
  if (drawn < 90) return {};
  if (drawn < 97) {
    const auto failures = static_cast<int>(1 + random.below(3));
    return {.failures = failures, .failure = draw_passing_trouble(random)};
  }
  if (drawn < 99) return {.failures = kAlways, .failure = draw_passing_trouble(random)};
  return {.failures = kAlways, .failure = Outcome::answered(random.below(10) == 0 ? 410 : 400)};
}

}  // namespace petrel::bench
