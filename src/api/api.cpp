#include "api/api.h"

#include <utility>

#include "api/error.h"
#include "api/routes.h"

namespace petrel::api {
namespace {

constexpr std::string_view kMethods = "GET, HEAD, POST, PUT, PATCH, DELETE";

net::HttpResponse preflight(const net::HttpRequest& request) {
  net::HttpResponse response;
  response.status = 204;
  response.headers.emplace_back("Access-Control-Allow-Origin", "*");
  response.headers.emplace_back("Access-Control-Allow-Methods", kMethods);
  const std::string_view wanted = request.header("access-control-request-headers");
  if (!wanted.empty()) {
    response.headers.emplace_back("Access-Control-Allow-Headers", wanted);
    response.headers.emplace_back("Vary", "Access-Control-Request-Headers");
  }
  response.headers.emplace_back("Access-Control-Max-Age", "600");
  return response;
}

net::Responder open_to_browsers(net::Responder respond) {
  return [respond = std::move(respond)](net::HttpResponse response) {
    response.headers.emplace_back("Access-Control-Allow-Origin", "*");
    respond(std::move(response));
  };
}

net::HttpResponse method_not_allowed(const std::string& allow) {
  net::HttpResponse response = error_page(405, "this route takes " + allow);
  response.headers.emplace_back("Allow", allow);
  return response;
}

}  // namespace

Api::Api(Parts parts) : desk_(std::make_shared<Desk>(std::move(parts))), router_(all_routes()) {}

net::HttpResponse Api::error_page(int status, std::string_view detail) {
  return api::error_page(status, detail);
}

void Api::handle(net::HttpRequest request, net::Responder respond) {
  if (request.method == "OPTIONS") return respond(preflight(request));
  if (!request.header("origin").empty()) respond = open_to_browsers(std::move(respond));
  RouteMatch match = router_.match(request.method, path_of(request.target));
  if (match.route == nullptr) {
    if (match.allow.empty()) return respond(api::error_page(404, "there is no such route"));
    return respond(method_not_allowed(match.allow));
  }
  // Shared with whatever the answer waits for.
  const auto call = std::make_shared<Call>(desk_, std::move(request), std::move(respond));
  call->parameters = std::move(match.parameters);
  if (admit(*call, match.route->scope)) match.route->serve(call);
}

bool Api::admit(Call& call, Scope scope) {
  if (scope == Scope::Open) return true;
  const Result<Caller> caller =
      desk_->parts.auth.identify(call.request.header("authorization"), desk_->parts.clock.wall());
  if (!caller.ok()) {
    call.answer(api::error_page(401, caller.error().detail));
    return false;
  }
  call.caller = *caller;
  const bool is_portals = scope == Scope::Application;
  if (!is_portals && caller->application) {
    call.answer(api::error_page(403, "the token of an application may not do this"));
    return false;
  }
  if (call.parameters.empty() || call.parameters.front().first != "app_id") return true;
  call.application =
      desk_->parts.catalogue.find_application(caller->organisation, call.parameters.front().second);
  if (scope == Scope::NewApplication) return true;
  const bool is_theirs = call.application != nullptr &&
                         (!caller->application || *caller->application == call.application->id);
  if (!is_theirs) call.answer(not_found("there is no such application"));
  return is_theirs;
}

}  // namespace petrel::api
