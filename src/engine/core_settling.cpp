// How attempts end in a Core, and how what becomes of their deliveries gets to the store.

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/core.h"
#include "engine/settling.h"
#include "policy/decision.h"

namespace petrel::engine {
namespace {

// A fault of ours costs the delivery nothing, but trying again at once would spin on it.
constexpr Duration kOurFaultPause = std::chrono::seconds(1);

// How much older than in truth the last success of a lane may be on disk. What is asked of it there
// is whether it is a day old.
constexpr Duration kSuccessKeptEvery = std::chrono::minutes(30);

constexpr Duration kStoreBackoffFirst = std::chrono::milliseconds(50);
constexpr Duration kStoreBackoffMax = std::chrono::seconds(1);

std::string why_paused(const policy::AttemptEnd& end) {
  if (end.directive.disables_endpoint)
    return "the receiver asked for it (webhook-delivery: disable)";
  return "the receiver answered " + end.outcome.text();
}

}  // namespace

Core::Out Core::take_out(Ticket ticket) {
  auto node = out_.extract(ticket);
  CHECK(!node.empty());
  leave_wire(lane_of(node.mapped().record->id), node.mapped());
  return std::move(node.mapped());
}

bool Core::departs(Ticket ticket, model::AttemptOrder& order, const Now& now) {
  Out& out = out_.at(ticket);
  LaneState& state = lane_of(out.record->id);
  const bool is_late = has_expired(out.waiting.delivery, now.wall - state.config.held_total);
  const bool has_moved = out.authority != state.config.authority;
  const bool is_barred = state.is_leaving || out.start_edition != state.start_edition;
  const Authority& authority = authorities_.at(out.authority);
  const bool is_over = authority.out > authority.limit.cap ||
                       state.guard.in_flight() > state.config.settings.in_flight_max;
  const bool may_depart = state.guard.may_depart(out.leave, now.mono);
  if (is_late || has_moved || is_barred || is_over || !may_depart) {
    Out kept = take_out(ticket);
    state.guard.settle(kept.leave, {.outcome = policy::Outcome::our_fault()}, now.mono, random_);
    const MonoTime due = std::max(kept.waiting.due, now.mono);
    give_back(state, std::move(kept.waiting), due);
    free_slot(state);
    wake(state);
    return false;
  }
  *std::find(state.out_since.begin(), state.out_since.end(), out.started.mono) = now.mono;
  out.started = now;
  out.is_early = out.waiting.due > now.mono;
  out.record = state.config.record;
  order.endpoint = state.config.record;
  order.timeout = state.config.timeout;
  order.started_at = now.wall;
  return true;
}

void Core::ended(Ticket ticket, model::AttemptResult result, const Now& now) {
  Out out = take_out(ticket);
  LaneState& state = lane_of(out.record->id);
  finish(state, std::move(out), std::move(result), now);
  wake(state);
}

void Core::payload_gone(Ticket ticket, const Now& now) {
  const Out out = take_out(ticket);
  LaneState& state = lane_of(out.record->id);
  state.guard.settle(out.leave, {.outcome = policy::Outcome::our_fault()}, now.mono, random_);
  free_slot(state);
  end_unsent(state, out.waiting, policy::DeadReason::Cancelled, now);
  wake(state);
}

void Core::payload_damaged(Ticket ticket, const Now& now) {
  const Out out = take_out(ticket);
  LaneState& state = lane_of(out.record->id);
  state.guard.settle(out.leave, {.outcome = policy::Outcome::our_fault()}, now.mono, random_);
  free_slot(state);
  ++refused_;  // It stays in `busy`, so that no page brings it back.
  if (state.release) state.release->settled(out.waiting.delivery.key.message);
  suspect_ended(out.waiting.delivery.key, false);
  wake(state);
}

void Core::finish(LaneState& state, Out out, model::AttemptResult result, const Now& now) {
  policy::AttemptEnd end = attempt_end(result, out.started.wall, now.wall);
  if (out.is_early) end.early_for = out.waiting.delivery.due_at;
  const policy::Decision decision = decide_unheld(
      *state.config.policy, out.waiting.delivery.progress, end, state.config.held_total, random_);
  lane::Lane::AttemptReport report = report_of(decision, end, now);
  if (result.is_stale_connection) {
    report.outcome = policy::Outcome::our_fault();
    report.is_exhausted = false;  // Or it would count for the breaker after all.
  }
  state.guard.settle(out.leave, report, now.mono, random_);
  if (std::holds_alternative<policy::NotSpent>(decision.fate)) {
    return not_spent(state, std::move(out), result, now);
  }
  state.history.add({.is_retry = out.waiting.delivery.progress.attempts > 0,
                     .is_success = std::holds_alternative<policy::Delivered>(decision.fate),
                     .latency = now.mono - out.started.mono},
                    now.mono);
  if (state.guard.take_pause_wish()) pause(state, "over 100 permanent failures in a row", now);
  if (decision.pauses_endpoint) pause(state, why_paused(end), now);

  const AttemptContext context{.delivery = out.waiting.delivery,
                               .url = out.record->url,
                               .started_at = out.started.wall,
                               .ended_at = now.wall,
                               .retry_after = end.retry_after};
  model::Settlement settlement = settlement_of(context, decision, std::move(result), ids_);
  if (state.release) {
    note_released_attempt(state, out.waiting.delivery, settlement.delivery.state, now);
  }
  MonoTime due = now.mono + (settlement.delivery.due_at - end.ended_at);
  if (settlement.delivery.due_at == out.waiting.delivery.due_at) due = out.waiting.due;
  settle_later({.settlement = std::move(settlement),
                .due = std::max(due, now.mono),
                .keeps_lane = true,
                .holds_slot = true});
}

// A fault of ours: the delivery is where it was, and is tried again after a moment. If it was our
// resolver's, the whole lane waits for it, and a delivery's time to give up begins with the first
// such try: what our resolver never answers for ends some day.
void Core::not_spent(LaneState& state, Out out, const model::AttemptResult& result,
                     const Now& now) {
  state.no_hurry_before = now.mono + kOurFaultPause;
  const MonoTime due = std::max(out.waiting.due, state.no_hurry_before);
  if (!result.resolver_wait) {
    free_slot(state);
    return give_back(state, std::move(out.waiting), due);
  }
  const MonoTime again_at = now.mono + *result.resolver_wait;
  state.resolver_asked_again_at = std::max(state.resolver_asked_again_at, again_at);
  state.resolver_fault = result.error;
  const WallTime started_at = out.started.wall - state.config.held_total;
  auto begun = give_up_begun(out.waiting.delivery, *state.config.policy, started_at);
  if (!begun) {
    free_slot(state);
    return give_back(state, std::move(out.waiting), due);
  }
  settle_later({.settlement = *std::move(begun), .due = due, .holds_slot = true});
}

// A lane that is at ease is written when something has just ended its trouble, and now and then for
// its last success; any other with every settlement.
std::optional<std::string> Core::lane_to_keep(LaneState& state, const Now& now) {
  const bool is_at_ease = state.guard.is_at_ease(now.mono);
  const auto success = state.guard.breaker().last_success();
  const bool is_success_old =
      success && (!state.success_kept || *success - *state.success_kept >= kSuccessKeptEvery);
  if (is_at_ease && !state.is_kept && !is_success_old) return std::nullopt;
  return encoded(state, now);
}

std::string Core::encoded(LaneState& state, const Now& now) {
  state.is_kept = !state.guard.is_at_ease(now.mono);
  state.success_kept = state.guard.breaker().last_success();
  std::string bytes;
  if (state.is_kept || state.success_kept) {
    store::encode({state.guard.snapshot(now.mono), now.wall}, bytes);
  }
  return bytes;
}

std::string Core::keep_now(EndpointId endpoint, const Now& now) {
  return encoded(lane_of(endpoint), now);
}

void Core::not_kept(EndpointId endpoint) {
  const auto found = lanes_.find(endpoint);
  if (found != lanes_.end()) found->second->is_kept = true;
}

void Core::pause(LaneState& state, std::string why, const Now& now) {
  if (!state.config.settings.may_send) return;
  state.is_pause_wanted = true;
  state.config.settings.may_send = false;
  state.guard.configure(state.config.settings, now.mono);
  pauses_.push_back({state.config.endpoint, std::move(why)});
}

void Core::give_back(LaneState& state, Waiting waiting, MonoTime due) {
  suspect_ended(waiting.delivery.key, false);
  state.busy.erase(waiting.delivery.key.message);
  waiting.due = due;
  state.queue_of(waiting.delivery.state).add(std::move(waiting));
}

void Core::end_unsent(LaneState& state, const Waiting& waiting, policy::DeadReason reason,
                      const Now& now) {
  state.busy.insert(waiting.delivery.key.message);
  settle_later({.settlement = ending_of(waiting.delivery, reason, now.wall),
                .due = now.mono,
                .keeps_lane = true});
}

void Core::settle_later(Unsettled unsettled) {
  LaneState& state = lane_of(unsettled.settlement.delivery.key.endpoint);
  ++state.unsettled;
  if (!unsettled.holds_slot) {
    ++state.unsent;
    ++unsent_;
  }
  to_settle_.push_back(next_ticket_);
  unsettled_.emplace(next_ticket_++, std::move(unsettled));
}

void Core::settled(Ticket ticket, SettleAnswer answer, const Now& now) {
  const auto found = unsettled_.find(ticket);
  CHECK(found != unsettled_.end());
  // Unless it is on disk for certain, the lane may not have been written: the next settlement does.
  if (answer != SettleAnswer::Taken && found->second.keeps_lane) {
    lane_of(found->second.settlement.delivery.key.endpoint).is_kept = true;
  }
  if (answer == SettleAnswer::Away) {
    to_settle_.push_back(ticket);
    if (!store_retry_at_ || *store_retry_at_ <= now.mono) {
      store_backoff_ = store_backoff_ == Duration::zero()
                           ? kStoreBackoffFirst
                           : std::min(2 * store_backoff_, kStoreBackoffMax);
      store_retry_at_ = now.mono + store_backoff_;
    }
    return;
  }
  store_retry_at_.reset();
  store_backoff_ = Duration::zero();

  const Unsettled unsettled = std::move(unsettled_.extract(found).mapped());
  const model::Delivery& delivery = unsettled.settlement.delivery;
  LaneState& state = lane_of(delivery.key.endpoint);
  --state.unsettled;
  if (unsettled.holds_slot) {
    free_slot(state);
  } else {
    --state.unsent;
    --unsent_;
  }
  suspect_ended(delivery.key, unsettled.settlement.attempt || !delivery.is_live());
  const bool is_released_in_vain = tell_release(state, unsettled.settlement, answer);
  if (answer == SettleAnswer::Refused) {
    ++refused_;  // It stays in `busy`, so that no page brings it back.
    return wake(state);
  }
  state.busy.erase(delivery.key.message);
  if (answer == SettleAnswer::Superseded) return nudge(delivery.key.endpoint);
  for (DueQueue& queue : state.queues) queue.settled(delivery.key.message);
  if (is_released_in_vain) {
    reschedule(state, taken_back(delivery), now);
  } else if (delivery.is_live()) {
    state.queue_of(delivery.state)
        .add({.delivery = delivery, .payload = nullptr, .due = unsettled.due});
  }
  wake(state);
}

void Core::hand_out_settlements(const Now& now, Commands& commands) {
  if (store_retry_at_ && *store_retry_at_ > now.mono) return;
  for (const Ticket ticket : std::exchange(to_settle_, {})) {
    Unsettled& unsettled = unsettled_.at(ticket);
    // As the lane is now: one that is handed out again after the store was away must not put the
    // state of that time over a newer one.
    if (unsettled.keeps_lane) {
      LaneState& state = lane_of(unsettled.settlement.delivery.key.endpoint);
      unsettled.settlement.lane = lane_to_keep(state, now);
    }
    commands.settlements.push_back({ticket, unsettled.settlement});
  }
}

}  // namespace petrel::engine
