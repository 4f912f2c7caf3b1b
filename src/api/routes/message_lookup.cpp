#include "api/routes/message_lookup.h"

#include <algorithm>

#include "api/json/message.h"
#include "base/try.h"

namespace petrel::api {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

Error no_such_message() { return not_found("there is no such message"); }

}  // namespace

Result<model::Message> find_message(store::Browse& browse, ApplicationId application,
                                    std::string_view id_or_event_id) {
  Result<MessageId> id = no_such_message();
  if (id_or_event_id.starts_with(MessageId::kPrefix)) {
    id = MessageId::parse(id_or_event_id);
    if (!id.ok()) return no_such_message();
  } else {
    id = browse.message_by_event_id(application, id_or_event_id);
  }
  Result<model::Message> message =
      id.ok() ? browse.message(application, *id) : Result<model::Message>(id.error());
  if (!message.ok() && message.error().kind == ErrorKind::NotFound) return no_such_message();
  return message;
}

Result<std::string> shown_payload(store::Browse& browse, const model::Message& message,
                                  bool with_content) {
  if (!with_content) return payload_text(message, nullptr, false);
  ASSIGN_OR_RETURN(const model::Payload payload, browse.payload(message.id));
  return payload_text(message, payload, true);
}

bool MessageFilter::matches(const model::Message& message) const {
  if (!event_types.empty() && !contains(event_types, message.event_type)) return false;
  if (!channel.empty() && !contains(message.channels, channel)) return false;
  if (!tag.empty() && !contains(message.tags, tag)) return false;
  if (before && message.id.time() >= *before) return false;
  return !after || message.id.time() > *after;
}

Result<MessageFilter> read_message_filter(const Query& query) {
  ASSIGN_OR_RETURN(const auto before, query.time("before"));
  ASSIGN_OR_RETURN(const auto after, query.time("after"));
  MessageFilter filter;
  filter.event_types = query.list("event_types");
  filter.channel = std::string(query.text("channel"));
  filter.tag = std::string(query.text("tag"));
  filter.before = before;
  filter.after = after;
  return filter;
}

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

bool is_past(const MessageFilter& filter, store::Order order, MessageId message) {
  const WallTime time = message.time();
  if (order == store::Order::Descending) return filter.after && time <= *filter.after;
  return filter.before && time >= *filter.before;
}

}  // namespace petrel::api
