#include "sim/judge/ramp_model.h"

#include <algorithm>

namespace petrel::sim::judge {
namespace {

// More than any endpoint is allowed; doubling stops here.
constexpr int kDoublingsMax = 20;

}  // namespace

RampModel::RampModel(const Guards& guards, double former_rate, MonoTime now)
    : guards_(guards),
      rate_first_(std::max(figures::kRampRateMin, former_rate / guards.ramp_divisor)),
      began_(now),
      step_from_(now),
      busy_at_(now),
      pressed_at_(now) {
  bucket_.set_rate(rate_first_, now);
}

void RampModel::ended(bool is_bad, MonoTime now) { endings_.push_back({now, is_bad}); }

void RampModel::was_pressed(MonoTime since, MonoTime now) {
  if (may_be_over(since)) was_over_ = true;
  pressed_at_ = now;
}

void RampModel::restarted(MonoTime now) {
  endings_.clear();
  step_from_ = now;
  busy_at_ = now;
  pressed_at_ = now;
  bucket_.restart(now);
}

// When a good step that begins with this ending can be over, if it can by now.
std::optional<MonoTime> RampModel::end_of_good_step(std::size_t first, MonoTime now) const {
  MonoTime end = (first == 0 ? step_from_ : endings_[first - 1].at) + guards_.ramp_step;
  int ended = 0;
  int bad = 0;
  for (std::size_t i = first; end <= now; ++i) {
    const bool is_last = i == endings_.size();
    const bool is_good = ended > 0 && bad * 100 < ended * guards_.ramp_percent;
    if ((is_last || endings_[i].at >= end) && is_good) return end;
    if (is_last) break;
    end = std::max(end, endings_[i].at);
    ++ended;
    bad += endings_[i].is_bad ? 1 : 0;
  }
  return std::nullopt;
}

// A step that fails moderately is repeated three times. Where it begins nobody sees, so one good
// ending is enough.
std::optional<MonoTime> RampModel::end_of_repeats(MonoTime now) const {
  const auto good = std::find_if(endings_.begin(), endings_.end(),
                                 [](const Ending& ending) { return !ending.is_bad; });
  if (good == endings_.end()) return std::nullopt;
  const Duration steps = (1 + figures::kRampRepeats) * guards_.ramp_step;
  const MonoTime end = std::max(step_from_ + steps, good->at);
  if (end > now) return std::nullopt;
  return end;
}

std::optional<MonoTime> RampModel::next_doubling(MonoTime now) const {
  std::optional<MonoTime> soonest = end_of_repeats(now);
  for (std::size_t first = 0; first < endings_.size(); ++first) {
    const auto end = end_of_good_step(first, now);
    if (end && (!soonest || *end < *soonest)) soonest = end;
    if (soonest && *soonest <= endings_[first].at + guards_.ramp_step) break;
  }
  return soonest;
}

void RampModel::pass(MonoTime now) {
  while (doublings_ < kDoublingsMax) {
    const auto end = next_doubling(now);
    if (!end) break;
    ++doublings_;
    step_from_ = *end;
    std::erase_if(endings_, [&](const Ending& ending) { return ending.at < step_from_; });
    bucket_.set_rate(rate(), *end);
  }
  if (may_be_over(now)) was_over_ = true;
}

int RampModel::in_flight_max() const { return guards_.ramp_in_flight << doublings_; }

double RampModel::rate() const { return rate_first_ * static_cast<double>(1 << doublings_); }

bool RampModel::may_be_over(MonoTime now) const {
  return was_over_ || now - pressed_at_ >= guards_.ramp_step;
}

bool RampModel::must_be_over(MonoTime now, Duration slack) const {
  return now - busy_at_ >= 2 * guards_.ramp_step + slack;
}

}  // namespace petrel::sim::judge
