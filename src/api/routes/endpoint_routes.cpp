// Endpoints: where the messages of an application go.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/http/call.h"
#include "api/http/paging.h"
#include "api/http/route_table.h"
#include "api/json/endpoint.h"
#include "api/routes/endpoint_edit.h"
#include "api/routes/routes.h"
#include "base/text.h"
#include "base/try.h"
#include "base/url.h"
#include "model/operational_application.h"
#include "notice/notice_type.h"

namespace petrel::api {
namespace {

net::HttpResponse shown(int status, const model::Endpoint& endpoint) {
  return json_body(status, [&](JsonWriter& json) { write_endpoint(endpoint, json); });
}

// An organisation that describes event types means those; one that describes none may use any name.
// What an endpoint has asked for stays if its type is archived later.
Status check_event_types(const store::Catalogue& catalogue, OrganisationId organisation,
                         const std::vector<std::string>& names) {
  if (catalogue.event_types_of(organisation).empty()) return Done{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const store::EventTypePtr type = catalogue.find_event_type(organisation, names[i]);
    if (type == nullptr || type->is_archived) {
      return invalid(fmt::format("[{}]", i),
                     fmt::format("there is no event type {}; the organisation has described others",
                                 in_quotes(names[i])));
    }
  }
  return Done{};
}

// Operational endpoints get our own notices, which are of fixed types.
Status check_notice_types(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (notice::find_notice_type(names[i])) continue;
    return invalid(fmt::format("[{}]", i),
                   fmt::format("there is no notice of the type {}", in_quotes(names[i])));
  }
  return Done{};
}

// Reads what the body says into an endpoint of the owner. Errors are at "body".
Status read_body(const JsonValue& body, const store::Catalogue& catalogue,
                 const model::Application& owner, model::Endpoint& endpoint) {
  TRY(under("body", read_endpoint(body, endpoint)));
  const bool is_operational = owner.id == model::operational_application(owner.organisation);
  if (is_operational && !endpoint.channels.empty()) {
    return invalid("body.channels", "must be left out: notices have no channels");
  }
  const std::string_view field = event_types_field(body);
  if (field.empty()) return Done{};
  return under("body",
               under(field, is_operational ? check_notice_types(endpoint.event_types)
                                           : check_event_types(catalogue, owner.organisation,
                                                               endpoint.event_types)));
}

// A message to such an address would be dead as soon as it is sent: its author had better hear of
// it now. What lies behind the address is not said.
Status check_address(const std::optional<net::AddressGuard>& guard, const std::string& text) {
  const Result<Url> url = Url::parse(text);
  if (!guard || !url.ok() || !url->ip) return Done{};
  if (guard->check(*url->ip, url->port).is_allowed) return Done{};
  return invalid("body.url",
                 "is not a public address: this server delivers to private and special ones only "
                 "if its setting allow-subnets has them");
}

Result<net::HttpResponse> list(Call& call) {
  ASSIGN_OR_RETURN(const PageRequest request,
                   read_ordered_page(call.query, EndpointId::kPrefix, store::Order::Descending));
  const auto id_of = [](const store::EndpointPtr& each) { return each->id; };
  auto listed = window(call.services().catalogue.endpoints_of(call.application->id), request.page,
                       [](const auto& each) { return each->id.ksuid(); });
  return json_response(200, page_text(in_display_order(std::move(listed), request), request, id_of,
                                      [](const store::EndpointPtr& each, JsonWriter& json) {
                                        write_endpoint(*each, json);
                                      }));
}

Result<net::HttpResponse> get(Call& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call.endpoint());
  return shown(200, *endpoint);
}

// As the body has it and with a new identity.
Result<model::Endpoint> drafted(Call& call) {
  ASSIGN_OR_RETURN(const JsonValue body, call.json());
  ASSIGN_OR_RETURN(const auto secret, under("body", read_endpoint_secret(body)));
  model::Endpoint endpoint(
      signature::KeyRing{secret ? *secret : signature::Secret::generate(call.services().random)});
  TRY(read_body(body, call.services().catalogue, *call.application, endpoint));
  TRY(check_address(call.context->settings.guard, endpoint.url));
  TRY(under("body", read_endpoint_headers(body, endpoint)));
  const WallTime now = call.services().clock.wall();
  endpoint.id = EndpointId(call.context->maker.make(now));
  endpoint.application = call.application->id;
  endpoint.created_at = endpoint.updated_at = now;
  return endpoint;
}

Plan creation(const model::Endpoint& endpoint) {
  return {{}, [endpoint]() -> Result<ChangeDecision> {
            return ChangeDecision{{store::CreateEndpoint{endpoint}}, shown(201, endpoint)};
          }};
}

