// How an endpoint does, and what an operator can do about it.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "api/http/call.h"
#include "api/http/change_call.h"
#include "api/http/route_table.h"
#include "api/json/endpoint.h"
#include "api/json/fields.h"
#include "api/json/health.h"
#include "api/routes/endpoint_edit.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

constexpr std::size_t kReasonBytesMax = 256;

// When the older of the two queues' first ones was accepted. What waits for a retry is in the order
// of its retries, so a later one may be older still.
std::optional<WallTime> oldest_of(const std::vector<model::Delivery>& first) {
  std::optional<WallTime> oldest;
  for (const model::Delivery& delivery : first) {
    const WallTime accepted_at = delivery.key.message.time();
    if (!oldest || accepted_at < *oldest) oldest = accepted_at;
  }
  return oldest;
}

void show(const CallPtr& call, const store::EndpointPtr& endpoint, const engine::LaneHealth& lane) {
  call->browse([endpoint, lane, now = call->services().clock.wall()](
                   store::Browse& browse) -> Result<net::HttpResponse> {
    ASSIGN_OR_RETURN(const store::EndpointTally tally, browse.tally(endpoint->id));
    ASSIGN_OR_RETURN(const std::vector<model::Delivery> first, browse.first_waiting(endpoint->id));
    return json_body(200, [&](JsonWriter& json) {
      write_health({*endpoint, lane, tally, oldest_of(first), now}, json);
    });
  });
}

Status health(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  call->services().lanes.health(
      endpoint->id, [call, endpoint](Result<engine::LaneHealth> lane) mutable {
        call->services().loop.post([call, endpoint, lane = std::move(lane)] {
          if (!lane.ok()) return call->answer(lane.error());
          show(call, endpoint, *lane);
        });
      });
  return Done{};
}

net::HttpResponse shown(const model::Endpoint& endpoint) {
  return json_body(200, [&](JsonWriter& json) { write_endpoint(endpoint, json); });
}

Result<std::string> read_reason(Call& call) {
  std::string reason = "by a person";
  if (call.request.body.empty()) return reason;
  ASSIGN_OR_RETURN(const JsonValue body, call.json());
  ASSIGN_OR_RETURN(const Fields fields, under("body", Fields::of(body)));
  TRY(under("body", take(fields, "reason", reason, TextReading{.bytes_max = kReasonBytesMax})));
  return reason;
}

Status pause(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  ASSIGN_OR_RETURN(const std::string reason, read_reason(*call));
  const WallTime now = call->services().clock.wall();
  change(call, [call, id = endpoint->id, why = reason, now] {
    return endpoint_edit(
        *call, id,
        [why, now](model::Endpoint& edited) {
          if (!edited.pause) edited.pause = model::Pause{now, why};
          return Status(Done{});
        },
        shown);
  });
  return Done{};
}

Status resume(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  change(call, [call, id = endpoint->id] {
    return endpoint_edit(
        *call, id,
        [](model::Endpoint& edited) {
          edited.pause.reset();
          return Status(Done{});
        },
        shown);
  });
  return Done{};
}

// Answered when the lane has heard of it; health shows what came of it.
Status tell_lane(const CallPtr& call, node::LaneOrder order) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  call->services().lanes.order(endpoint->id, order, [call](const Status& status) {
    call->services().loop.post([call, status] {
      if (!status.ok()) return call->answer(status.error());
      call->answer(json_response(202, "{}"));
    });
  });
  return Done{};
}

}  // namespace

std::vector<Route> control_routes() {
  using enum Capability;
  constexpr std::string_view kHealth = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/health";
  constexpr std::string_view kPause = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/pause";
  constexpr std::string_view kResume = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/resume";
  constexpr std::string_view kProbe = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/circuit/probe";
  constexpr std::string_view kClose = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/circuit/close";
  RouteTable table("Endpoint");
  table.add("GET", kHealth, {ViewBase, health},
            {"v1.endpoint.get-health", "See how an endpoint does right now"},
            {.response = "EndpointHealthOut"});
  table.add("POST", kPause, {ManageEndpoint, pause},
            {"v1.endpoint.pause", "Pause an endpoint: its deliveries are kept"},
            {.request = "EndpointPauseIn", .response = "EndpointOut"});
  table.add("POST", kResume, {ManageEndpoint, resume},
            {"v1.endpoint.resume", "Resume a paused endpoint, gently"},
            {.response = "EndpointOut"});
  table.add(
      "POST", kProbe,
      {ManageEndpoint, [](const CallPtr& call) { return tell_lane(call, node::LaneOrder::Probe); }},
      {"v1.endpoint.probe-circuit", "Try an endpoint now that has an open circuit"},
      {.status = 202, .response = "EmptyResponse"});
  table.add(
      "POST", kClose,
      {ManageEndpoint, [](const CallPtr& call) { return tell_lane(call, node::LaneOrder::Close); }},
      {"v1.endpoint.close-circuit", "Close the circuit of an endpoint"},
      {.status = 202, .response = "EmptyResponse"});
  return table.take();
}

}  // namespace petrel::api
