// Sending one delivery again.

#include "api/http/call.h"
#include "api/http/error.h"
#include "api/http/route_table.h"
#include "api/routes/message_lookup.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

Result<net::HttpResponse> answer_to(const Result<node::Resent>& resent) {
  if (!resent.ok()) return resent.error();
  if (*resent == node::Resent::HasNoPayload) {
    return coded_page(400, "missing_payload", "the payload of this message is deleted");
  }
  return json_response(202, "{}");
}

Status resend(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  call->read<model::Message>(
      [application = call->application->id, id = call->parameter("msg_id")](store::Browse& browse) {
        return find_message(browse, application, id);
      },
      [call, endpoint](const model::Message& message) {
        call->services().deliveries.resend(
            call->application->id, {endpoint->id, message.id},
            [call](const Result<node::Resent>& resent) {
              call->services().loop.post([call, resent] { call->answer(answer_to(resent)); });
            });
      });
  return Done{};
}

}  // namespace

std::vector<Route> resend_routes() {
  using enum Capability;
  RouteTable table("Message attempt");
  table.add("POST", "/api/v1/app/{app_id}/msg/{msg_id}/endpoint/{endpoint_id}/resend",
            {CreateAttempts, resend},
            {"v1.message-attempt.resend", "Send a message to an endpoint again"},
            {.status = 202, .response = "EmptyResponse"});
  return table.take();
}

}  // namespace petrel::api
