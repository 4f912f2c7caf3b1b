// Deliveries: what is on its way where, what is stuck and why, and what is dead. Petrel's own; the
// client libraries know nothing of it.

#include "api/http/call.h"
#include "api/http/route_table.h"
#include "api/json/delivery.h"
#include "api/routes/delivery_list.h"
#include "api/routes/message_lookup.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

Status get(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint_even_deleted(call->parameter("endpoint_id"));
  if (endpoint == nullptr) return no_such_endpoint();
  call->browse([application = call->application->id, endpoint = endpoint->id,
                id = call->parameter("msg_id"),
                explainer = Explainer(*call)](store::Browse& browse) -> Result<net::HttpResponse> {
    ASSIGN_OR_RETURN(const model::Message message, find_message(browse, application, id));
    ASSIGN_OR_RETURN(const model::Delivery delivery, browse.delivery({endpoint, message.id}));
    return json_body(200, [&](JsonWriter& json) { explainer.write({delivery, message}, json); });
  });
  return Done{};
}

// Also of an endpoint that is paused: it goes once that is over.
Status release(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  call->read<model::Message>(
      [application = call->application->id, id = call->parameter("msg_id")](store::Browse& browse) {
        return find_message(browse, application, id);
      },
      [call, endpoint](const model::Message& message) {
        call->services().quarantine.release({endpoint->id, message.id},
                                            [call](const Status& status) {
                                              call->services().loop.post([call, status] {
                                                if (!status.ok())
                                                  return call->answer(status.error());
                                                call->answer(json_response(202, "{}"));
                                              });
                                            });
      });
  return Done{};
}

}  // namespace

std::vector<Route> delivery_routes() {
  using enum Capability;
  RouteTable table("Delivery");
  table.add(
      "GET", "/api/v1/app/{app_id}/delivery",
      {ViewBase, [](const CallPtr& call) { return list_deliveries(call, Which::All); }},
      {"v1.delivery.list", "List deliveries, each with its state and why it is in it"},
      {.query = "limit iterator delivery_status reason endpoint_id event_types channel tag before "
                "after",
       .response = "ListResponse_DeliveryOut_"});
  table.add("GET", "/api/v1/app/{app_id}/delivery/{msg_id}/{endpoint_id}", {ViewBase, get},
            {"v1.delivery.get", "Get the delivery of a message to an endpoint"},
            {.response = "DeliveryOut"});
  table.add("POST", "/api/v1/app/{app_id}/delivery/{msg_id}/{endpoint_id}/release",
            {kOrganisation, release},
            {"v1.delivery.release", "Send a delivery that is held after crashes of the server"},
            {.status = 202, .response = "EmptyResponse"});
  return table.take();
}

}  // namespace petrel::api
