// Messages: taking one in, and reading what was taken in.

#include <algorithm>

#include "api/http/call.h"
#include "api/http/error.h"
#include "api/http/paging.h"
#include "api/http/route_table.h"
#include "api/json/application.h"
#include "api/json/fields.h"
#include "api/json/message.h"
#include "api/routes/ensure_application.h"
#include "api/routes/message_lookup.h"
#include "api/routes/routes.h"
#include "base/try.h"
#include "intake/idempotency.h"
#include "model/endpoint.h"

namespace petrel::api {
namespace {

net::HttpResponse shown(int status, const model::Message& message, std::string_view payload) {
  return json_body(status, [&](JsonWriter& json) { write_message(message, payload, json); });
}

net::HttpResponse shown_receipt(const intake::Receipt& receipt, bool with_content) {
  return shown(202, receipt.message, payload_text(receipt.message, receipt.payload, with_content));
}

// A producer who sends much while memory is short is spared its own payload: what matters is that
// it hears of the message.
bool has_room_to_show(const Call& call, const intake::Receipt& receipt) {
  const std::size_t bytes = receipt.payload->size();
  return bytes < MemoryBudget::kNamedMin ||
         call.services().memory.has_room(MemoryUse::Responses, bytes, call.account().get());
}

// The first message's times are in the store; all else is as it was asked for again.
void answer_again(const CallPtr& call, const intake::Receipt& receipt, bool with_content) {
  with_content = with_content && has_room_to_show(*call, receipt);
  call->browse([receipt, with_content](store::Browse& browse) -> Result<net::HttpResponse> {
    const model::Message& asked = receipt.message;
    const Result<model::Message> first = browse.message(asked.application, asked.id);
    if (!first.ok() && first.error().kind != ErrorKind::NotFound) return first.error();
    return shown_receipt({first.ok() ? *first : asked, receipt.payload, true}, with_content);
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
                                                 call.services().clock.wall()));
}

// REQUIRES: the call's application is there.
void accept(const CallPtr& call, intake::NewMessage message, bool with_content) {
  message.application = call->application->id;
  call->services().intake.accept(
      std::move(message), [call, with_content](const Result<intake::Receipt>& receipt) {
        if (!receipt.ok()) {
          const Error& error = receipt.error();
          return call->answer(error.kind == ErrorKind::Invalid ? error.under("body") : error);
        }
        if (receipt->is_repeated) return answer_again(call, *receipt, with_content);
        call->answer(shown_receipt(*receipt, with_content && has_room_to_show(*call, *receipt)));
      });
}

// Room is made by retention, which takes a while.
Status refuse_for_now(Call& call, std::string_view why) {
  net::HttpResponse page = coded_page(503, "disk_full", why);
  page.headers = {{"Retry-After", "30"}};
  call.answer(std::move(page));
  return Done{};
}

Status create(const CallPtr& call) {
  if (const auto& may_accept = call->context->settings.may_accept) {
    const Status accepting = may_accept();
    if (!accepting.ok()) return refuse_for_now(*call, accepting.error().detail);
  }
  ASSIGN_OR_RETURN(const bool with_content, call->query.flag("with_content", true));
  ASSIGN_OR_RETURN(MessageBody body,
                   under("body", call->context->message_reader.read(call->request.body)));
  ASSIGN_OR_RETURN(auto idempotent, idempotency_of(*call));
  std::string().swap(call->request.body);  // The payload was taken out of it.

  intake::NewMessage message;
  message.event_type = std::move(body.event_type);
  message.event_id = std::move(body.event_id);
  message.channels = std::move(body.channels);
  message.tags = std::move(body.tags);
  message.payload = std::move(body.payload);
  message.content_type = std::move(body.content_type);
  message.deliver_at = body.deliver_at;
  message.payload_retention = body.payload_retention;
  message.idempotent = std::move(idempotent);
  if (!body.application && call->application != nullptr) {
    accept(call, std::move(message), with_content);
    return Done{};
  }
  // The message is checked first: a bad one must not leave an application behind. Where there is
  // one the intake checks it, which knows whether it is a repetition.
  if (call->application == nullptr) {
    TRY(under("body", intake::validate(message, call->services().clock.wall())));
  }
  std::optional<model::Application> described;
  if (body.application) {
    TRY(under("body",
              under("application", read_application(*body.application, described.emplace()))));
  }
  ensure_application(call, described, [call, message = std::move(message), with_content] {
    accept(call, message, with_content);
  });
  return Done{};
}

std::function<Result<model::Message>(store::Browse&)> named_message(const Call& call) {
  return [application = call.application->id, id = call.parameter("msg_id")](
             store::Browse& browse) { return find_message(browse, application, id); };
}

Status get(const CallPtr& call) {
  ASSIGN_OR_RETURN(const bool with_content, call->query.flag("with_content", true));
  call->browse([find = named_message(*call),
                with_content](store::Browse& browse) -> Result<net::HttpResponse> {
    ASSIGN_OR_RETURN(const model::Message message, find(browse));
    ASSIGN_OR_RETURN(const std::string payload, shown_payload(browse, message, with_content));
    return shown(200, message, payload);
  });
  return Done{};
}

Status expunge(const CallPtr& call) {
  call->read<model::Message>(named_message(*call), [call](const model::Message& message) {
    call->change({store::ExpungePayload{message.application, message.id}});
  });
  return Done{};
}

// Whether a message like this would reach any endpoint now.
Result<net::HttpResponse> precheck(Call& call) {
  ASSIGN_OR_RETURN(const JsonValue body, call.json());
  ASSIGN_OR_RETURN(const Fields fields, under("body", Fields::of(body)));
  intake::NewMessage message;
  TRY(under("body",
            first_error({take(fields, "eventType", message.event_type, TextReading{}),
                         take_or_clear(fields, "channels", message.channels, read_texts)})));
  if (fields.find("eventType") == nullptr) return invalid("body.eventType", "is missing");
  TRY(under("body", intake::validate(message, call.services().clock.wall())));
  const auto endpoints = call.services().catalogue.endpoints_of(call.application->id);
  const bool is_active =
      std::any_of(endpoints.begin(), endpoints.end(), [&](const store::EndpointPtr& each) {
        return !each->is_disabled && wants(*each, message.event_type, message.channels);
      });
  return json_body(
      200, [&](JsonWriter& json) { json.begin_object().field("active", is_active).end_object(); });
}

struct ListQuery {
  ApplicationId application;
  PageRequest request;
  MessageFilter filter;
  bool with_content = true;
};

Result<ListQuery> read_list_query(const Call& call) {
  ASSIGN_OR_RETURN(const auto request,
                   read_page(call.query, MessageId::kPrefix, store::Order::Descending));
  ASSIGN_OR_RETURN(const auto filter, read_message_filter(call.query));
  ASSIGN_OR_RETURN(const auto with_content, call.query.flag("with_content", true));
  return ListQuery{call.application->id, request, filter, with_content};
}

Result<Shown<model::Message>> listed(store::Browse& browse, const ListQuery& query) {
  const store::Page page = begun_at_filter(query.request.page, query.filter);
  return scan<model::Message>(
      page,
      [&](const store::Page& next) -> Result<store::Listed<model::Message>> {
        Result<store::Listed<model::Message>> rows = browse.messages(query.application, next);
        if (!rows.ok()) return rows;
        const auto end = std::find_if(
            rows->items.begin(), rows->items.end(),
            [&](const model::Message& each) { return is_past(query.filter, page.order, each.id); });
        if (end != rows->items.end()) rows->has_more = false;
        rows->items.erase(end, rows->items.end());
        return rows;
      },
      [&](const model::Message& message) -> Result<bool> { return query.filter.matches(message); });
}

Status list(const CallPtr& call) {
  ASSIGN_OR_RETURN(const ListQuery query, read_list_query(*call));
  call->browse([query](store::Browse& browse) -> Result<net::HttpResponse> {
    ASSIGN_OR_RETURN(Shown<model::Message> found, listed(browse, query));
    Status status = Done{};
    const auto write = [&](const model::Message& message, JsonWriter& json) {
      const Result<std::string> payload = shown_payload(browse, message, query.with_content);
      if (!payload.ok()) status = payload.error();
      write_message(message, payload.ok() ? *payload : "{}", json);
    };
    std::string text = page_text(
        in_display_order(std::move(found), query.request), query.request,
        [](const model::Message& message) { return message.id; }, write);
    if (!status.ok()) return status.error();
    return json_response(200, std::move(text));
  });
  return Done{};
}

}  // namespace

std::vector<Route> message_routes() {
  using enum Capability;
  constexpr std::string_view kAll = "/api/v1/app/{app_id}/msg";
  RouteTable table("Message");
  table.add("GET", kAll, {ViewBase, list}, {"v1.message.list", "List messages"},
            {.query = "limit iterator channel tag event_types before after with_content",
             .response = "ListResponse_MessageOut_"});
  table.add(
      "POST", kAll, {kNewApplication, create},
      {"v1.message.create", "Create a message and have it delivered; answered once it is on disk"},
      {.query = "with_content", .request = "MessageIn", .status = 202, .response = "MessageOut"});
  table.add("GET", "/api/v1/app/{app_id}/msg/{msg_id}", {ViewBase, get},
            {"v1.message.get", "Get a message"},
            {.query = "with_content", .response = "MessageOut"});
  table.add("DELETE", "/api/v1/app/{app_id}/msg/{msg_id}/content", {kOrganisation, expunge},
            {"v1.message.expunge-content", "Delete the payload for good"}, {.status = 204});
  table.add("POST", "/api/v1/app/{app_id}/msg/precheck/active",
            {kOrganisation, sync_route(precheck)},
            {"v1.message.precheck", "Say whether a message of this type would reach any endpoint"},
            {.request = "MessagePrecheckIn", .response = "MessagePrecheckOut"});
  return table.take();
}

}  // namespace petrel::api
