// The secret that the requests to an endpoint are signed with.

#include <chrono>
#include <optional>
#include <utility>

#include "api/http/call.h"
#include "api/http/error.h"
#include "api/http/route_table.h"
#include "api/json/endpoint.h"
#include "api/json/fields.h"
#include "api/routes/endpoint_edit.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

constexpr auto kGraceSecondsDefault =
    std::chrono::duration_cast<std::chrono::seconds>(signature::KeyRing::kGraceDefault);
constexpr auto kGraceSecondsMax =
    std::chrono::duration_cast<std::chrono::seconds>(signature::KeyRing::kGraceMax);
constexpr IntegerReading kReadGrace{0, static_cast<int>(kGraceSecondsMax.count())};

net::HttpResponse shown(const model::Endpoint& endpoint) {
  return json_body(200, [&](JsonWriter& json) { write_endpoint_secret(endpoint, json); });
}

Result<net::HttpResponse> get(Call& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call.endpoint());
  return shown(*endpoint);
}

struct Rotation {
  signature::Secret next;
  Duration grace;
};

// A body may be left out: then the server chooses the secret.
Result<Rotation> read_rotation(Call& call) {
  ASSIGN_OR_RETURN(const JsonValue body,
                   call.request.body.empty() ? JsonValue(JsonValue::Object()) : call.json());
  ASSIGN_OR_RETURN(const Fields fields, under("body", Fields::of(body)));
  ASSIGN_OR_RETURN(const auto key, under("body", read_secret(fields, "key")));
  std::optional<int> seconds;
  TRY(under("body", take_or_clear(fields, "gracePeriodSeconds", seconds, kReadGrace)));
  return Rotation{
      key ? *key : signature::Secret::generate(call.services().random),
      std::chrono::seconds(seconds.value_or(static_cast<int>(kGraceSecondsDefault.count())))};
}

Result<ChangeDecision> rotated(const store::EndpointPtr& before, const Rotation& rotation,
                               WallTime now) {
  if (before == nullptr || before->deleted_at) return no_such_endpoint();
  model::Endpoint endpoint = *before;
  const Status status = endpoint.keys.rotate(rotation.next, now, rotation.grace);
  if (!status.ok() && status.error().kind == ErrorKind::Conflict) {
    return ChangeDecision{{}, coded_page(400, "limit_reached", status.error().detail)};
  }
  if (!status.ok()) return status.error().under("body");
  endpoint.updated_at = now;
  net::HttpResponse response = shown(endpoint);
  return ChangeDecision{{store::UpdateEndpoint{std::move(endpoint)}}, std::move(response)};
}

Status rotate(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  ASSIGN_OR_RETURN(const Rotation rotation, read_rotation(*call));
  change(
      call,
      [call, id = endpoint->id, rotation]() -> Plan {
        return {node::Changes::turn_of(id), [&catalogue = call->services().catalogue, id, rotation,
                                             now = call->services().clock.wall()] {
                  return rotated(catalogue.endpoint(id), rotation, now);
                }};
      },
      [call] { return get(*call); });
  return Done{};
}

}  // namespace

std::vector<Route> endpoint_secret_routes() {
  using enum Capability;
  constexpr std::string_view kSecret = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/secret";
  constexpr std::string_view kRotate = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/secret/rotate";
  RouteTable table("Endpoint");
  table.add("GET", kSecret, {ViewEndpointSecret, sync_route(get)},
            {"v1.endpoint.get-secret", "Get the secret that receivers verify with"},
            {.response = "EndpointSecretOut"});
  table.add("POST", kRotate, {ManageEndpointSecret, rotate},
            {"v1.endpoint.rotate-secret", "Rotate the secret"},
            {.request = "EndpointSecretRotateIn", .response = "EndpointSecretOut"});
  return table.take();
}

}  // namespace petrel::api
