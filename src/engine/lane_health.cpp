#include "engine/lane_health.h"

#include <fmt/format.h>

#include "base/duration_text.h"

namespace petrel::engine {
namespace {

// What the wall clock shows at a moment, if it goes on as it is.
WallTime wall_at(MonoTime moment, const Now& now) { return now.wall + (moment - now.mono); }

std::optional<WallTime> wall_at(std::optional<MonoTime> moment, const Now& now) {
  if (!moment) return std::nullopt;
  return wall_at(*moment, now);
}

// What the lane shares with others, and none of its own guards.
std::string waits_for_room(const LaneState& state) {
  if (state.parked_at_authority) {
    return fmt::format("the endpoints at {} have as many requests in flight as they may together",
                       state.config.authority);
  }
  return state.slot_place ? "a slot: the server has as many requests in flight as it may" : "";
}

}  // namespace

LaneHealth health_of(const LaneState& state, const Now& now) {
  const lane::Lane& guard = state.guard;
  LaneHealth health;
  health.circuit = {.state = guard.breaker().state(),
                    .since = wall_at(guard.breaker().since(), now),
                    .why = guard.breaker().why(),
                    .next_probe_at = wall_at(guard.breaker().next_probe_at(), now)};
  health.in_flight = guard.in_flight();
  health.in_flight_limit = guard.limit().limit();
  health.in_flight_max = guard.limit().max();
  health.throttle_rate = state.config.settings.throttle_rate;
  if (guard.ramp().is_active(now.mono)) {
    health.ramp = {guard.ramp().rate(now.mono), guard.ramp().in_flight_max(now.mono)};
  }
  health.held_until = wall_at(guard.hold().until(now.mono), now);
  health.waits_for = guard.explain(now.mono);
  if (const Duration wait = state.resolver_asked_again_at - now.mono;
      health.waits_for.empty() && wait > Duration::zero()) {
    health.waits_for = fmt::format("{}; next try in {}", state.resolver_fault,
                                   to_words(std::chrono::ceil<std::chrono::seconds>(wait)));
  }
  if (health.waits_for.empty()) health.waits_for = waits_for_room(state);
  health.history = state.history.figures(now.mono);
  return health;
}

std::optional<OpenCircuit> open_circuit_of(const LaneState& state, const Now& now) {
  const lane::CircuitBreaker& breaker = state.guard.breaker();
  if (breaker.state() == lane::CircuitBreaker::State::Closed) return std::nullopt;
  return OpenCircuit{std::string(breaker.why()), wall_at(breaker.next_probe_at(), now)};
}

}  // namespace petrel::engine
