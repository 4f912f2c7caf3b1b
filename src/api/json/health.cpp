#include "api/json/health.h"

#include <array>
#include <chrono>

#include "base/rfc3339.h"
#include "policy/decision.h"

namespace petrel::api {
namespace {

using State = lane::CircuitBreaker::State;
using policy::DeadReason;

constexpr std::array kReasons = {DeadReason::Permanent, DeadReason::Exhausted, DeadReason::Expired,
                                 DeadReason::Gone,      DeadReason::Cancelled, DeadReason::Blocked};

std::string_view word_for(State state) {
  switch (state) {
    case State::Closed:
      return "closed";
    case State::Open:
      return "open";
    case State::HalfOpen:
      return "half_open";
  }
  return "closed";
}

std::int64_t number(std::uint64_t count) { return static_cast<std::int64_t>(count); }

void write_moment(std::string_view name, const std::optional<WallTime>& moment, JsonWriter& json) {
  json.key(name);
  if (moment) {
    json.value(to_rfc3339(*moment));
  } else {
    json.null();
  }
}

void write_text(std::string_view name, const std::string& text, JsonWriter& json) {
  json.key(name);
  if (text.empty()) {
    json.null();
  } else {
    json.value(text);
  }
}

void write_circuit(const engine::LaneHealth::Circuit& circuit, JsonWriter& json) {
  json.key("circuit").begin_object().field("state", word_for(circuit.state));
  json.field("since", to_rfc3339(circuit.since));
  write_text("why", circuit.why, json);
  write_moment("nextProbeAt", circuit.next_probe_at, json);
  json.end_object();
}

void write_ramp(const std::optional<engine::LaneHealth::Ramp>& ramp, JsonWriter& json) {
  json.key("ramp");
  if (!ramp) {
    json.null();
    return;
  }
  const double seconds = std::chrono::duration<double>(ramp->rate.period()).count();
  json.begin_object().field("ratePerSecond", static_cast<double>(ramp->rate.count()) / seconds);
  json.field("inFlightLimit", ramp->in_flight_max).end_object();
}

void write_dead(const store::EndpointTally& tally, JsonWriter& json) {
  json.key("deadLetters").begin_object().field("total", number(tally.dead_total()));
  json.key("byReason").begin_object();
  for (const DeadReason reason : kReasons) {
    json.field(to_string(reason), number(tally.dead_of(reason)));
  }
  json.end_object().end_object();
}

void write_latency(std::string_view name, const std::optional<Duration>& latency,
                   JsonWriter& json) {
  json.key(name);
  if (latency) {
    json.value(std::chrono::duration<double, std::milli>(*latency).count());
  } else {
    json.null();
  }
}

void write_history(const engine::AttemptHistory::Figures& history, JsonWriter& json) {
  json.field("retryRatio15m", history.retry_ratio).field("attempts1h", number(history.attempts));
  json.key("successRate1h");
  if (history.attempts == 0) {
    json.null();
  } else {
    json.value(static_cast<double>(history.successes) / static_cast<double>(history.attempts));
  }
  json.key("latencyMs1h").begin_object();
  write_latency("p50", history.latency_p50, json);
  write_latency("p95", history.latency_p95, json);
  write_latency("p99", history.latency_p99, json);
  json.end_object();
}

}  // namespace

void write_health(const HealthView& view, JsonWriter& json) {
  json.begin_object();
  write_circuit(view.lane.circuit, json);
  json.field("inFlight", view.lane.in_flight).field("inFlightLimit", view.lane.in_flight_limit);
  json.field("maxInFlight", view.lane.in_flight_max);
  json.key("throttleRate");
  if (view.lane.throttle_rate) {
    json.value(*view.lane.throttle_rate);
  } else {
    json.null();
  }
  write_ramp(view.lane.ramp, json);
  write_moment("heldUntil", view.lane.held_until, json);
  json.field("paused", view.endpoint.pause.has_value());
  json.field("disabled", view.endpoint.is_disabled);
  write_text("waitsFor", view.lane.waits_for, json);
  json.key("queue").begin_object().field("fresh", number(view.tally.live_fresh));
  json.field("retrying", number(view.tally.live_retry)).end_object();
  write_moment("oldestAt", view.oldest_at, json);
  write_dead(view.tally, json);
  write_history(view.lane.history, json);
  json.end_object();
}

}  // namespace petrel::api
