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
    const Result<store::EndpointTally> tally = browse.tally(endpoint->id);
    if (!tally.ok()) return tally.error();
    const Result<std::vector<model::Delivery>> first = browse.first_waiting(endpoint->id);
    if (!first.ok()) return first.error();
    return json_body(200, [&](JsonWriter& json) {
      write_health({*endpoint, lane, *tally, oldest_of(*first), now}, json);
    });
  });
}

void health(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(no_such_endpoint());
  call->services().lanes.health(
      endpoint->id, [call, endpoint](Result<engine::LaneHealth> lane) mutable {
        call->services().loop.post([call, endpoint, lane = std::move(lane)] {
          if (!lane.ok()) return call->answer(lane.error());
          show(call, endpoint, *lane);
        });
      });
}

net::HttpResponse shown(const model::Endpoint& endpoint) {
  return json_body(200, [&](JsonWriter& json) { write_endpoint(endpoint, json); });
}

Result<std::string> read_reason(Call& call) {
  std::string reason = "by a person";
  if (call.request.body.empty()) return reason;
  const Result<JsonValue> body = call.json();
  if (!body.ok()) return body.error();
  const Result<Fields> fields = Fields::of(*body);
  if (!fields.ok()) return fields.error().under("body");
  const Status status = take(*fields, "reason", reason, TextReading{.bytes_max = kReasonBytesMax});
  if (!status.ok()) return status.error().under("body");
  return reason;
}

void pause(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(no_such_endpoint());
  const Result<std::string> reason = read_reason(*call);
  if (!reason.ok()) return call->answer(reason.error());
  const WallTime now = call->services().clock.wall();
  change(call, [call, id = endpoint->id, why = *reason, now] {
    return endpoint_edit(
        *call, id,
        [why, now](model::Endpoint& edited) {
          if (!edited.pause) edited.pause = model::Pause{now, why};
          return Status(Done{});
        },
        shown);
  });
}

void resume(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(no_such_endpoint());
  change(call, [call, id = endpoint->id] {
    return endpoint_edit(
        *call, id,
        [](model::Endpoint& edited) {
          edited.pause.reset();
          return Status(Done{});
        },
        shown);
  });
}

// Answered when the lane has heard of it; health shows what came of it.
void tell_lane(const CallPtr& call, node::LaneOrder order) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(no_such_endpoint());
  call->services().lanes.order(endpoint->id, order, [call](const Status& status) {
    call->services().loop.post([call, status] {
      if (!status.ok()) return call->answer(status.error());
      call->answer(json_response(202, "{}"));
    });
  });
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
  table.add("POST", kProbe,
            {ManageEndpoint, [](const CallPtr& call) { tell_lane(call, node::LaneOrder::Probe); }},
            {"v1.endpoint.probe-circuit", "Try an endpoint now that has an open circuit"},
            {.status = 202, .response = "EmptyResponse"});
  table.add("POST", kClose,
            {ManageEndpoint, [](const CallPtr& call) { tell_lane(call, node::LaneOrder::Close); }},
            {"v1.endpoint.close-circuit", "Close the circuit of an endpoint"},
            {.status = 202, .response = "EmptyResponse"});
  return table.take();
}

}  // namespace petrel::api
