#include "engine/core.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/settling.h"
#include "policy/decision.h"

namespace petrel::engine {
namespace {

// A lane whose oldest request has had no answer for this long is in trouble.
constexpr Duration kAnswerPatience = std::chrono::seconds(2);

// A fault of ours costs the delivery nothing, but trying again at once would spin on it.
constexpr Duration kOurFaultPause = std::chrono::seconds(1);
constexpr Duration kLoadPause = std::chrono::milliseconds(500);
constexpr Duration kLeastSleep = std::chrono::milliseconds(1);

constexpr Duration kStoreBackoffFirst = std::chrono::milliseconds(50);
constexpr Duration kStoreBackoffMax = std::chrono::seconds(1);

store::DueClass other(store::DueClass queue) {
  return queue == store::DueClass::Fresh ? store::DueClass::Retry : store::DueClass::Fresh;
}

}  // namespace

Core::Core(CoreSettings settings, SecureRandom& secure_random, std::uint64_t seed)
    : settings_(settings), ids_(secure_random), random_(seed) {}

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
          .out = out_count_,
          .unsettled = unsettled_.size(),
          .is_store_away = store_retry_at_.has_value()};
}

void Core::configure(LaneConfig config, const Now& now) {
  Authority& authority = authorities_[config.authority];
  authority.cap =
      std::max({authority.cap, settings_.in_flight_per_authority, config.settings.in_flight_max});
  std::unique_ptr<LaneState>& state = lanes_[config.endpoint];
  if (!state) {
    state = std::make_unique<LaneState>(std::move(config), now.mono);
    return;
  }
  if (state->config.authority != config.authority) leave_authority(*state);
  state->guard.configure(config.settings, now.mono);
  state->config = std::move(config);
  wake(*state);
}

void Core::nudge(EndpointId endpoint) {
  LaneState& state = lane_of(endpoint);
  for (DueQueue& queue : state.queues) queue.expect_more();
  wake(state);
}

