// Attempts: how each request of a delivery ended.

#include <algorithm>
#include <map>
#include <optional>

#include "api/http/call.h"
#include "api/http/paging.h"
#include "api/http/route_table.h"
#include "api/json/attempt.h"
#include "api/json/wire_status.h"
#include "api/routes/message_lookup.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

using Attempts = store::Listed<model::Attempt>;

struct ListQuery {
  ApplicationId application;
  PageRequest request;
  store::AttemptFilter filter;
  MessageFilter message_filter;
  bool is_never = false;  // Asks for a status that no recorded attempt has.
  bool with_content = true;
  bool with_message = false;
};

// The wire's 0 is success and 2 failure. Attempts are recorded when they have ended, so there are
// none that are pending (1), sending (3) or canceled (4).
Status take_status(const Query& query, ListQuery& list) {
  ASSIGN_OR_RETURN(const auto status, read_status(query));
  if (!status) return Done{};
  list.is_never = *status != 0 && *status != 2;
  if (!list.is_never) list.filter.is_success = *status == 0;
  return Done{};
}

Status take_status_class(const Query& query, ListQuery& list) {
  ASSIGN_OR_RETURN(const auto code, query.number("status_code_class"));
  if (!code) return Done{};
  if (*code % 100 != 0 || *code > 500) {
    return invalid("query.status_code_class", "must be 0, 100, 200, 300, 400 or 500");
  }
  list.filter.status_class = static_cast<int>(*code / 100);
  return Done{};
}

Result<ListQuery> read_list_query(const Call& call) {
  ListQuery list;
  list.application = call.application->id;
  ASSIGN_OR_RETURN(list.request,
                   read_page(call.query, AttemptId::kPrefix, store::Order::Descending));
  ASSIGN_OR_RETURN(list.message_filter, read_message_filter(call.query));
  // Here they are about the attempt.
  list.filter.before = std::exchange(list.message_filter.before, std::nullopt);
  list.filter.after = std::exchange(list.message_filter.after, std::nullopt);
  ASSIGN_OR_RETURN(list.with_content, call.query.flag("with_content", true));
  ASSIGN_OR_RETURN(list.with_message, call.query.flag("with_msg", false));
  // Accepted: no attempt is recorded as canceled, so it changes nothing here.
  TRY(read_expanded(call.query));
  TRY(take_status(call.query, list));
  TRY(take_status_class(call.query, list));
  return list;
}

// Whether the message of an attempt fits; asked once per message.
class MessageTest {
 public:
  MessageTest(store::Browse& browse, const ListQuery& list) : browse_(browse), list_(list) {}

  Result<bool> operator()(const model::Attempt& attempt) {
    if (!list_.message_filter.looks_inside()) return true;
    const MessageId id = attempt.delivery.message;
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    const Result<model::Message> message = browse_.message(list_.application, id);
    if (!message.ok() && message.error().kind != ErrorKind::NotFound) return message.error();
    const bool fits = message.ok() && list_.message_filter.matches(*message);
    known_.emplace(id, fits);
    return fits;
  }

 private:
  store::Browse& browse_;
  const ListQuery& list_;
  std::map<MessageId, bool> known_;
};

// Empty if the message is gone.
Result<std::optional<ShownMessage>> message_of(store::Browse& browse, const model::Attempt& attempt,
                                               bool with_content) {
  const MessageId id = attempt.delivery.message;
  Result<model::Message> message = browse.message(attempt.application, id);
  if (!message.ok() && message.error().kind == ErrorKind::NotFound) {
    return std::optional<ShownMessage>();
  }
  if (!message.ok()) return message.error();
  ASSIGN_OR_RETURN(std::string payload, shown_payload(browse, *message, with_content));
  return std::optional(ShownMessage{*std::move(message), std::move(payload)});
}

template <typename Fetch>
Result<net::HttpResponse> page_of(store::Browse& browse, const ListQuery& list, Fetch fetch) {
  Result<Shown<model::Attempt>> found = Shown<model::Attempt>();
  if (!list.is_never) {
    MessageTest test(browse, list);
    found = scan<model::Attempt>(list.request.page, fetch,
                                 [&](const model::Attempt& attempt) { return test(attempt); });
  }
  if (!found.ok()) return found.error();
  Status status = Done{};
  const auto write = [&](const model::Attempt& attempt, JsonWriter& json) {
    Result<std::optional<ShownMessage>> message = std::optional<ShownMessage>();
    if (list.with_message) message = message_of(browse, attempt, list.with_content);
    if (!message.ok()) status = message.error();
    const bool has_message = message.ok() && message->has_value();
    write_attempt(attempt, list.with_content, has_message ? &**message : nullptr, json);
  };
  std::string text = page_text(
      in_display_order(*std::move(found), list.request), list.request,
      [](const model::Attempt& attempt) { return attempt.id; }, write);
  if (!status.ok()) return status.error();
  return json_response(200, std::move(text));
}

Status list_by_endpoint(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  ASSIGN_OR_RETURN(const ListQuery list, read_list_query(*call));
  call->browse([list, endpoint](store::Browse& browse) {
    return page_of(browse, list, [&](const store::Page& page) {
      return browse.attempts_of_endpoint(endpoint->id, list.filter, page);
    });
  });
  return Done{};
}

