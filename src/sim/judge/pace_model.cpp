#include "sim/judge/pace_model.h"

#include <algorithm>
#include <cmath>

namespace petrel::sim::judge {
namespace {

// For what is lost when times are cut to microseconds.
constexpr double kRounding = 0.01;

constexpr Duration kMinute = std::chrono::minutes(1);

double minutes_in(Duration time) {
  return std::chrono::duration<double, std::ratio<60>>(time).count();
}

}  // namespace

void PaceModel::begin(MonoTime at) { began_ = last_ = at; }

double PaceModel::rate_at(MonoTime at) const {
  const double doublings = std::floor(minutes_in(std::max(Duration(0), at - began_)));
  // Long before this it is over any ceiling.
  const double rate = settings_.rate * std::exp2(std::min(doublings, 60.0));
  return std::min(rate, static_cast<double>(settings_.ceiling));
}

double PaceModel::leaked(MonoTime from, MonoTime to) const {
  double sum = 0;
  while (from < to) {
    const double rate = rate_at(from);
    const MonoTime minute_ends = began_ + ((from - began_) / kMinute + 1) * kMinute;
    const bool is_at_ceiling = rate >= settings_.ceiling;
    const MonoTime until = is_at_ceiling ? to : std::min(to, minute_ends);
    sum += minutes_in(until - from) * rate;
    from = until;
  }
  return sum;
}

double PaceModel::size_at(MonoTime at) const {
  const double rate = rate_at(at);
  const bool has_doubled = rate > settings_.rate;
  return std::max(has_doubled ? 2.0 : 1.0, rate / 60) + 1 + settings_.extra;
}

bool PaceModel::add(MonoTime at) {
  at = std::max(at, last_);
  level_ = std::max(0.0, level_ - leaked(last_, at)) + 1;
  last_ = at;
  return level_ <= size_at(at) + kRounding;
}

}  // namespace petrel::sim::judge
