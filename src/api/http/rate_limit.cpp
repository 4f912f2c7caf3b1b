#include "api/http/rate_limit.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"

namespace petrel::api {
namespace {

constexpr std::chrono::nanoseconds kBurst = std::chrono::seconds(1);

}  // namespace

RateLimit::RateLimit(int per_second, std::size_t tokens_max)
    : interval_(kBurst / per_second), generation_max_(std::max<std::size_t>(1, tokens_max / 2)) {
  // Ours: the settings were checked.
  CHECK(per_second >= 1 && per_second <= kPerSecondMax);
}

std::optional<Duration> RateLimit::take(std::string_view token, MonoTime now) {
  const Nanoseconds present = now.time_since_epoch();
  const std::lock_guard lock(mutex_);
  Nanoseconds& moment = moment_of(std::hash<std::string_view>()(token));
  const Nanoseconds used = std::max(moment, present) + interval_;
  const Nanoseconds beyond = used - present - kBurst;
  if (beyond > Nanoseconds::zero()) return std::chrono::ceil<Duration>(beyond);
  moment = used;
  return std::nullopt;
}

RateLimit::Nanoseconds& RateLimit::moment_of(std::size_t token) {
  if (const auto found = young_.find(token); found != young_.end()) return found->second;
  Nanoseconds moment = Nanoseconds::min();
  if (const auto known = old_.extract(token)) moment = known.mapped();
  if (young_.size() >= generation_max_) old_ = std::exchange(young_, {});
  return young_.emplace(token, moment).first->second;
}

std::size_t RateLimit::tokens() const {
  const std::lock_guard lock(mutex_);
  return young_.size() + old_.size();
}

}  // namespace petrel::api
