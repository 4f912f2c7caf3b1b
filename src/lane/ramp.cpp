#include "lane/ramp.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace petrel::lane {
namespace {

// More than any lane is ever allowed; doubling stops here.
constexpr std::int32_t kInFlightMax = 1 << 20;

Rate faster_of(Rate a, Rate b) { return b.is_faster_than(a) ? b : a; }

}  // namespace

Ramp::Ramp(const RampSettings& settings, MonoTime now)
    : settings_(settings),
      bucket_(settings.rate_first_min, now),
      in_flight_max_(settings.in_flight_first) {
  check(settings);
}

void Ramp::configure(const RampSettings& settings) {
  check(settings);
  settings_ = settings;
}

void Ramp::check(const RampSettings& settings) {
  CHECK(settings.step > Duration::zero());
  CHECK(settings.failed_percent_to_repeat >= 1 && settings.failed_percent_to_repeat <= 100);
  CHECK(settings.repeats_max >= 0);
  CHECK(settings.in_flight_first >= 1 && settings.in_flight_first <= kInFlightMax);
  CHECK(settings.rate_divisor >= 1 && settings.rate_divisor <= 1000);
}

void Ramp::start(std::optional<Rate> former_rate, MonoTime now) {
  Rate rate = settings_.rate_first_min;
  if (former_rate) rate = faster_of(rate, former_rate->divided_by(settings_.rate_divisor));
  begin(rate, settings_.in_flight_first, now);
}

void Ramp::begin(Rate rate, std::int32_t in_flight_max, MonoTime now) {
  bucket_ = TokenBucket(rate, now);
  in_flight_max_ = in_flight_max;
  is_active_ = true;
  is_finished_ = false;
  repeats_ = 0;
  begin_step(now);
}

void Ramp::begin_step(MonoTime now) {
  step_ends_at_ = now + settings_.step;
  ended_in_step_ = 0;
  bad_in_step_ = 0;
  refused_in_step_ = false;
  asked_in_step_ = false;
}

void Ramp::stop() {
  is_active_ = false;
  is_finished_ = false;
}

Ramp::Grade Ramp::grade() const {
  if (ended_in_step_ == 0) return Grade::Unknown;
  const std::int64_t failed = std::int64_t{bad_in_step_} * 100;
  const auto reaches = [&](std::int32_t percent) { return failed >= ended_in_step_ * percent; };
  if (!reaches(settings_.failed_percent_to_repeat)) return Grade::Good;
  return reaches(settings_.failed_percent_to_stay) ? Grade::Bad : Grade::Fair;
}

// Whether the step is done with, and not to be repeated.
bool Ramp::takes_step(Grade grade) {
  if (grade == Grade::Unknown) return false;
  if (grade == Grade::Fair && repeats_ < settings_.repeats_max) {
    ++repeats_;
    return false;
  }
  repeats_ = 0;
  return grade != Grade::Bad;
}

void Ramp::judge_step(MonoTime now) {
  if (!is_active_ || now < step_ends_at_) return;
  if (takes_step(grade())) {
    if (!refused_in_step_) return finish();
    bucket_.set_rate(bucket_.rate().doubled(), now);
    in_flight_max_ = std::min(in_flight_max_ * 2, kInFlightMax);
  }
  begin_step(now);
}

void Ramp::finish() {
  is_active_ = false;
  is_finished_ = true;
}

void Ramp::pass(MonoTime now, bool has_work) {
  if (!is_active_ || now < step_ends_at_) return;
  if (ended_in_step_ == 0 && !asked_in_step_ && !has_work) return finish();
  judge_step(now);
}

std::optional<MonoTime> Ramp::step_ends_at() const {
  if (!is_active_) return std::nullopt;
  return step_ends_at_;
}

Ramp Ramp::at(MonoTime now) const {
  Ramp judged = *this;
  judged.judge_step(now);
  return judged;
}

bool Ramp::try_admit(MonoTime now, std::int32_t in_flight) {
  judge_step(now);
  if (!is_active_) return true;
  asked_in_step_ = true;
  const bool is_admitted = in_flight < in_flight_max_ && bucket_.try_take(now);
  if (!is_admitted) refused_in_step_ = true;
  return is_admitted;
}

void Ramp::note_refusal(MonoTime now) {
  judge_step(now);
  if (!is_active_) return;
  asked_in_step_ = true;
  refused_in_step_ = true;
}

void Ramp::settle(Ending ending, MonoTime now) {
  judge_step(now);
  ++ended_in_step_;
  if (ending == Ending::Bad) ++bad_in_step_;
}

MonoTime Ramp::next_at(MonoTime now, std::int32_t in_flight) const {
  const Ramp judged = at(now);
  if (!judged.is_active_) return now;
  if (in_flight >= judged.in_flight_max_) return judged.step_ends_at_;
  return std::min(judged.bucket_.next_at(now), judged.step_ends_at_);
}

bool Ramp::take_finished(MonoTime now) {
  judge_step(now);
  return std::exchange(is_finished_, false);
}

std::string Ramp::explain(MonoTime now, std::int32_t in_flight) const {
  const Ramp judged = at(now);
  if (next_at(now, in_flight) <= now) return {};
  return fmt::format("ramping up after recovery: {} and {} in flight", judged.bucket_.rate().text(),
                     judged.in_flight_max_);
}

Ramp::Snapshot Ramp::snapshot(MonoTime now) const {
  const Ramp judged = at(now);
  return {judged.is_active_, judged.bucket_.rate(), judged.in_flight_max_};
}

void Ramp::restore(const Snapshot& snapshot, MonoTime now) {
  begin(snapshot.rate, snapshot.in_flight_max, now);
  is_active_ = snapshot.is_active;
}

}  // namespace petrel::lane
