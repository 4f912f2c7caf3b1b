#include "lane/token_bucket.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/duration_text.h"

namespace petrel::lane {
namespace {

constexpr Duration kBurst = std::chrono::milliseconds(10);

}  // namespace

std::int64_t TokenBucket::capacity() const {
  // A token comes between two microseconds and is taken at the second. What the bucket gained in
  // between is kept, or it would lose that much with every token.
  const std::int64_t one_token = token_cost() + rate_.count() - 1;
  return std::max(one_token, rate_.count() * kBurst.count());
}

std::int64_t TokenBucket::credit_at(MonoTime now) const {
  if (now <= filled_at_) return credit_;
  const std::int64_t missing = capacity() - credit_;
  const std::int64_t elapsed = (now - filled_at_).count();
  // Compared before it is multiplied: the product of a long rest would not fit.
  if (elapsed > missing / rate_.count()) return capacity();
  return credit_ + elapsed * rate_.count();
}

void TokenBucket::fill(MonoTime now) {
  credit_ = credit_at(now);
  filled_at_ = std::max(filled_at_, now);
}

bool TokenBucket::try_take(MonoTime now) {
  fill(now);
  if (credit_ < token_cost()) return false;
  credit_ -= token_cost();
  return true;
}

MonoTime TokenBucket::next_at(MonoTime now) const {
  const std::int64_t missing = token_cost() - credit_at(now);
  if (missing <= 0) return now;
  const std::int64_t wait = (missing + rate_.count() - 1) / rate_.count();
  return std::max(now, filled_at_) + Duration(wait);
}

void TokenBucket::set_rate(Rate rate, MonoTime now) {
  fill(now);
  const std::int64_t tokens = credit_ / token_cost();
  const std::int64_t rest = credit_ % token_cost();
  const std::int64_t cost_before = token_cost();
  rate_ = rate;
  credit_ = std::min(capacity(), tokens * token_cost() + rest * token_cost() / cost_before);
}

std::string TokenBucket::explain(MonoTime now) const {
  const MonoTime next = next_at(now);
  if (next <= now) return {};
  return fmt::format("rate limit of {}; next slot in {}", rate_.text(), to_words(next - now));
}

}  // namespace petrel::lane
