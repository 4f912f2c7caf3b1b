#include "engine/core.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/settling.h"
#include "policy/decision.h"

namespace petrel::engine {
namespace {

constexpr Duration kLoadPause = std::chrono::milliseconds(500);
constexpr Duration kLeastSleep = std::chrono::milliseconds(1);

// From when on a delivery that waits may be a probe. What its producer chose is never sent sooner;
// a receiver that asked to be left alone for a while is, but the backoff behind that does not
// count.
MonoTime may_hurry_at(const Waiting& waiting, const Now& now) {
  const model::Delivery& delivery = waiting.delivery;
  if (!delivery.is_scheduled) return now.mono;
  const bool is_wish = delivery.state == model::DeliveryState::Retrying && delivery.next &&
                       delivery.next->not_before;
  return is_wish ? std::min(waiting.due, now.mono_at(*delivery.next->not_before)) : waiting.due;
}

// Whether the connection broke under its last attempt, perhaps one that was used before: then the
// next one is not left to chance.
bool was_reset(const model::Delivery& delivery) {
  return policy::Outcome::from_code(delivery.last_outcome) ==
         policy::Outcome::failed(policy::FailureKind::Reset);
}

// From when on anything in memory may be a probe.
//
// REQUIRES: something is.
MonoTime first_hurry_at(const LaneState& state, const Now& now) {
  MonoTime first = MonoTime::max();
  for (const DueQueue& queue : state.queues) {
    for (const auto& [position, waiting] : queue.window()) {
      first = std::min(first, may_hurry_at(waiting, now));
    }
  }
  return std::max(first, state.no_hurry_before);
}

// Whether the store may hold something that is due and not in memory.
bool is_anything_unknown(const LaneState& state) {
  return std::any_of(state.queues.begin(), state.queues.end(),
                     [](const DueQueue& queue) { return queue.has_more() && !queue.first_due(); });
}

store::DueClass other(store::DueClass queue) {
  return queue == store::DueClass::Fresh ? store::DueClass::Retry : store::DueClass::Fresh;
}

}  // namespace

LaneState& Core::lane_of(EndpointId endpoint) {
  const auto found = lanes_.find(endpoint);
  CHECK(found != lanes_.end());
  return *found->second;
}

const LaneState* Core::lane(EndpointId endpoint) const {
  const auto found = lanes_.find(endpoint);
  return found == lanes_.end() ? nullptr : found->second.get();
}

CoreCounts Core::counts() const {
  return {.lanes = lanes_.size(),
          .authorities = authorities_.size(),
          .out = out_count_,
          .unsettled = unsettled_.size(),
          .refused = refused_,
          .is_store_away = store_retry_at_.has_value()};
}

void Core::configure(LaneConfig config, const Now& now) {
  std::unique_ptr<LaneState>& state = lanes_[config.endpoint];
  if (!state) {
    state = std::make_unique<LaneState>(std::move(config), now.mono);
    join_authority(*state);
    if (const auto kept = std::exchange(state->config.kept, std::nullopt)) {
      state->guard.restore(kept->snapshot, now.wall - kept->kept_at, now.mono);
      state->is_kept = true;
      state->success_kept = state->guard.breaker().last_success();
      if (!state->guard.is_at_ease(now.mono)) wake(*state);  // Its ramp may have to end.
    }
    return;
  }
  const bool has_moved = state->config.authority != config.authority;
  if (has_moved) leave_authority(*state);
  if (state->config.record->url != config.record->url) state->resolver_asked_again_at = {};
  // A change that was made before our own wish to pause got through must not undo it.
  if (!config.settings.may_send) state->is_pause_wanted = false;
  if (state->is_pause_wanted) config.settings.may_send = false;
  state->guard.configure(config.settings, now.mono);
  if (state->config.shared_rate != config.shared_rate) state->shared_place.reset();
  if (!state->config.has_rates_of(config)) ++state->start_edition;
  state->config = std::move(config);
  if (has_moved) join_authority(*state);
  wake(*state);
}

void Core::probe_now(EndpointId endpoint, const Now& now) {
  const auto found = lanes_.find(endpoint);
  if (found == lanes_.end()) return;
  found->second->guard.probe_now(now.mono);
  wake(*found->second);
}

void Core::close_circuit(EndpointId endpoint, const Now& now) {
  const auto found = lanes_.find(endpoint);
  if (found == lanes_.end()) return;
  found->second->guard.force_close(now.mono);
  wake(*found->second);
}

void Core::nudge(EndpointId endpoint) {
  LaneState& state = lane_of(endpoint);
  // They are read again with the others: the store may have them otherwise by now.
  for (const Waiting& waiting : state.apart) state.busy.erase(waiting.delivery.key.message);
  state.apart.clear();
  for (DueQueue& queue : state.queues) queue.expect_more();
  wake(state);
}

void Core::accepted(model::DueDelivery due, const Now& now) {
  LaneState& state = lane_of(due.delivery.key.endpoint);
  DueQueue& queue = state.queue_of(store::DueClass::Fresh);
  if (state.busy.contains(due.delivery.key.message)) return;
  const bool is_scheduled = due.delivery.is_scheduled;
  const WallTime due_at = due.delivery.due_at;
  queue.announce({.delivery = std::move(due.delivery),
                  .payload = lease(due.payload),
                  .due = is_scheduled ? now.mono_at(due_at) : now.mono,
                  .content_type = std::move(due.content_type)},
                 due.sequence);
  wake(state);
}

void Core::loaded(const store::DueQuery& query, const Result<store::DuePage>& page,
                  const Now& now) {
  LaneState& state = lane_of(query.endpoint);
  DueQueue& queue = state.queue_of(query.queue);
  if (!page.ok()) {
    queue.load_failed();
    const MonoTime again_at = now.mono + kLoadPause;
    if (!state.timer || *state.timer > again_at) set_timer(state, again_at);
    return;
  }
  queue.loaded(*page, now, [&](MessageId message) { return state.busy.contains(message); });
  wake(state);
}

Commands Core::step(const Now& now) {
  Commands commands;
  run_timers(now);
  do {
    run_ring(now, commands);
  } while (pass_on_slots());
  hand_out_settlements(now, commands);
  commands.pauses = std::exchange(pauses_, {});
  commands.freed = std::exchange(freed_, {});
  commands.suspects_ended = std::exchange(suspects_ended_, {});
  if (!timers_.empty()) commands.wake_at = timers_.begin()->first;
  // While the store has them all, its answer is what we wait for.
  const bool is_store_due = store_retry_at_ && !to_settle_.empty();
  if (is_store_due && (!commands.wake_at || *store_retry_at_ < *commands.wake_at)) {
    commands.wake_at = store_retry_at_;
  }
  return commands;
}

void Core::run_timers(const Now& now) {
  while (!timers_.empty() && timers_.begin()->first <= now.mono) {
    LaneState& state = lane_of(timers_.begin()->second);
    timers_.erase(timers_.begin());
    state.timer.reset();
    wake(state);
  }
}

bool Core::may_run() const {
  return unsent_ < kUnsentMax && !is_draining_ && !store_retry_at_.has_value();
}

void Core::run_ring(const Now& now, Commands& commands) {
  // A lane whose turn it is starts one attempt and goes to the end of the ring; one that cannot
  // start any leaves it, until something wakes it.
  while (!ring_.empty() && may_run()) {
    LaneState& state = lane_of(ring_.front());
    ring_.pop_front();
    state.is_in_ring = false;
    const Turn turn = start_one(state, now, commands);
    if (turn == Turn::Taken) {
      // Also now: where slots are scarce, a lane may never have a turn that it cannot use.
      hand_out_loads(state, commands);
      wake(state);
      continue;
    }
    if (turn == Turn::NotReady) {
      want_no_slot(state);
      plan_wake(state, now);
    }
    const auto rests_at_time = rests_at(state, now);
    if (rests_at_time && *rests_at_time <= now.mono) {
      leave(state, now, commands);
      continue;
    }
    const bool may_release = state.guard.has_outage() || state.release;
    if (may_release && !state.is_leaving) {
      run_release(state, now, commands);
      const bool is_through = !state.guard.has_outage() && !state.release;
      if (is_through) wake(state);  // Nothing but its release may have kept it here.
    }
    if (turn == Turn::NotReady) unpark_at(authorities_[state.config.authority]);
    hand_out_loads(state, commands);
  }
}

Core::Turn Core::start_one(LaneState& state, const Now& now, Commands& commands) {
  if (state.is_leaving) return Turn::NotReady;
  if (state.config.is_deleted) return cancel_one(state, now);
  if (state.resolver_asked_again_at > now.mono) return Turn::NotReady;
  if (has_suspects() || !state.apart.empty()) set_apart(state);
  const Candidate next = next_of(state, now);
  if (next.waiting == nullptr || !state.config.settings.may_send) return Turn::NotReady;

  if (has_expired(next.waiting->delivery, now.wall - state.config.held_total)) {
    if (must_end_later(state)) return Turn::Parked;
    state.guard.exhausted(now.mono, random_);
    end_unsent(state, take(state, next), policy::DeadReason::Expired, now);
    return Turn::Taken;
  }
  if (!is_guard_ready(state, now)) return Turn::NotReady;
  if (!may_join_wire(state)) return Turn::Parked;
  if (!may_take_slot(state)) {
    unpark_at(authorities_[state.config.authority]);  // The room there is another's.
    return Turn::Parked;
  }
  const bool may_go = may_go_by_shared_rate(state, now);
  const auto leave = may_go ? state.guard.try_start(now.mono) : std::nullopt;
  if (!leave) {
    free_slot(state);
    return Turn::NotReady;
  }
  if (next.queue == nullptr && !may_go_apart(next.waiting->delivery.key)) {
    state.guard.settle(*leave, {.outcome = policy::Outcome::our_fault()}, now.mono, random_);
    free_slot(state);
    return Turn::NotReady;
  }
  // Only now: one that was refused has not had its turn.
  if (next.queue != nullptr) state.next_turn = other(next.queue->queue());
  send(state, take(state, next), *leave, now, commands);
  return Turn::Taken;
}

// What goes next, if anything does. A circuit that may be probed does not wait until something is
// due: its probe is what is due, else the earliest that waits and may go. Its receiver may be well
// again long before the backoff of what failed is over.
Core::Candidate Core::next_of(LaneState& state, const Now& now) {
  const Waiting* const apart = first_apart(state);
  if (apart != nullptr && apart->due <= now.mono) return {nullptr, apart};
  DueQueue& first = state.queue_of(state.next_turn);
  DueQueue& second = state.queue_of(other(state.next_turn));
  for (DueQueue* const queue : {&first, &second}) {
    const auto due = queue->first_due();
    if (due && *due <= now.mono) return {queue, &queue->first()};
  }
  Candidate probe;
  const auto probe_at = state.guard.breaker().next_probe_at();
  if (!probe_at || std::max(*probe_at, state.no_hurry_before) > now.mono) return probe;
  for (DueQueue* const queue : {&first, &second}) {
    for (const auto& [position, waiting] : queue->window()) {
      const bool is_sooner = probe.waiting == nullptr || waiting.due < probe.waiting->due;
      if (is_sooner && may_hurry_at(waiting, now) <= now.mono) probe = {queue, &waiting};
    }
  }
  return probe;
}

// So much of it is on its way to the store already; what comes from there brings the lane back.
bool Core::must_end_later(LaneState& state) {
  if (state.unsent < kUnsentPerLane) return false;
  unpark_at(authorities_[state.config.authority]);  // It may have been woken for room there.
  want_no_slot(state);
  return true;
}

// One after the other.
Core::Turn Core::cancel_one(LaneState& state, const Now& now) {
  if (must_end_later(state)) return Turn::Parked;
  put_back(state, true);
  for (DueQueue& queue : state.queues) {
    if (!queue.first_due()) continue;
    end_unsent(state, queue.take(queue.first()), policy::DeadReason::Cancelled, now);
    return Turn::Taken;
  }
  return Turn::NotReady;
}

void Core::send(LaneState& state, Waiting waiting, const lane::Lane::Ticket& leave, const Now& now,
                Commands& commands) {
  ++out_count_;
  Authority& authority = authorities_[state.config.authority];
  ++authority.out;
  if (state.out_here++ == 0) ++authority.firsts;
  state.out_since.push_back(now.mono);
  // A second attempt beside the first would be a second request for the same.
  CHECK(state.busy.insert(waiting.delivery.key.message).second);
  const bool is_early = waiting.due > now.mono;
  // A probe over a connection that had gone stale would say nothing of the receiver.
  const bool is_probe = state.guard.breaker().state() != lane::CircuitBreaker::State::Closed;
  const Ticket ticket = next_ticket_++;
  commands.sends.push_back({.ticket = ticket,
                            .order = {.delivery = waiting.delivery.key,
                                      .endpoint = state.config.record,
                                      .payload = waiting.payload,
                                      .started_at = now.wall,
                                      .timeout = state.config.timeout,
                                      .content_type = waiting.content_type,
                                      .dials_anew = is_probe || was_reset(waiting.delivery)},
                            .is_probe = is_probe});
  out_.emplace(ticket, Out{.record = state.config.record,
                           .authority = state.config.authority,
                           .waiting = std::move(waiting),
                           .leave = leave,
                           .started = now,
                           .is_early = is_early,
                           .start_edition = state.start_edition});
}

void Core::wake(LaneState& state) {
  if (state.is_in_ring) return;
  state.is_in_ring = true;
  ring_.push_back(state.config.endpoint);
}

void Core::set_timer(LaneState& state, std::optional<MonoTime> at) {
  if (state.timer == at) return;
  if (state.timer) timers_.erase({*state.timer, state.config.endpoint});
  state.timer = at;
  if (at) timers_.insert({*at, state.config.endpoint});
}

void Core::plan_wake(LaneState& state, const Now& now) {
  std::optional<MonoTime> due;
  for (const DueQueue& queue : state.queues) {
    const auto first = queue.first_due();
    if (first && (!due || *first < *due)) due = first;
  }
  const Waiting* const apart = first_apart(state);
  if (apart != nullptr && (!due || apart->due < *due)) due = apart->due;
  if (state.guard.ramp_step_ends_at()) {
    state.guard.pass(now.mono, (due && *due <= now.mono) || is_anything_unknown(state));
  }
  std::optional<MonoTime> wake_at;
  const auto free_at = state.guard.next_at(now.mono);
  if (due && free_at) {
    if (state.guard.breaker().next_probe_at()) due = std::min(*due, first_hurry_at(state, now));
    // A ramp is asked when something is due, and not when it has a token again: it has to know what
    // it keeps waiting.
    const bool is_asked_when_due = *due > now.mono && state.guard.ramp_step_ends_at();
    wake_at = std::max({*due, is_asked_when_due ? now.mono : *free_at,
                        state.shared_place ? state.shared_place->at : now.mono,
                        state.resolver_asked_again_at, now.mono + kLeastSleep});
  }
  // The end of a ramp is acted on, whether there is anything to send or not.
  if (const auto step_ends_at = state.guard.ramp_step_ends_at()) {
    const MonoTime judged_at = std::max(*step_ends_at, now.mono + kLeastSleep);
    wake_at = std::min(wake_at.value_or(judged_at), judged_at);
  }
  if (const auto at = rests_at(state, now)) {
    const MonoTime looked_at = std::max(*at, now.mono + kLeastSleep);
    wake_at = std::min(wake_at.value_or(looked_at), looked_at);
  }
  set_timer(state, wake_at);
}

void Core::hand_out_loads(LaneState& state, Commands& commands) {
  if (state.is_leaving) return;
  if (!state.config.settings.may_send && !state.config.is_deleted) return;
  for (DueQueue& queue : state.queues) {
    if (auto query = queue.take_query(state.config.endpoint)) {
      commands.loads.push_back(*std::move(query));
    }
  }
}

model::Payload Core::lease(const model::Payload& payload) {
  if (!payload || *payload_bytes_ + payload->size() > settings_.payload_bytes_max) return nullptr;
  *payload_bytes_ += payload->size();
  return {payload.get(),
          [payload, count = payload_bytes_](const std::string*) { *count -= payload->size(); }};
}

}  // namespace petrel::engine
