#include "lane/shared_rate.h"

#include <algorithm>

#include "base/check.h"

namespace petrel::lane {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kLeewayNs = 10'000'000;

std::int64_t ns_of(MonoTime at) { return 1000 * at.time_since_epoch().count(); }

// Rounded up: any second sees at most the rate.
std::int64_t interval_of(int per_second) {
  CHECK(per_second > 0);
  return (kSecondNs + per_second - 1) / per_second;
}

}  // namespace

SharedRate::SharedRate(int per_second) : interval_ns_(interval_of(per_second)) {}

// The next place is counted from the last one whose moment has come; those after it are void.
void SharedRate::set_rate(int per_second, MonoTime now) {
  const std::int64_t now_ns = ns_of(now);
  const std::int64_t interval_ns = interval_of(per_second);
  const std::lock_guard lock(mutex_);
  if (interval_ns == interval_ns_) return;
  const std::int64_t ahead_ns = std::max(next_ns_ - now_ns, std::int64_t{0});
  const std::int64_t not_used = (ahead_ns + interval_ns_ - 1) / interval_ns_;
  next_ns_ += interval_ns - std::max(not_used, std::int64_t{1}) * interval_ns_;
  interval_ns_ = interval_ns;
  ++edition_;
}

SharedRate::Place SharedRate::reserve(MonoTime now) {
  const std::int64_t now_ns = ns_of(now);
  const std::lock_guard lock(mutex_);
  const std::int64_t at_ns = std::max(next_ns_, now_ns - kLeewayNs);
  next_ns_ = at_ns + interval_ns_;
  return {.at = MonoTime(Duration((at_ns + 999) / 1000)), .edition = edition_};
}

}  // namespace petrel::lane
