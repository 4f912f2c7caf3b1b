#include "engine/settling.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "policy/receiver_directive.h"
#include "policy/retry_after.h"

namespace petrel::engine {
namespace {

using model::DeliveryState;
using policy::DeadReason;

constexpr Duration kLeastStep = std::chrono::microseconds(1);

// Ids of different processes sort by time only if they are this far apart.
constexpr Duration kIdStep = std::chrono::milliseconds(4);

model::Next next_of(const policy::TryAgain& again, std::optional<Duration> retry_after) {
  return {.basis = again.is_retry_after ? model::NextBasis::RetryAfter : model::NextBasis::Schedule,
          .nominal = again.nominal,
          .jitter = again.delay - again.nominal,
          .retry_after = retry_after,
          .not_before = again.not_before};
}

// After a probe that went early, what set the due time before still does, unless the receiver asks
// for more. A record that does not say what that was goes on not saying it.
std::optional<model::Next> next_after_probe(std::optional<model::Next> next,
                                            const policy::TryAgain& again,
                                            std::optional<Duration> retry_after) {
  if (!next) return next;
  next->basis = again.is_retry_after ? model::NextBasis::RetryAfter : model::NextBasis::Probe;
  if (retry_after) next->retry_after = retry_after;
  if (again.not_before) {
    next->not_before = std::max(*again.not_before, next->not_before.value_or(*again.not_before));
  }
  return next;
}

// A released attempt that failed leaves the delivery due no earlier than it was before.
void keep_time_before_release(const std::optional<model::Next>& before, WallTime now,
                              model::Delivery& delivery) {
  if (!before || !before->released_from || *before->released_from <= now) return;
  delivery.due_at = std::max(delivery.due_at, *before->released_from);
  delivery.next->released_from = before->released_from;
}

void apply(const policy::Decision& decision, const AttemptContext& context,
           model::Delivery& delivery) {
  const std::optional<Duration>& retry_after = context.retry_after;
  delivery.progress = decision.progress;
  const std::optional<model::Next> next_before = std::exchange(delivery.next, std::nullopt);
  if (std::holds_alternative<policy::Delivered>(decision.fate)) {
    delivery.state = DeliveryState::Delivered;
  } else if (const auto* dead = std::get_if<policy::Dead>(&decision.fate)) {
    delivery.state = DeliveryState::Dead;
    delivery.reason = dead->reason;
    // After an attempt nobody but the receiver cancels.
    delivery.is_aborted = dead->reason == DeadReason::Cancelled;
  } else {
    const auto& again = std::get<policy::TryAgain>(decision.fate);
    delivery.state = DeliveryState::Retrying;
    delivery.due_at = again.at;
    // A receiver that asks for no time at all is not waited for.
    delivery.is_scheduled =
        again.not_before.has_value() || (again.is_early && delivery.is_scheduled);
    if (again.is_early) {
      delivery.next = next_after_probe(next_before, again, retry_after);
    } else {
      delivery.next = next_of(again, retry_after);
      keep_time_before_release(next_before, context.ended_at, delivery);
    }
  }
}

}  // namespace

policy::AttemptEnd attempt_end(const model::AttemptResult& result, WallTime started_at,
                               WallTime ended_at) {
  policy::AttemptEnd end{.outcome = result.outcome,
                         .retry_after = std::nullopt,
                         .started_at = started_at,
                         .ended_at = ended_at};
  if (result.outcome.is_answer()) {
    end.retry_after = policy::parse_retry_after({result.retry_after, result.date}, ended_at);
    end.directive = policy::parse_receiver_directive(result.webhook_delivery);
  }
  return end;
}

policy::Decision decide_unheld(const policy::RetryPolicy& policy, policy::Progress before,
                               const policy::AttemptEnd& end, Duration held_total, Random& random) {
  if (before.give_up_at) *before.give_up_at += held_total;
  policy::Decision decision = policy::decide(policy, before, end, random);
  if (decision.progress.give_up_at) *decision.progress.give_up_at -= held_total;
  return decision;
}

lane::Lane::AttemptReport report_of(const policy::Decision& decision, const policy::AttemptEnd& end,
                                    const Now& now) {
  lane::Lane::AttemptReport report{.outcome = end.outcome};
  report.is_success = std::holds_alternative<policy::Delivered>(decision.fate);
  if (const auto* dead = std::get_if<policy::Dead>(&decision.fate)) {
    report.is_permanent = dead->reason == DeadReason::Permanent;
    report.is_exhausted =
        dead->reason == DeadReason::Exhausted || dead->reason == DeadReason::Expired;
  }
  if (decision.lane_held_until) {
    report.held_until = now.mono + (*decision.lane_held_until - end.ended_at);
  }
  return report;
}

model::Settlement settlement_of(const AttemptContext& context, const policy::Decision& decision,
                                model::AttemptResult result, KsuidMaker& ids) {
  CHECK(!std::holds_alternative<policy::NotSpent>(decision.fate));
  model::Settlement settlement = model::settlement_from(context.delivery);
  model::Delivery& delivery = settlement.delivery;
  const WallTime started_at =
      std::max(context.started_at, context.delivery.updated_at + kLeastStep);
  const WallTime ended_at = std::max(context.ended_at, started_at);
  apply(decision, context, delivery);
  if (!delivery.is_live()) delivery.is_scheduled = false;
  ++delivery.attempts_total;
  delivery.last_outcome = result.outcome.code();

  model::Attempt attempt;
  // An id can be ahead of a clock that was set back. The next one, which another process may make,
  // has to follow it. A first attempt follows none, and the grain of its id dates no death ahead.
  const bool is_first = context.delivery.attempts_total == 0;
  attempt.id = AttemptId(
      ids.make(is_first ? ended_at : std::max(ended_at, context.delivery.updated_at + kIdStep)));
  const bool is_at_its_end = is_first && attempt.id.time() <= ended_at + kIdStep;
  delivery.updated_at = is_at_its_end ? ended_at : std::max(ended_at, attempt.id.time());
  attempt.delivery = delivery.key;
  attempt.application = delivery.application;
  attempt.number = delivery.attempts_total;
  attempt.trigger = delivery.is_manual ? model::Trigger::Manual : model::Trigger::Scheduled;
  attempt.url = context.url;
  attempt.outcome = result.outcome;
  attempt.response = std::move(result.response);
  attempt.error = std::move(result.error);
  attempt.timings = result.timings;
  attempt.started_at = started_at;
  attempt.ended_at = ended_at;
  settlement.attempt = std::move(attempt);
  return settlement;
}

std::optional<model::Settlement> give_up_begun(const model::Delivery& delivery,
                                               const policy::RetryPolicy& policy,
                                               WallTime started_at) {
  if (delivery.progress.give_up_at) return std::nullopt;
  model::Settlement settlement = model::settlement_from(delivery);
  settlement.delivery.progress.give_up_at = started_at + policy.give_up_after;
  return settlement;
}

bool has_expired(const model::Delivery& delivery, WallTime now) {
  return delivery.progress.give_up_at && now > *delivery.progress.give_up_at;
}

model::Settlement ending_of(const model::Delivery& delivery, DeadReason reason, WallTime now) {
  model::Settlement settlement = model::settlement_from(delivery);
  settlement.delivery.state = DeliveryState::Dead;
  settlement.delivery.reason = reason;
  settlement.delivery.next.reset();
  settlement.delivery.updated_at = std::max(now, delivery.updated_at + kLeastStep);
  return settlement;
}

}  // namespace petrel::engine