// Of one endpoint only, if `endpoint` names one.
Status list_of_message(const CallPtr& call, std::string_view endpoint) {
  ASSIGN_OR_RETURN(ListQuery list, read_list_query(*call));
  if (!endpoint.empty()) {
    const auto found = call->services().catalogue.find_endpoint(call->application->id, endpoint);
    if (found == nullptr) return no_such_endpoint();
    list.filter.endpoint = found->id;
  }
  call->browse(
      [list, id = call->parameter("msg_id")](store::Browse& browse) -> Result<net::HttpResponse> {
        ASSIGN_OR_RETURN(const model::Message message, find_message(browse, list.application, id));
        return page_of(browse, list, [&](const store::Page& page) {
          return browse.attempts_of_message(message.id, list.filter, page);
        });
      });
  return Done{};
}

Status list_by_message(const CallPtr& call) {
  return list_of_message(call, call->query.text("endpoint_id"));
}

Status list_by_message_and_endpoint(const CallPtr& call) {
  return list_of_message(call, call->parameter("endpoint_id"));
}

// The one right before it, so that a list that begins behind that begins with it.
Ksuid before(const Ksuid& ksuid) {
  Ksuid::Bytes bytes = ksuid.bytes();
  for (std::size_t i = bytes.size(); i-- > 0;) {
    if (bytes[i]-- != 0) break;
  }
  return Ksuid(bytes);
}

Result<model::Attempt> find_attempt(store::Browse& browse, MessageId message,
                                    std::string_view text) {
  const Error none = not_found("there is no such attempt");
  const Result<AttemptId> id = AttemptId::parse(text);
  if (!id.ok() || id->ksuid() == Ksuid()) return none;
  const store::Page page{
      .after = before(id->ksuid()), .order = store::Order::Ascending, .limit = 1};
  ASSIGN_OR_RETURN(const Attempts found, browse.attempts_of_message(message, {}, page));
  if (found.items.empty() || found.items.front().id != *id) return none;
  return found.items.front();
}

// The one that the path names.
std::function<Result<model::Attempt>(store::Browse&)> named_attempt(const Call& call) {
  return [application = call.application->id, message_id = call.parameter("msg_id"),
          id = call.parameter("attempt_id")](store::Browse& browse) -> Result<model::Attempt> {
    ASSIGN_OR_RETURN(const model::Message message, find_message(browse, application, message_id));
    return find_attempt(browse, message.id, id);
  };
}

Status get(const CallPtr& call) {
  call->read<model::Attempt>(named_attempt(*call), [call](const model::Attempt& attempt) {
    call->answer(
        json_body(200, [&](JsonWriter& json) { write_attempt(attempt, true, nullptr, json); }));
  });
  return Done{};
}

Status expunge(const CallPtr& call) {
  call->read<model::Attempt>(named_attempt(*call), [call](const model::Attempt& attempt) {
    call->change({store::ExpungeResponse{attempt.delivery.message, attempt.id}});
  });
  return Done{};
}

constexpr std::string_view kListQuery =
    "limit iterator attempt_status status_code_class channel tag event_types before after "
    "with_content with_msg expanded_statuses";
constexpr std::string_view kMessageListQuery =
    "limit iterator attempt_status status_code_class channel tag event_types endpoint_id before "
    "after with_content with_msg expanded_statuses";

}  // namespace

std::vector<Route> attempt_routes() {
  using enum Capability;
  constexpr std::string_view kOne = "/api/v1/app/{app_id}/msg/{msg_id}/attempt/{attempt_id}";
  constexpr std::string_view kContent =
      "/api/v1/app/{app_id}/msg/{msg_id}/attempt/{attempt_id}/content";
  constexpr std::string_view kList = "ListResponse_MessageAttemptOut_";
  RouteTable table("Message attempt");
  table.add("GET", "/api/v1/app/{app_id}/attempt/endpoint/{endpoint_id}",
            {ViewBase, list_by_endpoint},
            {"v1.message-attempt.list-by-endpoint", "List the attempts of an endpoint"},
            {.query = kListQuery, .response = kList});
  table.add("GET", "/api/v1/app/{app_id}/attempt/msg/{msg_id}", {ViewBase, list_by_message},
            {"v1.message-attempt.list-by-msg", "List the attempts of a message"},
            {.query = kMessageListQuery, .response = kList});
  table.add("GET", "/api/v1/app/{app_id}/msg/{msg_id}/attempt", {ViewBase, list_by_message},
            {"v1.message-attempt.list-by-msg-deprecated",
             "List the attempts of a message, by the path of older libraries"},
            {.query = kMessageListQuery, .response = kList});
  table.add("GET", "/api/v1/app/{app_id}/msg/{msg_id}/endpoint/{endpoint_id}/attempt",
            {ViewBase, list_by_message_and_endpoint},
            {"v1.message-attempt.list-by-endpoint-deprecated",
             "List the attempts of a message to one endpoint"},
            {.query = kListQuery, .response = kList});
  table.add("GET", kOne, {ViewBase, get}, {"v1.message-attempt.get", "Get an attempt"},
            {.response = "MessageAttemptOut"});
  table.add("DELETE", kContent, {kOrganisation, expunge},
            {"v1.message-attempt.expunge-content", "Delete for good what the receiver answered"},
            {.status = 204});
  return table.take();
}

}  // namespace petrel::api
