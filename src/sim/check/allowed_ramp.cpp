#include "sim/check/allowed_ramp.h"

#include <algorithm>

namespace petrel::sim::check {
namespace {

constexpr Duration kStep = std::chrono::seconds(5);
constexpr int kDoublingsMax = 20;

// Since the last doubling: the step itself, and three times more.
constexpr Duration kRepeated = 4 * kStep;

}  // namespace

AllowedRamp::AllowedRamp(double former_rate, MonoTime now)
    : rate_first_(std::max(1.0, former_rate / 10)), began_(now), step_from_(now) {}

void AllowedRamp::ended(bool is_bad, MonoTime now) { endings_.push_back({now, is_bad}); }

void AllowedRamp::restarted(MonoTime now) {
  endings_.clear();
  step_from_ = now;
}

// When a good step that begins with this ending can be over, if it can by now.
std::optional<MonoTime> AllowedRamp::end_of_step(std::size_t first, MonoTime now) const {
  MonoTime end = (first == 0 ? step_from_ : endings_[first - 1].at) + kStep;
  std::size_t ended = 0;
  std::size_t bad = 0;
  for (std::size_t i = first; end <= now; ++i) {
    const bool is_last = i == endings_.size();
    if ((is_last || endings_[i].at >= end) && ended > 0 && bad * 10 < ended) return end;
    if (is_last) break;
    end = std::max(end, endings_[i].at);
    ++ended;
    bad += endings_[i].is_bad ? 1 : 0;
  }
  return std::nullopt;
}

std::optional<MonoTime> AllowedRamp::next_doubling(MonoTime now) const {
  if (now < step_from_ + kStep) return std::nullopt;
  std::optional<MonoTime> soonest = end_of_repeats(now);
  for (std::size_t first = 0; first < endings_.size(); ++first) {
    const auto end = end_of_step(first, now);
    if (end && (!soonest || *end < *soonest)) soonest = end;
    if (soonest && *soonest <= endings_[first].at + kStep) break;
  }
  return soonest;
}

// When a step that failed moderately may be done with: where it begins nobody sees, so one good
// ending is enough.
std::optional<MonoTime> AllowedRamp::end_of_repeats(MonoTime now) const {
  const auto good = std::find_if(endings_.begin(), endings_.end(),
                                 [](const Ending& ending) { return !ending.is_bad; });
  if (good == endings_.end()) return std::nullopt;
  const MonoTime end = std::max(step_from_ + kRepeated, good->at);
  if (end > now) return std::nullopt;
  return end;
}

int AllowedRamp::doublings(MonoTime now) {
  while (doublings_ < kDoublingsMax) {
    const auto end = next_doubling(now);
    if (!end) break;
    ++doublings_;
    step_from_ = *end;
    std::erase_if(endings_, [&](const Ending& ending) { return ending.at < step_from_; });
  }
  return doublings_;
}

int AllowedRamp::in_flight_max(MonoTime now) { return 1 << doublings(now); }

double AllowedRamp::rate(MonoTime now) { return rate_first_ * in_flight_max(now); }

}  // namespace petrel::sim::check
