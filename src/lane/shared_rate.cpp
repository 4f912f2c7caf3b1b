#include "lane/shared_rate.h"

#include <algorithm>

#include "base/check.h"

namespace petrel::lane {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kLeewayNs = 10'000'000;

// Rounded up: any second sees at most the rate.
std::int64_t interval_of(int per_second) {
  CHECK(per_second > 0);
  return (kSecondNs + per_second - 1) / per_second;
}

}  // namespace

SharedRate::SharedRate(int per_second) : interval_ns_(interval_of(per_second)) {}

void SharedRate::set_rate(int per_second) {
  const std::lock_guard lock(mutex_);
  interval_ns_ = interval_of(per_second);
}

MonoTime SharedRate::reserve(MonoTime now) {
  const std::int64_t now_ns = 1000 * now.time_since_epoch().count();
  const std::lock_guard lock(mutex_);
  const std::int64_t at_ns = std::max(next_ns_, now_ns - kLeewayNs);
  next_ns_ = at_ns + interval_ns_;
  return MonoTime(Duration((at_ns + 999) / 1000));
}

}  // namespace petrel::lane
