#include "replay/pace.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace petrel::replay {
namespace {

// So many answers say enough to slow down before the minute is over.
constexpr std::uint64_t kPlain = 10;

}  // namespace

Pace::Pace(const model::Pacing& pacing, int rate_now, MonoTime first_at)
    : pacing_(pacing),
      rate_(rate_now > 0 ? rate_now : pacing.rate_per_minute),
      next_at_(first_at),
      minute_began_(first_at) {
  CHECK(pacing.rate_per_minute >= 1 && pacing.rate_per_minute <= pacing.rate_per_minute_max);
}

std::size_t Pace::allowance(MonoTime now) const {
  if (now < next_at_) return 0;
  const Duration owed = std::min(now - next_at_, credit_max());
  return static_cast<std::size_t>(1 + owed / interval());
}

MonoTime Pace::wake_at() const {
  return next_at_ + (interval() < kGathered ? kGathered - interval() : Duration(0));
}

void Pace::released(std::size_t count, MonoTime now) {
  if (count > 0 && !std::exchange(has_begun_, true)) begin_minute(now);
  next_at_ = std::max(next_at_, now - credit_max());
  next_at_ += interval() * static_cast<std::int64_t>(count);
  unanswered_ += count;
  judge(now);
}

void Pace::answered(bool is_good, MonoTime now) {
  if (unanswered_ > 0) --unanswered_;
  if (stale_ > 0) {
    --stale_;
    return;
  }
  ++(is_good ? good_ : bad_);
  judge(now);
}

void Pace::stands_still(MonoTime now) {
  next_at_ = std::max(next_at_, now);
  begin_minute(now);
}

void Pace::begin_minute(MonoTime now) {
  minute_began_ = now;
  good_ = bad_ = 0;
}

void Pace::set_rate(int rate, MonoTime now) {
  // What was waited for at the old rate is waited for at the new one.
  if (next_at_ > now) next_at_ = now + (next_at_ - now) * rate_ / rate;
  if (rate != rate_) stale_ = unanswered_;
  rate_ = rate;
  begin_minute(now);
}

void Pace::judge(MonoTime now) {
  if (!pacing_.has_ramp) return;
  const std::uint64_t all = good_ + bad_;
  const bool is_over = now - minute_began_ >= std::chrono::minutes(1);
  if (bad_ * 10 > all && (is_over || all >= kPlain)) {
    set_rate(std::max(1, rate_ / 2), now);
  } else if (is_over && all > 0 && good_ * 100 >= all * 95) {
    set_rate(std::min(rate_ * 2, pacing_.rate_per_minute_max), now);
  } else if (is_over) {
    begin_minute(now);
  }
}

Duration time_for(const model::Pacing& pacing, int rate_now, std::uint64_t count) {
  Duration time{};
  auto rate = static_cast<std::uint64_t>(std::max(1, rate_now));
  const auto rate_max = static_cast<std::uint64_t>(pacing.rate_per_minute_max);
  for (; pacing.has_ramp && rate < rate_max && count > rate; rate = std::min(rate * 2, rate_max)) {
    count -= rate;
    time += std::chrono::minutes(1);
  }
  return time + Duration(std::chrono::minutes(1)) / rate * count;
}

}  // namespace petrel::replay
