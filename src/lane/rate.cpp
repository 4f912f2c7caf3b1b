#include "lane/rate.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "base/check.h"

namespace petrel::lane {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Up to two digits after the point, cut and not rounded: a limit is not shown higher than it is.
std::string in_unit(const Rate& rate, Duration unit, std::string_view name) {
  const std::int64_t hundredths = rate.count() * unit.count() * 100 / rate.period().count();
  const std::int64_t whole = hundredths / 100;
  const std::int64_t rest = hundredths % 100;
  if (rest == 0) return fmt::format("{}/{}", whole, name);
  if (rest % 10 == 0) return fmt::format("{}.{}/{}", whole, rest / 10, name);
  return fmt::format("{}.{:02}/{}", whole, rest, name);
}

}  // namespace

Rate::Rate(std::int64_t count, Duration period) {
  const std::int64_t divisor = std::gcd(count, period.count());
  count_ = count / divisor;
  period_ = period / divisor;
}

Rate Rate::of(std::int64_t count, Duration period) {
  CHECK(count >= 1);
  CHECK(period > Duration::zero() && period <= kPeriodMax);
  CHECK(count <= period.count());
  return {count, period};
}

Rate Rate::doubled() const { return {std::min(count_ * 2, period_.count()), period_}; }

Rate Rate::divided_by(std::int32_t divisor) const {
  CHECK(divisor >= 1 && divisor <= 1000);
  const Rate exact(count_, period_ * divisor);
  if (exact.period_ <= kPeriodMax) return exact;
  const std::int64_t count = exact.count_ * kPeriodMax.count() / exact.period_.count();
  return {std::max<std::int64_t>(count, 1), kPeriodMax};
}

bool Rate::is_faster_than(const Rate& other) const {
  return count_ * other.period_.count() > other.count_ * period_.count();
}

std::string Rate::text() const {
  if (!per_second(1).is_faster_than(*this)) return in_unit(*this, seconds(1), "s");
  if (!of(1, minutes(1)).is_faster_than(*this)) return in_unit(*this, minutes(1), "min");
  return in_unit(*this, hours(1), "h");
}

}  // namespace petrel::lane
