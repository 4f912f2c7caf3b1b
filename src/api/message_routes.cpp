#include <algorithm>

#include "api/call.h"
#include "api/json_message.h"
#include "api/message_lookup.h"
#include "api/paging.h"
#include "api/routes.h"
#include "intake/idempotency.h"

namespace petrel::api {
namespace {

net::HttpResponse shown(int status, const model::Message& message, std::string_view payload) {
  return written(status, [&](JsonWriter& json) { write_message(message, payload, json); });
}

// The first message's time is in the store; all else is as it was asked for again.
void answer_again(const CallPtr& call, const intake::Receipt& receipt, bool with_content) {
  call->browse([receipt, with_content](store::Browse& browse) -> Result<net::HttpResponse> {
    const model::Message& asked = receipt.message;
    const Result<model::Message> first = browse.message(asked.application, asked.id);
    if (!first.ok() && first.error().kind != ErrorKind::NotFound) return first.error();
    return shown(202, first.ok() ? *first : asked, payload_text(receipt.payload, with_content));
  });
}

Result<std::optional<store::IdempotentAnswer>> idempotency_of(Call& call) {
  const std::string_view key = call.request.header("idempotency-key");
  if (key.empty()) return std::optional<store::IdempotentAnswer>();
  if (key.size() > intake::kIdempotencyKeyBytesMax) {
    return invalid("header.idempotency-key", "must not be longer than 1024 bytes");
  }
  return std::optional(intake::idempotent_answer({.organisation = call.caller.organisation,
                                                  .path = path_of(call.request.target),
                                                  .key = key,
                                                  .body = call.request.body},
                                                 call.parts().clock.wall()));
}

void create(const CallPtr& call) {
  const Result<bool> with_content = call->query.flag("with_content", true);
  if (!with_content.ok()) return call->answer(with_content.error());
  Result<MessageBody> body = call->desk->message_reader.read(call->request.body);
  if (!body.ok()) return call->answer(body.error().under("body"));
  auto idempotent = idempotency_of(*call);
  if (!idempotent.ok()) return call->answer(idempotent.error());

  intake::NewMessage message;
  message.application = call->application->id;
  message.event_type = std::move(body->event_type);
  message.event_id = std::move(body->event_id);
  message.channels = std::move(body->channels);
  message.payload = std::move(body->payload);
  message.idempotent = *std::move(idempotent);
  call->parts().intake.accept(std::move(message), [call, with_content = *with_content](
                                                      const Result<intake::Receipt>& receipt) {
    if (!receipt.ok()) {
      const Error& error = receipt.error();
      return call->answer(error.kind == ErrorKind::Invalid ? error.under("body") : error);
    }
    if (receipt->is_repeated) return answer_again(call, *receipt, with_content);
    call->answer(shown(202, receipt->message, payload_text(receipt->payload, with_content)));
  });
}

void get(const CallPtr& call) {
  const Result<bool> with_content = call->query.flag("with_content", true);
  if (!with_content.ok()) return call->answer(with_content.error());
  call->browse([application = call->application->id, id = call->parameter("msg_id"),
                with_content = *with_content](store::Browse& browse) -> Result<net::HttpResponse> {
    const Result<model::Message> message = find_message(browse, application, id);
    if (!message.ok()) return message.error();
    Result<model::Payload> payload = model::Payload();
    if (with_content) payload = browse.payload(message->id);
    if (!payload.ok()) return payload.error();
    return shown(200, *message, payload_text(*payload, with_content));
  });
}

struct ListQuery {
  ApplicationId application;
  PageRequest request;
  MessageFilter filter;
  bool with_content = true;
};

Result<ListQuery> read_list_query(const Call& call) {
  const auto request = read_page(call.query, MessageId::kPrefix, store::Order::Descending);
  if (!request.ok()) return request.error();
  const auto filter = read_message_filter(call.query);
  if (!filter.ok()) return filter.error();
  const auto with_content = call.query.flag("with_content", true);
  if (!with_content.ok()) return with_content.error();
  return ListQuery{call.application->id, *request, *filter, *with_content};
}

// Ids are ordered by time, so a limit in time is a place to begin.
store::Page begun_at_filter(store::Page page, const MessageFilter& filter) {
  const bool is_descending = page.order == store::Order::Descending;
  const std::optional<WallTime>& limit = is_descending ? filter.before : filter.after;
  if (!limit) return page;
  const Ksuid start = Ksuid::first_at(*limit);
  if (!page.after || (is_descending ? start < *page.after : start > *page.after)) {
    page.after = start;
  }
  return page;
}

Result<Shown<model::Message>> listed(store::Browse& browse, const ListQuery& query) {
  const store::Page page = begun_at_filter(query.request.page, query.filter);
  // Where the other limit in time is passed, nothing further can fit.
  const bool is_descending = page.order == store::Order::Descending;
  const auto is_past = [&](const model::Message& message) {
    const WallTime time = message.id.time();
    if (is_descending) return query.filter.after && time <= *query.filter.after;
    return query.filter.before && time >= *query.filter.before;
  };
  return scan<model::Message>(
      page,
      [&](const store::Page& next) -> Result<store::Listed<model::Message>> {
        Result<store::Listed<model::Message>> rows = browse.messages(query.application, next);
        if (!rows.ok()) return rows;
        const auto end = std::find_if(rows->items.begin(), rows->items.end(), is_past);
        if (end != rows->items.end()) rows->has_more = false;
        rows->items.erase(end, rows->items.end());
        return rows;
      },
      [&](const model::Message& message) -> Result<bool> { return query.filter.matches(message); });
}

void list(const CallPtr& call) {
  const Result<ListQuery> query = read_list_query(*call);
  if (!query.ok()) return call->answer(query.error());
  call->browse([query = *query](store::Browse& browse) -> Result<net::HttpResponse> {
    Result<Shown<model::Message>> found = listed(browse, query);
    if (!found.ok()) return found.error();
    Status status = Done{};
    const auto write = [&](const model::Message& message, JsonWriter& json) {
      Result<model::Payload> payload = model::Payload();
      if (query.with_content) payload = browse.payload(message.id);
      if (!payload.ok()) status = payload.error();
      const model::Payload& content = payload.ok() ? *payload : nullptr;
      write_message(message, payload_text(content, query.with_content), json);
    };
    std::string text = page_text(
        facing(*std::move(found), query.request), query.request,
        [](const model::Message& message) { return message.id; }, write);
    if (!status.ok()) return status.error();
    return json_response(200, std::move(text));
  });
}

}  // namespace

std::vector<Route> message_routes() {
  return {
      {"GET", "/api/v1/app/{app_id}/msg", Scope::Application, list},
      {"POST", "/api/v1/app/{app_id}/msg", Scope::Organisation, create},
      {"GET", "/api/v1/app/{app_id}/msg/{msg_id}", Scope::Application, get},
  };
}

}  // namespace petrel::api
