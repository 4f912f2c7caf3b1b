#include "lane/attempt_window.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"

namespace petrel::lane {
namespace {

using std::chrono::seconds;

std::int64_t second_of(MonoTime time) {
  return std::chrono::floor<seconds>(time.time_since_epoch()).count();
}

std::size_t ring_index(std::int64_t second, std::int32_t length) {
  return static_cast<std::size_t>((second % length + length) % length);
}

}  // namespace

AttemptWindow::AttemptWindow(Duration length)
    : length_(static_cast<std::int32_t>(length / seconds(1))) {
  CHECK(length >= seconds(1) && length <= kLengthMax);
  CHECK(length % seconds(1) == Duration::zero());
}

AttemptWindow::Bucket& AttemptWindow::bucket(std::int64_t second) {
  return buckets_[ring_index(second, length_)];
}

const AttemptWindow::Bucket& AttemptWindow::bucket(std::int64_t second) const {
  return buckets_[ring_index(second, length_)];
}

void AttemptWindow::count(Totals more, MonoTime now) {
  if (buckets_.empty()) {
    buckets_.resize(static_cast<std::size_t>(length_));
    newest_ = second_of(now);
    counting_since_ = now;
  }
  move_to(second_of(now));
  Bucket& newest = bucket(newest_);
  newest.attempts += static_cast<std::uint32_t>(more.attempts);
  newest.failures += static_cast<std::uint32_t>(more.failures);
  totals_.attempts += more.attempts;
  totals_.failures += more.failures;
}

void AttemptWindow::move_to(std::int64_t second) {
  // One turn of the ring empties it, however long the rest was.
  const std::int64_t first = std::max(newest_ + 1, second - length_ + 1);
  for (std::int64_t passed = first; passed <= second; ++passed) {
    Bucket& old = bucket(passed);
    totals_.attempts -= old.attempts;
    totals_.failures -= old.failures;
    old = Bucket{};
  }
  newest_ = std::max(newest_, second);
}

AttemptWindow::Totals AttemptWindow::totals(MonoTime now) const {
  if (buckets_.empty()) return {};
  Totals left = totals_;
  const std::int64_t second = second_of(now);
  const std::int64_t first = std::max(newest_ + 1, second - length_ + 1);
  for (std::int64_t passed = first; passed <= second; ++passed) {
    left.attempts -= bucket(passed).attempts;
    left.failures -= bucket(passed).failures;
  }
  return left;
}

std::optional<Rate> AttemptWindow::rate(MonoTime now) const {
  const std::int64_t attempts = totals(now).attempts;
  if (attempts == 0) return std::nullopt;
  const Duration counted = now - counting_since_;
  const Duration length = std::clamp<Duration>(counted, seconds(1), seconds(length_));
  return Rate::of(std::min(attempts, length.count()), length);
}

void AttemptWindow::clear() {
  buckets_ = {};
  totals_ = {};
}

}  // namespace petrel::lane