void Core::accepted(model::DueDelivery due, const Now& now) {
  LaneState& state = lane_of(due.delivery.key.endpoint);
  DueQueue& queue = state.queue_of(store::DueClass::Fresh);
  if (state.busy.contains(due.delivery.key.message)) return;
  queue.announce({.delivery = std::move(due.delivery),
                  .payload = lease(due.payload),
                  .due = now.mono,
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

void Core::ended(Ticket ticket, model::AttemptResult result, const Now& now) {
  auto node = out_.extract(ticket);
  CHECK(!node.empty());
  Out out = std::move(node.mapped());
  LaneState& state = lane_of(out.endpoint);
  free_slot(state, out);
  finish(state, std::move(out), std::move(result), now);
  wake(state);
}

void Core::finish(LaneState& state, Out out, model::AttemptResult result, const Now& now) {
  const policy::AttemptEnd end = attempt_end(result, out.started.wall, now.wall);
  const policy::Decision decision =
      policy::decide(*state.config.policy, out.waiting.delivery.progress, end, random_);
  state.guard.settle(out.leave, news_of(decision, end, now), now.mono, random_);
  if (std::holds_alternative<policy::NotSpent>(decision.fate)) {
    return give_back(state, std::move(out.waiting), now);
  }
  const bool is_pause_due = state.guard.take_pause_wish() || decision.pauses_endpoint;
  if (is_pause_due && state.config.settings.may_send) {
    state.config.settings.may_send = false;
    state.guard.configure(state.config.settings, now.mono);
    pauses_.push_back({state.config.endpoint, decision.pauses_endpoint
                                                  ? "the receiver answered " + end.outcome.text()
                                                  : "over 100 permanent failures in a row"});
  }

  MonoTime due = now.mono;
  if (const auto* again = std::get_if<policy::TryAgain>(&decision.fate)) {
    due = now.mono + (again->at - end.ended_at);
  }
  const AttemptContext context{.delivery = out.waiting.delivery,
                               .url = state.config.url,
                               .started_at = out.started.wall,
                               .ended_at = now.wall};
  settle_later(settlement_of(context, decision, std::move(result), ids_), due);
}

void Core::give_back(LaneState& state, Waiting waiting, const Now& now) {
  state.busy.erase(waiting.delivery.key.message);
  waiting.due = now.mono + kOurFaultPause;
  state.queue_of(waiting.delivery.state).add(std::move(waiting));
}

void Core::expire(LaneState& state, const Waiting& waiting, const Now& now) {
  state.busy.insert(waiting.delivery.key.message);
  state.guard.exhausted(now.mono, random_);
  settle_later(expiry_of(waiting.delivery, now.wall), now.mono);
}

void Core::settle_later(model::Settlement settlement, MonoTime due) {
  to_settle_.push_back(next_ticket_);
  unsettled_.emplace(next_ticket_++, Unsettled{.settlement = std::move(settlement), .due = due});
}

void Core::settled(Ticket ticket, bool is_taken, const Now& now) {
  const auto found = unsettled_.find(ticket);
  CHECK(found != unsettled_.end());
  if (!is_taken) {
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
  state.busy.erase(delivery.key.message);
  for (DueQueue& queue : state.queues) queue.settled(delivery.key.message);
  if (delivery.is_live()) {
    state.queue_of(delivery.state)
        .add({.delivery = delivery, .payload = nullptr, .due = unsettled.due});
  }
  wake(state);
}

Commands Core::step(const Now& now) {
  Commands commands;
  run_timers(now);
  run_ring(now, commands);
  hand_out_settlements(now, commands);
  commands.pauses = std::exchange(pauses_, {});
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

// An outcome that is not on disk yet takes up a slot too: a crash would repeat its attempt.
bool Core::has_free_slot() const {
  return out_count_ + static_cast<int>(unsettled_.size()) < settings_.slots;
}

void Core::run_ring(const Now& now, Commands& commands) {
  // A lane whose turn it is starts one attempt and goes to the end of the ring; one that cannot
  // start any leaves it, until something wakes it.
  while (!ring_.empty() && has_free_slot() && !is_draining_ && !store_retry_at_) {
    LaneState& state = lane_of(ring_.front());
    ring_.pop_front();
    state.is_in_ring = false;
    const Turn turn = start_one(state, now, commands);
    if (turn == Turn::Taken) {
      wake(state);
      continue;
    }
    if (turn == Turn::NotReady) {
      plan_wake(state, now);
      unpark_one(authorities_[state.config.authority]);
    }
    hand_out_loads(state, commands);
  }
}

Core::Turn Core::start_one(LaneState& state, const Now& now, Commands& commands) {
  const auto is_due = [&](store::DueClass queue) {
    const auto due = state.queue_of(queue).first_due();
    return due && *due <= now.mono;
  };
  const store::DueClass turn = is_due(state.next_turn) ? state.next_turn : other(state.next_turn);
  if (!is_due(turn) || !state.config.settings.may_send) return Turn::NotReady;

  DueQueue& chosen = state.queue_of(turn);
  if (has_expired(chosen.first().delivery, now.wall)) {
    expire(state, chosen.take(), now);
    return Turn::Taken;
  }
  if (!may_take_slot(state, now)) return Turn::Parked;
  const auto leave = state.guard.try_start(now.mono);
  if (!leave) return Turn::NotReady;
  state.next_turn = other(turn);  // Only now: one that was refused has not had its turn.
  send(state, chosen.take(), *leave, now, commands);
  return Turn::Taken;
}

void Core::send(LaneState& state, Waiting waiting, const lane::Lane::Ticket& leave, const Now& now,
                Commands& commands) {
  ++out_count_;
  ++authorities_[state.config.authority].out;
  state.out_since.push_back(now.mono);
  state.busy.insert(waiting.delivery.key.message);
  const Ticket ticket = next_ticket_++;
  commands.sends.push_back({.ticket = ticket,
                            .order = {.delivery = waiting.delivery.key,
                                      .payload = waiting.payload,
                                      .started_at = now.wall,
                                      .timeout = state.config.timeout,
                                      .content_type = waiting.content_type}});
  out_.emplace(ticket, Out{.endpoint = state.config.endpoint,
                           .authority = state.config.authority,
                           .waiting = std::move(waiting),
                           .leave = leave,
                           .started = now});
}

void Core::free_slot(LaneState& state, const Out& out) {
  --out_count_;
  const auto since = std::find(state.out_since.begin(), state.out_since.end(), out.started.mono);
  CHECK(since != state.out_since.end());
  *since = state.out_since.back();
  state.out_since.pop_back();

  Authority& authority = authorities_[out.authority];
  --authority.out;
  unpark_one(authority);
}

// Lets a lane try again that a shared limit had refused. If it turns out to have no use for the
// room, it comes by here itself and lets in the next.
void Core::unpark_one(Authority& authority) {
  unpark_at(authority);
  unpark_first(troubled_parked_, &LaneState::is_parked_in_trouble);
}

void Core::unpark_at(Authority& authority) {
  if (authority.out >= authority.cap) return;
  unpark_first(authority.parked, &LaneState::is_parked_at_authority);
}

void Core::unpark_first(std::deque<EndpointId>& parked, bool LaneState::*is_parked) {
  if (parked.empty()) return;
  LaneState& state = lane_of(parked.front());
  parked.pop_front();
  state.*is_parked = false;
  wake(state);
}

void Core::leave_authority(LaneState& state) {
  if (!std::exchange(state.is_parked_at_authority, false)) return;
  std::erase(authorities_[state.config.authority].parked, state.config.endpoint);
}

bool Core::is_troubled(const LaneState& state, const Now& now) const {
  if (state.guard.is_troubled(now.mono)) return true;
  return std::any_of(state.out_since.begin(), state.out_since.end(),
                     [&](MonoTime since) { return now.mono - since >= kAnswerPatience; });
}

// Whether the limits that lanes share leave room for one more. If not, the lane is woken when there
// may be.
bool Core::may_take_slot(LaneState& state, const Now& now) {
  Authority& authority = authorities_[state.config.authority];
  if (authority.out >= authority.cap) {
    if (!std::exchange(state.is_parked_at_authority, true)) {
      authority.parked.push_back(state.config.endpoint);
    }
    return false;
  }
  // Only when half of the slots are taken at all can lanes in trouble have taken half of them.
  const int half = std::max(settings_.slots / 2, 1);
  if (out_count_ < half || !is_troubled(state, now)) return true;
  int troubled = 0;
  for (const auto& [endpoint, other_lane] : lanes_) {
    if (!other_lane->out_since.empty() && is_troubled(*other_lane, now)) {
      troubled += static_cast<int>(other_lane->out_since.size());
    }
  }
  if (troubled < half) return true;
  if (!std::exchange(state.is_parked_in_trouble, true)) {
    troubled_parked_.push_back(state.config.endpoint);
  }
  unpark_at(authority);  // The room there is somebody else's, who may not be in trouble.
  return false;
}

void Core::wake(LaneState& state) {
  if (state.is_in_ring) return;
  state.is_in_ring = true;
  ring_.push_back(state.config.endpoint);
}

void Core::set_timer(LaneState& state, std::optional<MonoTime> at) {
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
  const auto free_at = state.guard.next_at(now.mono);
  if (!due || !free_at) return set_timer(state, std::nullopt);
  set_timer(state, std::max({*due, *free_at, now.mono + kLeastSleep}));
}

void Core::hand_out_settlements(const Now& now, Commands& commands) {
  if (store_retry_at_ && *store_retry_at_ > now.mono) return;
  for (const Ticket ticket : std::exchange(to_settle_, {})) {
    commands.settlements.push_back({ticket, unsettled_.at(ticket).settlement});
  }
}

void Core::hand_out_loads(LaneState& state, Commands& commands) {
  if (!state.config.settings.may_send) return;
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