Status create(const CallPtr& call) {
  ASSIGN_OR_RETURN(const model::Endpoint endpoint, drafted(*call));
  change(call, [endpoint] { return creation(endpoint); });
  return Done{};
}

// All of what the body can say is as it says, or as it is in a new endpoint; the secret, the
// headers and what the server noted of it stay.
Status replace(model::Endpoint& endpoint, const model::Endpoint& wanted) {
  endpoint.uid = wanted.uid;
  endpoint.url = wanted.url;
  endpoint.description = wanted.description;
  endpoint.event_types = wanted.event_types;
  endpoint.channels = wanted.channels;
  endpoint.metadata = wanted.metadata;
  endpoint.is_disabled = wanted.is_disabled;
  endpoint.throttle_rate = wanted.throttle_rate;
  endpoint.in_flight_max = wanted.in_flight_max;
  endpoint.timeout = wanted.timeout;
  endpoint.guards = wanted.guards;
  endpoint.retry_policy = wanted.retry_policy;
  endpoint.ca_pem = wanted.ca_pem;
  endpoint.client_certificate_pem = wanted.client_certificate_pem;
  endpoint.client_key_pem = wanted.client_key_pem;
  return Done{};
}

net::HttpResponse shown_now(const model::Endpoint& endpoint) { return shown(200, endpoint); }

Status put(const CallPtr& call) {
  ASSIGN_OR_RETURN(const model::Endpoint wanted, drafted(*call));
  change(call, [call, wanted]() -> Plan {
    const Result<store::EndpointPtr> known = call->endpoint();
    if (!known.ok()) return creation(wanted);
    return endpoint_edit(
        *call, (*known)->id, [wanted](model::Endpoint& edited) { return replace(edited, wanted); },
        shown_now);
  });
  return Done{};
}

// Older clients replace a secret this way, at once; rotating it is gentler. Errors are at "body".
Status read_new_secret(const JsonValue& body, model::Endpoint& endpoint) {
  ASSIGN_OR_RETURN(const auto secret, under("body", read_endpoint_secret(body)));
  if (secret) endpoint.keys = signature::KeyRing{*secret};
  return Done{};
}

Status patch(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  ASSIGN_OR_RETURN(const auto body, call->kept_json());
  change(call, [call, id = endpoint->id, body] {
    return endpoint_edit(
        *call, id,
        [body, context = call->context,
         owner = call->application](model::Endpoint& edited) -> Status {
          const std::string url = edited.url;
          TRY(read_body(*body, context->services.catalogue, *owner, edited));
          // One that is there already may be changed, whatever has become of allow-subnets.
          if (edited.url != url) TRY(check_address(context->settings.guard, edited.url));
          return read_new_secret(*body, edited);
        },
        shown_now);
  });
  return Done{};
}

Status remove(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  change(call, [call, id = endpoint->id]() -> Plan {
    return {node::Changes::turn_of(id),
            [id, now = call->services().clock.wall()]() -> Result<ChangeDecision> {
              return ChangeDecision{{store::DeleteEndpoint{id, now}}, json_response(204, "")};
            }};
  });
  return Done{};
}

}  // namespace

std::vector<Route> endpoint_routes() {
  using enum Capability;
  constexpr std::string_view kAll = "/api/v1/app/{app_id}/endpoint";
  constexpr std::string_view kOne = "/api/v1/app/{app_id}/endpoint/{endpoint_id}";
  RouteTable table("Endpoint");
  table.add("GET", kAll, {ViewBase, sync_route(list)}, {"v1.endpoint.list", "List endpoints"},
            {.query = "limit iterator order", .response = "ListResponse_EndpointOut_"});
  table.add("POST", kAll, {ManageEndpoint, create}, {"v1.endpoint.create", "Create an endpoint"},
            {.request = "EndpointIn", .status = 201, .response = "EndpointOut"});
  table.add("GET", kOne, {ViewBase, sync_route(get)}, {"v1.endpoint.get", "Get an endpoint"},
            {.response = "EndpointOut"});
  table.add("PATCH", kOne, {ManageEndpoint, patch}, {"v1.endpoint.patch", "Change an endpoint"},
            {.request = "EndpointPatch", .response = "EndpointOut"});
  table.add("PUT", kOne, {ManageEndpoint, put},
            {"v1.endpoint.update", "Make or replace an endpoint"},
            {.request = "EndpointUpdate", .response = "EndpointOut"});
  table.add("DELETE", kOne, {ManageEndpoint, remove}, {"v1.endpoint.delete", "Delete an endpoint"},
            {.status = 204});
  return table.take();
}

}  // namespace petrel::api
