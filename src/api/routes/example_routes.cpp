// Sending an example to one endpoint, to see whether it arrives.

#include <limits>

#include "api/http/call.h"
#include "api/http/error.h"
#include "api/http/route_table.h"
#include "api/json/example_payload.h"
#include "api/json/fields.h"
#include "api/json/message.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

struct ExampleOrder {
  std::string event_type;
  int index = 0;
};

Result<ExampleOrder> read_order(const Call& call) {
  ASSIGN_OR_RETURN(const JsonValue body, call.json());
  ASSIGN_OR_RETURN(const Fields fields, under("body", Fields::of(body)));
  ExampleOrder order;
  constexpr IntegerReading kReadIndex{.min = 0, .max = std::numeric_limits<int>::max()};
  TRY(under("body",
            first_error({take(fields, "eventType", order.event_type, TextReading{.bytes_min = 1}),
                         take_or_clear(fields, "exampleIndex", order.index, kReadIndex)})));
  if (order.event_type.empty()) return invalid("body.eventType", "is missing");
  return order;
}

Result<std::string> payload_for(Call& call, const ExampleOrder& order) {
  if (order.event_type == kPingType) return std::string(kPingPayload);
  const store::EventTypePtr type =
      call.services().catalogue.find_event_type(call.caller.organisation, order.event_type);
  if (type == nullptr) return not_found("there is no such event type");
  return example_payload(type->schemas, static_cast<std::size_t>(order.index));
}

Status send_example(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  ASSIGN_OR_RETURN(const ExampleOrder order, read_order(*call));
  Result<std::string> payload = payload_for(*call, order);
  if (!payload.ok()) {
    const Error& error = payload.error();
    if (error.kind == ErrorKind::Invalid) return error.under("body.exampleIndex");
    call->answer(coded_page(400, "invalid_scheme", error.detail));
    return Done{};
  }
  intake::NewMessage message;
  message.application = call->application->id;
  message.event_type = order.event_type;
  message.payload = std::make_shared<const std::string>(*std::move(payload));
  message.only = endpoint->id;
  call->services().intake.accept(std::move(message),
                                 [call](const Result<intake::Receipt>& receipt) {
                                   if (!receipt.ok()) return call->answer(receipt.error());
                                   call->answer(json_body(200, [&](JsonWriter& json) {
                                     write_message(receipt->message, *receipt->payload, json);
                                   }));
                                 });
  return Done{};
}

}  // namespace

std::vector<Route> example_routes() {
  RouteTable table("Endpoint");
  table.add("POST", "/api/v1/app/{app_id}/endpoint/{endpoint_id}/send-example",
            {kOrganisation, send_example},
            {"v1.endpoint.send-example", "Send an example of an event type to one endpoint"},
            {.request = "EventExampleIn", .response = "MessageOut"});
  return table.take();
}

}  // namespace petrel::api
