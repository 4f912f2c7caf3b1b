// What was sent where, in the words of the client libraries: the messages of an endpoint, and the
// endpoints of a message, each with how far it has come.

#include <algorithm>
#include <optional>

#include "api/http/call.h"
#include "api/http/paging.h"
#include "api/http/route_table.h"
#include "api/json/endpoint.h"
#include "api/json/message.h"
#include "api/json/wire_status.h"
#include "api/routes/message_lookup.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

// A delivery with its message, placed in lists by the message.
struct Attempted {
  MessageId id;
  model::Delivery delivery;
  std::optional<model::Message> message;  // Empty if it is gone: then it is not shown.
};

struct MessagesQuery {
  ApplicationId application;
  EndpointId endpoint;
  PageRequest request;
  MessageFilter filter;
  std::optional<int> status;
  bool is_expanded = false;
  bool with_content = true;
};

Result<MessagesQuery> read_messages_query(const Call& call, EndpointId endpoint) {
  ASSIGN_OR_RETURN(const auto request,
                   read_page(call.query, MessageId::kPrefix, store::Order::Descending));
  ASSIGN_OR_RETURN(const auto filter, read_message_filter(call.query));
  ASSIGN_OR_RETURN(const auto status, read_status(call.query));
  ASSIGN_OR_RETURN(const auto is_expanded, read_expanded(call.query));
  ASSIGN_OR_RETURN(const auto with_content, call.query.flag("with_content", true));
  return MessagesQuery{call.application->id, endpoint,    request, filter, status,
                       is_expanded,          with_content};
}

// The rows of a page up to where nothing further can fit.
Result<store::Listed<Attempted>> fetched(store::Browse& browse, const MessagesQuery& query,
                                         const store::Page& page) {
  ASSIGN_OR_RETURN(const auto deliveries, browse.deliveries_of_endpoint(query.endpoint, page));
  store::Listed<Attempted> rows;
  rows.has_more = deliveries.has_more;
  for (const model::Delivery& delivery : deliveries.items) {
    const MessageId id = delivery.key.message;
    if (is_past(query.filter, page.order, id)) {
      rows.has_more = false;
      break;
    }
    Result<model::Message> message = browse.message(query.application, id);
    if (!message.ok() && message.error().kind != ErrorKind::NotFound) return message.error();
    rows.items.push_back({id, delivery, std::nullopt});
    if (message.ok()) rows.items.back().message = *std::move(message);
  }
  return rows;
}

Result<net::HttpResponse> messages_page(store::Browse& browse, const MessagesQuery& query) {
  auto found = scan<Attempted>(
      begun_at_filter(query.request.page, query.filter),
      [&](const store::Page& page) { return fetched(browse, query, page); },
      [&](const Attempted& row) -> Result<bool> {
        if (!row.message || !query.filter.matches(*row.message)) return false;
        return !query.status ||
               *query.status == wire_status(row.delivery, query.is_expanded).number;
      });
  if (!found.ok()) return found.error();
  Status status = Done{};
  const auto write = [&](const Attempted& row, JsonWriter& json) {
    const Result<std::string> payload = shown_payload(browse, *row.message, query.with_content);
    if (!payload.ok()) status = payload.error();
    json.begin_object();
    write_message_fields(*row.message, payload.ok() ? *payload : "{}", json);
    write_wire_status(row.delivery, query.is_expanded, json);
    json.end_object();
  };
  std::string text = page_text(
      in_display_order(*std::move(found), query.request), query.request,
      [](const Attempted& row) { return row.id; }, write);
  if (!status.ok()) return status.error();
  return json_response(200, std::move(text));
}

Status list_messages(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  ASSIGN_OR_RETURN(const MessagesQuery query, read_messages_query(*call, endpoint->id));
  call->browse([query](store::Browse& browse) { return messages_page(browse, query); });
  return Done{};
}

// An endpoint's own JSON with the status beside its fields.
void write_destination(const model::Endpoint& endpoint, const model::Delivery& delivery,
                       bool is_expanded, JsonWriter& json) {
  JsonWriter own;
  write_endpoint(endpoint, own);
  std::string text = own.take();
  JsonWriter more;
  more.begin_object();
  write_wire_status(delivery, is_expanded, more);
  more.end_object();
  text.back() = ',';
  text += std::string_view(more.text()).substr(1);
  json.raw(text);
}

Status list_destinations(const CallPtr& call) {
  ASSIGN_OR_RETURN(const auto request,
                   read_page(call->query, EndpointId::kPrefix, store::Order::Ascending));
  ASSIGN_OR_RETURN(const auto is_expanded, read_expanded(call->query));
  call->browse([request, is_expanded, application = call->application->id,
                id = call->parameter("msg_id"), &catalogue = call->services().catalogue](
                   store::Browse& browse) -> Result<net::HttpResponse> {
    ASSIGN_OR_RETURN(const model::Message message, find_message(browse, application, id));
    ASSIGN_OR_RETURN(auto deliveries, browse.deliveries_of_message(message.id));
    std::erase_if(deliveries, [&](const model::Delivery& each) {
      return catalogue.endpoint(each.key.endpoint) == nullptr;
    });
    std::sort(deliveries.begin(), deliveries.end(),
              [](const auto& one, const auto& other) { return one.key < other.key; });
    auto listed = window(std::move(deliveries), request.page,
                         [](const model::Delivery& each) { return each.key.endpoint.ksuid(); });
    return json_response(200, page_text(
                                  in_display_order(std::move(listed), request), request,
                                  [](const model::Delivery& each) { return each.key.endpoint; },
                                  [&](const model::Delivery& each, JsonWriter& json) {
                                    const store::EndpointPtr endpoint =
                                        catalogue.endpoint(each.key.endpoint);
                                    write_destination(*endpoint, each, is_expanded, json);
                                  }));
  });
  return Done{};
}

}  // namespace

std::vector<Route> message_destination_routes() {
  using enum Capability;
  RouteTable table("Message attempt");
  table.add(
      "GET", "/api/v1/app/{app_id}/endpoint/{endpoint_id}/msg", {ViewBase, list_messages},
      {"v1.message-attempt.list-attempted-messages",
       "List the messages of an endpoint, with what became of each"},
      {.query = "limit iterator attempt_status channel tag event_types before after with_content "
                "expanded_statuses",
       .response = "ListResponse_EndpointMessageOut_"});
  table.add("GET", "/api/v1/app/{app_id}/msg/{msg_id}/endpoint", {ViewBase, list_destinations},
            {"v1.message-attempt.list-attempted-destinations",
             "List the endpoints of a message, with what became of it at each"},
            {.query = "limit iterator expanded_statuses",
             .response = "ListResponse_MessageEndpointOut_"});
  return table.take();
}

}  // namespace petrel::api
