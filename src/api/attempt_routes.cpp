#include <algorithm>
#include <map>
#include <optional>

#include "api/call.h"
#include "api/json_attempt.h"
#include "api/message_lookup.h"
#include "api/paging.h"
#include "api/routes.h"

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
};

// The wire's 0 is success and 2 failure. Attempts are recorded when they have ended, so there are
// none that are pending (1), sending (3) or canceled (4).
Status read_status(const Query& query, ListQuery& list) {
  const auto status = query.number("status");
  if (!status.ok()) return status.error();
  if (!*status) return Done{};
  if (**status > 4) return invalid("query.status", "must be 0 to 4");
  list.is_never = **status != 0 && **status != 2;
  if (!list.is_never) list.filter.is_success = **status == 0;
  return Done{};
}

Status read_status_class(const Query& query, ListQuery& list) {
  const auto code = query.number("status_code_class");
  if (!code.ok()) return code.error();
  if (!*code) return Done{};
  if (**code % 100 != 0 || **code > 500) {
    return invalid("query.status_code_class", "must be 0, 100, 200, 300, 400 or 500");
  }
  list.filter.status_class = static_cast<int>(**code / 100);
  return Done{};
}

Result<ListQuery> read_list_query(const Call& call) {
  ListQuery list;
  list.application = call.application->id;
  const auto request = read_page(call.query, AttemptId::kPrefix, store::Order::Descending);
  if (!request.ok()) return request.error();
  list.request = *request;
  const auto filter = read_message_filter(call.query);
  if (!filter.ok()) return filter.error();
  list.message_filter = *filter;
  // Here they are about the attempt.
  list.filter.before = std::exchange(list.message_filter.before, std::nullopt);
  list.filter.after = std::exchange(list.message_filter.after, std::nullopt);
  const auto with_content = call.query.flag("with_content", true);
  if (!with_content.ok()) return with_content.error();
  list.with_content = *with_content;
  if (const Status status = read_status(call.query, list); !status.ok()) return status.error();
  if (const Status status = read_status_class(call.query, list); !status.ok()) {
    return status.error();
  }
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

template <typename Fetch>
Result<net::HttpResponse> page_of(store::Browse& browse, const ListQuery& list, Fetch fetch) {
  Result<Shown<model::Attempt>> found = Shown<model::Attempt>();
  if (!list.is_never) {
    MessageTest test(browse, list);
    found = scan<model::Attempt>(list.request.page, fetch,
                                 [&](const model::Attempt& attempt) { return test(attempt); });
  }
  if (!found.ok()) return found.error();
  return json_response(200, page_text(
                                facing(*std::move(found), list.request), list.request,
                                [](const model::Attempt& attempt) { return attempt.id; },
                                [&](const model::Attempt& attempt, JsonWriter& json) {
                                  write_attempt(attempt, list.with_content, json);
                                }));
}

void list_by_endpoint(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(not_found("there is no such endpoint"));
  const Result<ListQuery> list = read_list_query(*call);
  if (!list.ok()) return call->answer(list.error());
  call->browse([list = *list, endpoint](store::Browse& browse) {
    return page_of(browse, list, [&](const store::Page& page) {
      return browse.attempts_of_endpoint(endpoint->id, list.filter, page);
    });
  });
}

void list_by_message(const CallPtr& call) {
  Result<ListQuery> list = read_list_query(*call);
  if (!list.ok()) return call->answer(list.error());
  if (const std::string_view id = call->query.text("endpoint_id"); !id.empty()) {
    const auto endpoint = call->parts().catalogue.find_endpoint(call->application->id, id);
    if (endpoint == nullptr) return call->answer(not_found("there is no such endpoint"));
    list->filter.endpoint = endpoint->id;
  }
  call->browse([list = *list, id = call->parameter("msg_id")](
                   store::Browse& browse) -> Result<net::HttpResponse> {
    const Result<model::Message> message = find_message(browse, list.application, id);
    if (!message.ok()) return message.error();
    return page_of(browse, list, [&](const store::Page& page) {
      return browse.attempts_of_message(message->id, list.filter, page);
    });
  });
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
  const Result<Attempts> found = browse.attempts_of_message(message, {}, page);
  if (!found.ok()) return found.error();
  if (found->items.empty() || found->items.front().id != *id) return none;
  return found->items.front();
}

void get(const CallPtr& call) {
  call->browse(
      [application = call->application->id, message_id = call->parameter("msg_id"),
       id = call->parameter("attempt_id")](store::Browse& browse) -> Result<net::HttpResponse> {
        const Result<model::Message> message = find_message(browse, application, message_id);
        if (!message.ok()) return message.error();
        const Result<model::Attempt> attempt = find_attempt(browse, message->id, id);
        if (!attempt.ok()) return attempt.error();
        return written(200, [&](JsonWriter& json) { write_attempt(*attempt, true, json); });
      });
}

}  // namespace

std::vector<Route> attempt_routes() {
  return {
      {"GET", "/api/v1/app/{app_id}/attempt/endpoint/{endpoint_id}", Scope::Application,
       list_by_endpoint},
      {"GET", "/api/v1/app/{app_id}/attempt/msg/{msg_id}", Scope::Application, list_by_message},
      {"GET", "/api/v1/app/{app_id}/msg/{msg_id}/attempt/{attempt_id}", Scope::Application, get},
  };
}

}  // namespace petrel::api
