#include "node/shard_survey.h"

#include <utility>

namespace petrel::node {
namespace {

// While lanes are looked at, so many times the wanted number is kept before it is cut.
constexpr std::size_t kFailingSlack = 64;

// The window is in the order of due times.
std::optional<WallTime> first_due_of(const engine::LaneState& lane) {
  std::optional<WallTime> first;
  for (const engine::DueQueue& queue : lane.queues) {
    if (queue.size() == 0) continue;
    first = earlier(first, queue.window().begin()->second.delivery.due_at);
  }
  return first;
}

}  // namespace

ShardSurvey::ShardSurvey(const Parts& parts) : parts_(parts), timer_(parts.loop.make_timer()) {}

void ShardSurvey::touch() {
  is_touched_ = true;
  if (!is_timer_set_) set_timer(kEvery);
}

void ShardSurvey::set_timer(Duration in) {
  is_timer_set_ = true;
  timer_->set(parts_.clock.mono() + in, [this] { look(); });
}

void ShardSurvey::look() {
  is_timer_set_ = false;
  if (!at_) {
    is_touched_ = false;
    found_ = {};
  }
  std::optional<Place> lane = next();
  for (std::size_t i = 0; lane && i < kLanesAtOnce; ++i, lane = next()) {
    at_ = lane;
    look_at(lane->second);
  }
  if (lane) return set_timer(kPause);
  finish();
}

void ShardSurvey::finish() {
  at_.reset();
  found_.keep_most_failing(parts_.failing_max);
  found_.in_flight = parts_.core.counts().out;
  parts_.board.say(parts_.shard, std::exchange(found_, {}));
  if (is_touched_) set_timer(kEvery);
}

// Lanes come and go between two looks, so the place is found anew by its names.
std::optional<ShardSurvey::Place> ShardSurvey::next() const {
  const LanesOf& lanes = parts_.lanes;
  auto tenant = at_ ? lanes.lower_bound(at_->first) : lanes.begin();
  for (; tenant != lanes.end(); ++tenant) {
    const bool is_within = at_ && tenant->first == at_->first;
    const auto lane = is_within ? tenant->second.upper_bound(at_->second) : tenant->second.begin();
    if (lane != tenant->second.end()) return Place(tenant->first, *lane);
  }
  return std::nullopt;
}

void ShardSurvey::look_at(EndpointId endpoint) {
  using State = lane::CircuitBreaker::State;
  const engine::LaneState* const lane = parts_.core.lane(endpoint);
  if (lane == nullptr) return;
  ++found_.lanes;
  const State state = lane->guard.breaker().state();
  if (state == State::Open) ++found_.circuits_open;
  if (state == State::HalfOpen) ++found_.circuits_half_open;
  if (lane->config.settings.may_send) {
    auto& first = state == State::Closed ? found_.first_due : found_.first_due_behind_circuit;
    first = earlier(first, first_due_of(*lane));
  }
  const std::uint64_t failures = lane->history.failures(parts_.clock.mono());
  if (failures == 0) return;
  found_.failures += failures;
  found_.failing.push_back({endpoint, failures});
  if (found_.failing.size() > 2 * parts_.failing_max + kFailingSlack) {
    found_.keep_most_failing(parts_.failing_max);
  }
}

}  // namespace petrel::node
