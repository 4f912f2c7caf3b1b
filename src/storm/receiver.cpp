#include "storm/receiver.h"

#include <algorithm>

#include "base/check.h"

namespace petrel::storm {
namespace {

using policy::FailureKind;
using policy::Outcome;

Receiver::Answer refused() {
  return {.outcome = Outcome::failed(FailureKind::Connect), .after = kRefusalTime};
}

Receiver::Answer turned_away() {
  return {.outcome = Outcome::answered(503), .after = kRefusalTime};
}

Receiver::Answer answer_during(OutageKind kind) {
  switch (kind) {
    case OutageKind::Refuses:
      return refused();
    case OutageKind::Answers503:
      return turned_away();
    case OutageKind::Hangs:
      break;
  }
  return {.outcome = Outcome::failed(FailureKind::Timeout), .after = Duration::max()};
}

}  // namespace

std::string_view to_string(OutageKind kind) {
  switch (kind) {
    case OutageKind::Refuses:
      return "refuse";
    case OutageKind::Answers503:
      return "503";
    case OutageKind::Hangs:
      break;
  }
  return "hang";
}

std::string_view in_words(OutageKind kind) {
  switch (kind) {
    case OutageKind::Refuses:
      return "refuses connections";
    case OutageKind::Answers503:
      return "answers 503";
    case OutageKind::Hangs:
      break;
  }
  return "hangs";
}

Receiver::Receiver(const ReceiverSettings& settings, const Outage& outage)
    : settings_(settings), outage_(outage) {
  CHECK(settings.capacity >= 1 && settings.capacity <= kCapacityMax);
  CHECK(settings.crash_after >= kQueueMax);
  work_per_request_ = Work(std::chrono::seconds(1)) / settings.capacity;
}

Receiver::Answer Receiver::take(MonoTime now) {
  if (now >= outage_.from && now < outage_.until) {
    taken_on_ = asked_for_ = Work::zero();
    return answer_during(outage_.kind);
  }
  if (now < down_until_) return refused();

  const Work done = now - last_;
  last_ = now;
  taken_on_ = std::max(taken_on_ - done, Work::zero());
  asked_for_ = std::max(asked_for_ - done, Work::zero()) + work_per_request_;
  if (asked_for_ > settings_.crash_after) return fall_over(now);
  if (taken_on_ + work_per_request_ > kQueueMax) return turned_away();
  taken_on_ += work_per_request_;
  const auto wait = std::chrono::duration_cast<Duration>(taken_on_ - work_per_request_);
  return {
      .outcome = Outcome::answered(200), .after = wait + settings_.latency, .is_taken_on = true};
}

Receiver::Answer Receiver::fall_over(MonoTime now) {
  down_until_ = now + settings_.crash_for;
  taken_on_ = asked_for_ = Work::zero();
  Answer answer{.outcome = Outcome::failed(FailureKind::Reset), .after = kRefusalTime};
  answer.is_last_straw = true;
  return answer;
}

}  // namespace petrel::storm
