#include "lane/shared_rate.h"

#include <algorithm>

#include "base/check.h"

namespace petrel::lane {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

// What a bucket holds at least: a moment in the line may lie this far back, less an interval, and
// a token is still there.
constexpr std::int64_t kBurstNs = 10'000'000;

std::int64_t ns_of(MonoTime at) { return 1000 * at.time_since_epoch().count(); }

MonoTime mono_of(std::int64_t ns) { return MonoTime(Duration((ns + 999) / 1000)); }

// Rounded up: any second sees at most the rate.
std::int64_t interval_of(int per_second) {
  CHECK(per_second > 0);
  return (kSecondNs + per_second - 1) / per_second;
}

}  // namespace

SharedRate::SharedRate(int per_second)
    : interval_ns_(interval_of(per_second)), bucket_(Rate::per_second(per_second), MonoTime{}) {}

void SharedRate::set_rate(int per_second, MonoTime now) {
  const std::int64_t interval_ns = interval_of(per_second);
  const std::lock_guard lock(mutex_);
  if (interval_ns == interval_ns_) return;
  bucket_.set_rate(Rate::per_second(per_second), now);
  next_ns_ = ns_of(bucket_.next_at(now));  // All places are void: the line is empty.
  interval_ns_ = interval_ns;
  ++edition_;
}

SharedRate::Place SharedRate::next_place(MonoTime now) {
  const std::int64_t leeway_ns = std::max(kBurstNs - interval_ns_, std::int64_t{0});
  const std::int64_t at_ns = std::max(next_ns_, ns_of(now) - leeway_ns);
  next_ns_ = at_ns + interval_ns_;
  return {.at = mono_of(at_ns), .edition = edition_};
}

SharedRate::Place SharedRate::reserve(MonoTime now) {
  const std::lock_guard lock(mutex_);
  return next_place(now);
}

bool SharedRate::try_use(Place& place, MonoTime now) {
  const std::lock_guard lock(mutex_);
  const std::int64_t kept_ns = std::max(interval_ns_, kBurstNs);
  const bool is_lost = ns_of(now) - ns_of(place.at) > kept_ns;
  if (place.edition != edition_ || is_lost) place = next_place(now);
  if (place.at > now) return false;
  if (!bucket_.try_take(now)) {
    place.at = bucket_.next_at(now);  // Somebody before it was late.
    return false;
  }
  // Whoever joins the line from now on is not told a moment at which there is no token yet.
  const std::int64_t leeway_ns = std::max(kBurstNs - interval_ns_, std::int64_t{0});
  next_ns_ += std::max(ns_of(now) - ns_of(place.at) - leeway_ns, std::int64_t{0});
  return true;
}

}  // namespace petrel::lane
