// Tokens: making one for a portal, and revoking them.

#include <utility>

#include "api/http/call.h"
#include "api/http/change_call.h"
#include "api/http/error.h"
#include "api/http/route_table.h"
#include "api/json/fields.h"
#include "api/json/portal.h"
#include "api/routes/ensure_application.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

Result<JsonValue> optional_body(const Call& call) {
  if (call.request.body.empty()) return JsonValue(JsonValue::Value(JsonValue::Object()));
  return call.json();
}

void answer_portal(const CallPtr& call, const PortalRequest& request) {
  Caller caller = request.limits;
  caller.organisation = call->caller.organisation;
  caller.application = call->application->id;
  ApiSettings& settings = call->context->settings;
  const std::string token =
      settings.auth.mint(caller, call->services().clock.wall(), request.lifetime);
  if (token.size() > kTokenBytesMax) {
    return call->answer(invalid("body.featureFlags", "are more than a token can hold"));
  }
  call->answer(json_body(200, [&](JsonWriter& json) {
    json.begin_object().field("url", settings.public_url + "/").field("token", token).end_object();
  }));
}

// An application that is made on the way is kept, what is answered is not, as a token does not
// belong in a store: a request repeated with its idempotency key gets another one.
Status open_portal(const CallPtr& call) {
  ASSIGN_OR_RETURN(const JsonValue body, optional_body(*call));
  ASSIGN_OR_RETURN(const PortalRequest request, under("body", read_portal_request(body)));
  ensure_application(call, request.application, [call, request] { answer_portal(call, request); });
  return Done{};
}

Status log_out(const CallPtr& call) {
  const std::string_view authorization = call->request.header("authorization");
  const WallTime now = call->services().clock.wall();
  const Result<Session> session = call->context->settings.auth.identify(authorization, now);
  if (!session.ok()) {
    call->answer(error_page(401, session.error().detail));
    return Done{};
  }
  const store::RevokeToken revoked{node::RevokedTokens::hash_of(bearer_token(authorization)),
                                   session->expires_at + kTokenLeeway};
  change(call, [revoked]() -> Plan {
    return {{}, [revoked]() -> Result<ChangeDecision> {
              return ChangeDecision{{revoked}, json_response(204, "")};
            }};
  });
  return Done{};
}

// Both would need to be known of every token; to ignore them would be to expire too much or too
// early.
Status check_expiry(const JsonValue& body) {
  ASSIGN_OR_RETURN(const Fields fields, Fields::of(body));
  std::optional<int> seconds;
  std::vector<std::string> sessions;
  TRY(first_error({
      take_or_clear(fields, "expiry", seconds, IntegerReading{0, 0}),
      take_or_clear(fields, "sessionIds", sessions, read_texts),
  }));
  if (!sessions.empty()) {
    return invalid("sessionIds", "is not supported: all tokens of the application expire");
  }
  return Done{};
}

Status expire_all(const CallPtr& call) {
  ASSIGN_OR_RETURN(const JsonValue body, optional_body(*call));
  TRY(under("body", check_expiry(body)));
  change(call, [call]() -> Plan {
    const ApplicationId id = call->application->id;
    return {node::Changes::turn_of(id),
            [&catalogue = call->services().catalogue, id,
             now = call->services().clock.wall()]() -> Result<ChangeDecision> {
              const store::ApplicationPtr before = catalogue.application(id);
              if (before == nullptr || before->deleted_at) {
                return not_found("there is no such application");
              }
              model::Application application = *before;
              application.tokens_valid_from = now;
              return ChangeDecision{{store::UpdateApplication{std::move(application)}},
                                    json_response(204, "")};
            }};
  });
  return Done{};
}

}  // namespace

std::vector<Route> authentication_routes() {
  RouteTable table("Authentication");
  table.add(
      "POST", "/api/v1/auth/app-portal-access/{app_id}", {kNewApplication, open_portal},
      {"v1.authentication.app-portal-access", "Open a portal: make a token for one application"},
      {.request = "AppPortalAccessIn", .response = "AppPortalAccessOut"});
  table.add("POST", "/api/v1/auth/dashboard-access/{app_id}", {kNewApplication, open_portal},
            {"v1.authentication.dashboard-access", "Open a portal, by its old name"},
            {.request = "AppPortalAccessIn", .response = "AppPortalAccessOut"});
  table.add("POST", "/api/v1/auth/app/{app_id}/expire-all", {kOrganisation, expire_all},
            {"v1.authentication.expire-all", "Revoke all tokens of an application"},
            {.status = 204});
  table.add("POST", "/api/v1/auth/logout", {kAnyToken, log_out},
            {"v1.authentication.logout", "Revoke this token"}, {.status = 204});
  return table.take();
}

}  // namespace petrel::api
