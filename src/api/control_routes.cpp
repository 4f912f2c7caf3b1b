// How an endpoint does, and what an operator can do about it.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "api/call.h"
#include "api/change_call.h"
#include "api/endpoint_edition.h"
#include "api/json_endpoint.h"
#include "api/json_fields.h"
#include "api/json_health.h"
#include "api/routes.h"

namespace petrel::api {
namespace {

constexpr std::size_t kReasonBytesMax = 256;

using Page = Result<store::DuePage>;

// When the first of the queue was accepted. What waits for a retry is in the order of its retries,
// so a later one may be older.
std::optional<WallTime> accepted_at(const store::DuePage& page) {
  if (page.deliveries.empty()) return std::nullopt;
  return page.deliveries.front().key.message.time();
}

void show(const CallPtr& call, const store::EndpointPtr& endpoint, const engine::LaneHealth& lane,
          std::optional<WallTime> oldest_at) {
  call->browse([endpoint, lane, oldest_at, now = call->parts().clock.wall()](
                   store::Browse& browse) -> Result<net::HttpResponse> {
    const Result<store::EndpointTally> tally = browse.tally(endpoint->id);
    if (!tally.ok()) return tally.error();
    return written(200, [&](JsonWriter& json) {
      write_health({*endpoint, lane, *tally, oldest_at, now}, json);
    });
  });
}

// Asks the store for the first of a queue, and goes on with it on the call's loop.
void with_first(const CallPtr& call, EndpointId endpoint, store::DueClass queue,
                std::function<void(std::optional<WallTime>)> then) {
  call->parts().store.load_due({.endpoint = endpoint, .queue = queue, .limit = 1},
                               [call, then = std::move(then)](const Page& page) {
                                 call->parts().post([call, page, then] {
                                   if (!page.ok()) return call->answer(page.error());
                                   then(accepted_at(*page));
                                 });
                               });
}

void health(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(no_such_endpoint());
  call->parts().lanes.health(endpoint->id, [call, endpoint](const engine::LaneHealth& lane) {
    with_first(call, endpoint->id, store::DueClass::Fresh, [=](std::optional<WallTime> fresh) {
      with_first(call, endpoint->id, store::DueClass::Retry, [=](std::optional<WallTime> retry) {
        show(call, endpoint, lane,
             fresh && retry ? std::min(*fresh, *retry)
             : fresh        ? fresh
                            : retry);
      });
    });
  });
}

net::HttpResponse shown(const model::Endpoint& endpoint) {
  return written(200, [&](JsonWriter& json) { write_endpoint(endpoint, json); });
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
  const WallTime now = call->parts().clock.wall();
  change(call, [call, id = endpoint->id, why = *reason, now] {
    return endpoint_edition(
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
    return endpoint_edition(
        *call, id,
        [](model::Endpoint& edited) {
          edited.pause.reset();
          return Status(Done{});
        },
        shown);
  });
}

// The lane does it on its own thread: 202, and health shows what came of it.
void tell_lane(const CallPtr& call, const std::function<void(EndpointId)>& what) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(no_such_endpoint());
  what(endpoint->id);
  call->answer(json_response(202, "{}"));
}

}  // namespace

std::vector<Route> control_routes() {
  constexpr std::string_view kTag = "Endpoint";
  constexpr std::string_view kHealth = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/health";
  constexpr std::string_view kPause = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/pause";
  constexpr std::string_view kResume = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/resume";
  constexpr std::string_view kProbe = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/circuit/probe";
  constexpr std::string_view kClose = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/circuit/close";
  return {
      {"GET",
       kHealth,
       Scope::Application,
       health,
       {.id = "v1.endpoint.get-health",
        .summary = "See how an endpoint does right now",
        .tag = kTag,
        .response = "EndpointHealthOut"}},
      {"POST",
       kPause,
       Scope::Application,
       pause,
       {.id = "v1.endpoint.pause",
        .summary = "Pause an endpoint: its deliveries are kept",
        .tag = kTag,
        .request = "EndpointPauseIn",
        .response = "EndpointOut"}},
      {"POST",
       kResume,
       Scope::Application,
       resume,
       {.id = "v1.endpoint.resume",
        .summary = "Resume a paused endpoint, gently",
        .tag = kTag,
        .response = "EndpointOut"}},
      {"POST",
       kProbe,
       Scope::Application,
       [](const CallPtr& call) { tell_lane(call, call->parts().lanes.probe_now); },
       {.id = "v1.endpoint.probe-circuit",
        .summary = "Try an endpoint now that has an open circuit",
        .tag = kTag,
        .status = 202,
        .response = "EmptyResponse"}},
      {"POST",
       kClose,
       Scope::Application,
       [](const CallPtr& call) { tell_lane(call, call->parts().lanes.close_circuit); },
       {.id = "v1.endpoint.close-circuit",
        .summary = "Close the circuit of an endpoint",
        .tag = kTag,
        .status = 202,
        .response = "EmptyResponse"}},
  };
}

}  // namespace petrel::api
