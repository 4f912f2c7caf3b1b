// The headers that go with every request to an endpoint.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api/http/call.h"
#include "api/http/route_table.h"
#include "api/json/fields.h"
#include "api/json/header_rules.h"
#include "api/routes/endpoint_edit.h"
#include "api/routes/routes.h"

namespace petrel::api {
namespace {

Result<net::HttpResponse> get(Call& call) {
  const store::EndpointPtr endpoint = call.endpoint();
  if (endpoint == nullptr) return no_such_endpoint();
  return json_body(200, [&](JsonWriter& json) {
    json.begin_object().key("headers").begin_object();
    for (const auto& [name, value] : endpoint->headers) {
      if (!is_sensitive_header(name)) json.field(name, value);
    }
    json.end_object().key("sensitive").begin_array();
    for (const auto& [name, value] : endpoint->headers) {
      if (is_sensitive_header(name)) json.value(name);
    }
    json.end_array().end_object();
  });
}

using EditHeaders = std::function<Status(HeaderList&)>;

// node::Changes the headers as what `read` makes of the body says.
void edit_headers(const CallPtr& call, Result<EditHeaders> (*read)(const Fields&)) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(no_such_endpoint());
  const Result<JsonValue> body = call->json();
  if (!body.ok()) return call->answer(body.error());
  const Result<Fields> fields = Fields::of(*body);
  if (!fields.ok()) return call->answer(fields.error().under("body"));
  const Result<EditHeaders> edit = read(*fields);
  if (!edit.ok()) return call->answer(edit.error().under("body"));
  const auto apply = [edit = *edit](model::Endpoint& edited) -> Status {
    const Status status = edit(edited.headers);
    return status.ok() ? status : Status(status.error().under("body"));
  };
  change(call, [call, id = endpoint->id, apply] {
    return endpoint_edit(*call, id, apply,
                         [](const model::Endpoint&) { return json_response(204, ""); });
  });
}

Result<EditHeaders> read_replacement(const Fields& fields) {
  if (fields.find("headers") == nullptr) return invalid("headers", "is missing");
  HeaderList wanted;
  const Status status = take(fields, "headers", wanted, read_headers);
  if (!status.ok()) return status.error();
  return EditHeaders([wanted = std::move(wanted)](HeaderList& headers) -> Status {
    headers = wanted;
    return Done{};
  });
}

Result<EditHeaders> read_merge(const Fields& fields) {
  HeaderPatch patch;
  std::vector<std::string> also_removed;
  const Status status =
      first_error({take(fields, "headers", patch, read_header_patch),
                   take_or_clear(fields, "deleteHeaders", also_removed, read_texts)});
  if (!status.ok()) return status.error();
  for (std::string& name : also_removed) patch.emplace_back(std::move(name), std::nullopt);
  return EditHeaders([patch = std::move(patch)](HeaderList& headers) {
    return apply_header_patch(patch, headers);
  });
}

}  // namespace

std::vector<Route> endpoint_header_routes() {
  using enum Capability;
  constexpr std::string_view kHeaders = "/api/v1/app/{app_id}/endpoint/{endpoint_id}/headers";
  RouteTable table("Endpoint");
  table.add("GET", kHeaders, {ViewBase, sync_route(get)},
            {"v1.endpoint.get-headers", "Get the headers of an endpoint"},
            {.response = "EndpointHeadersOut"});
  table.add("PUT", kHeaders,
            {ManageEndpoint, [](const CallPtr& call) { edit_headers(call, read_replacement); }},
            {"v1.endpoint.update-headers", "Replace the headers of an endpoint"},
            {.request = "EndpointHeadersIn", .status = 204});
  table.add("PATCH", kHeaders,
            {ManageEndpoint, [](const CallPtr& call) { edit_headers(call, read_merge); }},
            {"v1.endpoint.patch-headers", "Change the headers of an endpoint"},
            {.request = "EndpointHeadersPatchIn", .status = 204});
  return table.take();
}

}  // namespace petrel::api
