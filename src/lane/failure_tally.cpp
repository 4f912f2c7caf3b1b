#include "lane/failure_tally.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/duration_text.h"

namespace petrel::lane {

FailureTally::FailureTally(const BreakerSettings& settings)
    : settings_(settings), window_(settings.window) {
  check(settings);
}

void FailureTally::configure(const BreakerSettings& settings) {
  check(settings);
  if (settings.window != settings_.window) window_ = AttemptWindow(settings.window);
  settings_ = settings;
}

void FailureTally::check(const BreakerSettings& settings) {
  CHECK(settings.streak_to_open >= 1 && settings.streak_grace >= Duration::zero());
  CHECK(settings.window_attempts_min >= 1);
  CHECK(settings.window_failed_percent >= 1 && settings.window_failed_percent <= 100);
  CHECK(settings.exhausted_to_open >= 1 && settings.exhausted_to_open <= 1000);
  CHECK(settings.exhausted_window > Duration::zero());
}

void FailureTally::count_success(MonoTime now) {
  streak_ = 0;
  last_success_ = now;
  window_.count_success(now);
  exhausted_.clear();
}

void FailureTally::count_reachable(MonoTime now) {
  streak_ = 0;
  window_.count_success(now);
}

void FailureTally::count_failure(MonoTime now) {
  ++streak_;
  window_.count_failure(now);
}

void FailureTally::count_exhausted(MonoTime now) {
  // What has left the window goes, and of the rest no more are kept than it takes to open.
  const std::int32_t kept = std::min(exhausted_within_window(now), settings_.exhausted_to_open - 1);
  exhausted_.erase(exhausted_.begin(), exhausted_.end() - kept);
  exhausted_.push_back(now);
}

bool FailureTally::was_success_within(Duration time, MonoTime now) const {
  return last_success_ && now - *last_success_ < time;
}

bool FailureTally::is_streak_enough(MonoTime now) const {
  return streak_ >= settings_.streak_to_open && !was_success_within(settings_.streak_grace, now);
}

bool FailureTally::is_share_enough(const AttemptWindow::Totals& seen) const {
  return seen.attempts >= settings_.window_attempts_min &&
         seen.failures * 100 >= seen.attempts * settings_.window_failed_percent;
}

std::int32_t FailureTally::exhausted_within_window(MonoTime now) const {
  const MonoTime start = now - settings_.exhausted_window;
  const auto first = std::upper_bound(exhausted_.begin(), exhausted_.end(), start);
  return static_cast<std::int32_t>(exhausted_.end() - first);
}

std::string FailureTally::reason_to_open(MonoTime now) const {
  if (is_streak_enough(now)) return fmt::format("{} failures in a row", streak_);

  const AttemptWindow::Totals seen = window_.totals(now);
  if (is_share_enough(seen)) {
    return fmt::format("{} of {} attempts failed within {}", seen.failures, seen.attempts,
                       to_words(settings_.window));
  }

  const std::int32_t exhausted = exhausted_within_window(now);
  if (exhausted >= settings_.exhausted_to_open &&
      !was_success_within(settings_.exhausted_window, now)) {
    return fmt::format("{} exhausted deliveries within {} and no success", exhausted,
                       to_words(settings_.exhausted_window));
  }
  return {};
}

void FailureTally::clear() {
  streak_ = 0;
  window_.clear();
  exhausted_ = {};
}

FailureTally::Snapshot FailureTally::snapshot(MonoTime now) const {
  Snapshot snapshot{.streak = streak_, .exhausted_ago = {}, .last_success_ago = {}};
  for (const MonoTime moment : exhausted_) snapshot.exhausted_ago.push_back(now - moment);
  if (last_success_) snapshot.last_success_ago = now - *last_success_;
  return snapshot;
}

void FailureTally::restore(const Snapshot& snapshot, MonoTime now) {
  clear();
  streak_ = snapshot.streak;
  last_success_.reset();
  if (snapshot.last_success_ago) last_success_ = now - *snapshot.last_success_ago;
  for (const Duration age : snapshot.exhausted_ago) exhausted_.push_back(now - age);
}

}  // namespace petrel::lane
