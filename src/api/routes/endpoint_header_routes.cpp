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
#include "base/try.h"

namespace petrel::api {
namespace {

Result<net::HttpResponse> get(Call& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call.endpoint());
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

// Changes the headers as what `read` makes of the body says.
Status edit_headers(const CallPtr& call, Result<EditHeaders> (*read)(const Fields&)) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  ASSIGN_OR_RETURN(const JsonValue body, call->json());
  ASSIGN_OR_RETURN(const Fields fields, under("body", Fields::of(body)));
  ASSIGN_OR_RETURN(const EditHeaders edit, under("body", read(fields)));
  const auto apply = [edit](model::Endpoint& edited) {
    return under("body", edit(edited.headers));
  };
  change(call, [call, id = endpoint->id, apply] {
    return endpoint_edit(*call, id, apply,
                         [](const model::Endpoint&) { return json_response(204, ""); });
  });
  return Done{};
}

Result<EditHeaders> read_replacement(const Fields& fields) {
  if (fields.find("headers") == nullptr) return invalid("headers", "is missing");
  HeaderList wanted;
  TRY(take(fields, "headers", wanted, read_headers));
  return EditHeaders([wanted = std::move(wanted)](HeaderList& headers) -> Status {
    headers = wanted;
    return Done{};
  });
}

Result<EditHeaders> read_merge(const Fields& fields) {
  HeaderPatch patch;
  std::vector<std::string> also_removed;
  TRY(first_error({take(fields, "headers", patch, read_header_patch),
                   take_or_clear(fields, "deleteHeaders", also_removed, read_texts)}));
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
  table.add(
      "PUT", kHeaders,
      {ManageEndpoint, [](const CallPtr& call) { return edit_headers(call, read_replacement); }},
      {"v1.endpoint.update-headers", "Replace the headers of an endpoint"},
      {.request = "EndpointHeadersIn", .status = 204});
  table.add("PATCH", kHeaders,
            {ManageEndpoint, [](const CallPtr& call) { return edit_headers(call, read_merge); }},
            {"v1.endpoint.patch-headers", "Change the headers of an endpoint"},
            {.request = "EndpointHeadersPatchIn", .status = 204});
  return table.take();
}

}  // namespace petrel::api
