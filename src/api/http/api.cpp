#include "api/http/api.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/http/error.h"
#include "api/routes/routes.h"
#include "base/text.h"
#include "base/try.h"

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

net::HttpResponse rate_limited(Duration wait) {
  net::HttpResponse response = error_page(429, "too many requests: the limit is used up for now");
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
  response.headers.emplace_back("Retry-After", std::to_string(seconds));
  return response;
}

// Invalid if there are two: which of them a proxy on the way has looked at is not known.
Result<std::string_view> only_authorization(const net::HttpRequest& request) {
  std::string_view only;
  bool has_one = false;
  for (const auto& [name, value] : request.headers) {
    if (!equals_ignoring_case(name, "authorization")) continue;
    if (std::exchange(has_one, true)) {
      return invalid("", "the request has more than one Authorization header");
    }
    only = value;
  }
  return only;
}

net::HttpResponse method_not_allowed(const std::string& allow) {
  net::HttpResponse response = error_page(405, "this route takes " + allow);
  response.headers.emplace_back("Allow", allow);
  return response;
}

}  // namespace

Api::Api(const node::Services& services, ApiSettings settings)
    : router_(all_routes()),
      context_(std::make_shared<ApiContext>(services, std::move(settings), router_.routes())),
      dashboard_(web_assets(), context_->settings.public_url) {}

net::HttpResponse Api::refusal(int status, std::string_view detail) {
  RequestCounts& counts = context_->counts;
  counts.count(counts.none(), status);
  return error_page(status, detail);
}

net::HttpResponse Api::error_page(int status, std::string_view detail) {
  net::HttpResponse response = api::error_page(status, detail);
  // Which origin asked is not known where a request could not be read.
  response.headers.emplace_back("Access-Control-Allow-Origin", "*");
  return response;
}

void Api::handle(net::HttpRequest request, net::Responder respond) {
  if (request.method == "OPTIONS") return respond(counted(preflight(request)));
  if (!request.header("origin").empty()) respond = open_to_browsers(std::move(respond));
  const std::string_view path = path_of(request.target);
  RouteMatch match = router_.match(request.method, path);
  if (match.route == nullptr) return respond(answer_without_route(request, path, match.allow));
  const auto route = static_cast<std::size_t>(match.route - router_.routes().data());
  // Shared with whatever the answer waits for.
  const auto call = std::make_shared<Call>(context_, context_->counts.place_of(route),
                                           std::move(request), std::move(respond));
  call->parameters = std::move(match.parameters);
  if (!admit(*call, *match.route)) return;
  const Status served = match.route->serve(call);
  if (!served.ok()) call->answer(served.error());
}

net::HttpResponse Api::counted(net::HttpResponse response) {
  context_->counts.count(context_->counts.none(), response.status);
  return response;
}

net::HttpResponse Api::answer_without_route(const net::HttpRequest& request, std::string_view path,
                                            const std::string& allow) {
  if (!allow.empty()) return counted(method_not_allowed(allow));
  std::optional<net::HttpResponse> page = dashboard_.answer(request, path);
  if (!page) return counted(api::error_page(404, "there is no such route"));
  context_->counts.count(context_->counts.dashboard(), page->status);
  return *std::move(page);
}

MemoryAccountPtr Api::account_of(const net::HttpRequest& request) {
  const node::Services& services = context_->services;
  const Result<std::string_view> authorization = only_authorization(request);
  const Result<Caller> caller =
      authorization.ok() ? identify(*authorization) : Result<Caller>(authorization.error());
  if (!caller.ok()) return services.memory.account("address " + request.client);
  const RouteMatch match = router_.match(request.method, path_of(request.target));
  store::ApplicationPtr application;
  if (!match.parameters.empty() && match.parameters.front().first == "app_id") {
    application =
        services.catalogue.find_application(caller->organisation, match.parameters.front().second);
  }
  if (application && caller->application && *caller->application != application->id) {
    application = nullptr;  // Not theirs to fill.
  }
  return api::account_of(services.memory, *caller, application.get());
}

Result<Caller> Api::identify(std::string_view authorization) {
  const node::Services& services = context_->services;
  ASSIGN_OR_RETURN(const Session session,
                   context_->settings.auth.identify(authorization, services.clock.wall()));
  if (services.revoked.contains(bearer_token(authorization))) {
    return invalid("", "the token was revoked");
  }
  const Caller& caller = session.caller;
  if (!caller.application) return caller;
  const store::ApplicationPtr application = services.catalogue.application(*caller.application);
  if (application == nullptr || application->deleted_at) {
    return invalid("", "the token's application does not exist");
  }
  const std::optional<WallTime>& valid_from = application->tokens_valid_from;
  if (valid_from && (!session.issued_at || *session.issued_at < *valid_from)) {
    return invalid("", "the token was revoked with all others of its application");
  }
  return caller;
}

bool Api::is_limited(Call& call, std::string_view who) {
  RateLimit* limit = context_->settings.rate_limit;
  const auto wait =
      limit == nullptr ? std::nullopt : limit->take(who, context_->services.clock.mono());
  if (wait) call.answer(rate_limited(*wait));
  return wait.has_value();
}

bool Api::admit(Call& call, const Route& route) {
  using Scope = Access::Scope;
  const Scope scope = route.access.scope();
  if (scope == Scope::Open) return true;
  const Result<std::string_view> authorization = only_authorization(call.request);
  const Result<Caller> caller =
      authorization.ok() ? identify(*authorization) : Result<Caller>(authorization.error());
  if (!caller.ok()) {
    // The caller is not known, so the address has to stand for it.
    if (is_limited(call, "address " + call.request.client)) return false;
    call.answer(api::error_page(authorization.ok() ? 401 : 400, caller.error().detail));
    return false;
  }
  if (is_limited(call, bearer_token(*authorization))) return false;
  call.caller = *caller;
  if (scope != Scope::Application && caller->application) {
    call.answer(api::error_page(403, "the token of an application may not do this"));
    return false;
  }
  const std::optional<Capability> needed = route.access.needed();
  if (needed && caller->application && caller->capabilities &&
      !caller->capabilities->allow(*needed)) {
    call.answer(api::error_page(
        403, fmt::format("the token is without the capability {}", name_of(*needed))));
    return false;
  }
  if (call.parameters.empty() || call.parameters.front().first != "app_id") return true;
  call.application = context_->services.catalogue.find_application(caller->organisation,
                                                                   call.parameters.front().second);
  if (scope == Scope::NewApplication) return true;
  const bool is_theirs = call.application != nullptr &&
                         (!caller->application || *caller->application == call.application->id);
  if (!is_theirs) call.answer(not_found("there is no such application"));
  return is_theirs;
}

}  // namespace petrel::api
