#include "api/call.h"
#include "api/json_endpoint.h"
#include "api/paging.h"
#include "api/routes.h"

namespace petrel::api {
namespace {

net::HttpResponse shown(int status, const model::Endpoint& endpoint) {
  return written(status, [&](JsonWriter& json) { write_endpoint(endpoint, json); });
}

Error no_such_endpoint() { return not_found("there is no such endpoint"); }

Result<net::HttpResponse> list(Call& call) {
  const Result<PageRequest> request =
      read_ordered_page(call.query, EndpointId::kPrefix, store::Order::Descending);
  if (!request.ok()) return request.error();
  const auto id_of = [](const store::EndpointPtr& each) { return each->id; };
  auto listed = window(call.parts().catalogue.endpoints_of(call.application->id), request->page,
                       [](const auto& each) { return each->id.ksuid(); });
  return json_response(200, page_text(facing(std::move(listed), *request), *request, id_of,
                                      [](const store::EndpointPtr& each, JsonWriter& json) {
                                        write_endpoint(*each, json);
                                      }));
}

Result<net::HttpResponse> get(Call& call) {
  const store::EndpointPtr endpoint = call.endpoint();
  if (endpoint == nullptr) return no_such_endpoint();
  return shown(200, *endpoint);
}

Result<net::HttpResponse> get_secret(Call& call) {
  const store::EndpointPtr endpoint = call.endpoint();
  if (endpoint == nullptr) return no_such_endpoint();
  return written(200, [&](JsonWriter& json) { write_endpoint_secret(*endpoint, json); });
}

// A new endpoint as the body has it, without an id yet.
Result<model::Endpoint> drafted(Call& call) {
  const Result<JsonValue> body = call.json();
  if (!body.ok()) return body.error();
  const auto secret = read_endpoint_secret(*body);
  if (!secret.ok()) return secret.error().under("body");
  model::Endpoint endpoint(
      signature::KeyRing{*secret ? **secret : signature::Secret::generate(call.parts().random)});
  Status status = read_endpoint(*body, endpoint);
  if (status.ok()) status = read_endpoint_headers(*body, endpoint);
  if (!status.ok()) return status.error().under("body");
  return endpoint;
}

void create(const CallPtr& call) {
  Result<model::Endpoint> endpoint = drafted(*call);
  if (!endpoint.ok()) return call->answer(endpoint.error());
  const WallTime now = call->parts().clock.wall();
  endpoint->id = EndpointId(call->desk->maker.make(now));
  endpoint->application = call->application->id;
  endpoint->created_at = endpoint->updated_at = now;
  call->parts().changes.create(*endpoint, [call, made = *endpoint](const Status& status) {
    call->parts().post([call, made, status] {
      if (!status.ok()) return call->answer(status.error());
      call->answer(shown(201, made));
    });
  });
}

void patch(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(no_such_endpoint());
  const Result<JsonValue> body = call->json();
  if (!body.ok()) return call->answer(body.error());
  const WallTime now = call->parts().clock.wall();
  call->parts().changes.edit(
      endpoint->id,
      [body = *body, now](model::Endpoint& edited) -> Status {
        const Status status = read_endpoint(body, edited);
        if (!status.ok()) return status.error().under("body");
        edited.updated_at = now;
        return Done{};
      },
      [call](const Result<store::EndpointPtr>& edited) {
        call->parts().post([call, edited] {
          if (!edited.ok()) return call->answer(edited.error());
          call->answer(shown(200, **edited));
        });
      });
}

}  // namespace

std::vector<Route> endpoint_routes() {
  constexpr std::string_view kTag = "Endpoint";
  constexpr std::string_view kAll = "/api/v1/app/{app_id}/endpoint";
  constexpr std::string_view kOne = "/api/v1/app/{app_id}/endpoint/{endpoint_id}";
  constexpr std::string_view kSecret = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/secret";
  return {
      {"GET",
       kAll,
       Scope::Application,
       at_once(list),
       {.id = "v1.endpoint.list",
        .summary = "List endpoints",
        .tag = kTag,
        .query = "limit iterator order",
        .response = "ListResponse_EndpointOut_"}},
      {"POST",
       kAll,
       Scope::Application,
       create,
       {.id = "v1.endpoint.create",
        .summary = "Create an endpoint",
        .tag = kTag,
        .request = "EndpointIn",
        .status = 201,
        .response = "EndpointOut"}},
      {"GET",
       kOne,
       Scope::Application,
       at_once(get),
       {.id = "v1.endpoint.get",
        .summary = "Get an endpoint",
        .tag = kTag,
        .response = "EndpointOut"}},
      {"PATCH",
       kOne,
       Scope::Application,
       patch,
       {.id = "v1.endpoint.patch",
        .summary = "Change an endpoint",
        .tag = kTag,
        .request = "EndpointPatch",
        .response = "EndpointOut"}},
      {"GET",
       kSecret,
       Scope::Application,
       at_once(get_secret),
       {.id = "v1.endpoint.get-secret",
        .summary = "Get the secret that receivers verify with",
        .tag = kTag,
        .response = "EndpointSecretOut"}},
  };
}

}  // namespace petrel::api
