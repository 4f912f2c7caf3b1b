#include "api/routes/delivery_walk.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"

namespace petrel::api {
namespace {

EndpointId last_endpoint() {
  Ksuid::Bytes bytes;
  bytes.fill(0xFF);
  return EndpointId(Ksuid(bytes));
}

}  // namespace

std::string DeliveryCursor::text() const {
  std::string text = key.message.text() + "." + key.endpoint.text();
  if (died_at) text += fmt::format(".{}", died_at->time_since_epoch().count());
  return text;
}

std::optional<DeliveryCursor> DeliveryCursor::parse(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const Result<MessageId> message = MessageId::parse(text.substr(0, dot));
  std::string_view rest = text.substr(dot + 1);
  const std::size_t second = std::min(rest.find('.'), rest.size());
  const Result<EndpointId> endpoint = EndpointId::parse(rest.substr(0, second));
  if (!message.ok() || !endpoint.ok()) return std::nullopt;
  DeliveryCursor cursor{{*endpoint, *message}};
  if (second == rest.size()) return cursor;
  const std::optional<std::int64_t> count = parse_digits(rest.substr(second + 1));
  if (!count) return std::nullopt;
  cursor.died_at = WallTime(WallTime::duration(*count));
  return cursor;
}

DeliveryCursor DeliveryWalk::cursor_of(const model::Delivery& delivery) const {
  DeliveryCursor cursor{delivery.key};
  if (range_.is_dead_only) cursor.died_at = delivery.updated_at;
  return cursor;
}

Result<WalkedBatch> DeliveryWalk::next(const std::optional<DeliveryCursor>& after) {
  if (range_.is_dead_only) return next_dead(after);
  return range_.endpoint ? next_of_endpoint(after) : next_of_application(after);
}

Status DeliveryWalk::add(const model::Delivery& delivery, WalkedBatch& batch) {
  Result<model::Message> message = browse_.message(range_.application, delivery.key.message);
  if (!message.ok() && message.error().kind != ErrorKind::NotFound) return message.error();
  batch.rows.push_back({delivery, std::nullopt});
  if (message.ok()) batch.rows.back().message = *std::move(message);
  batch.looked_to = cursor_of(delivery);
  return Done{};
}

Result<WalkedBatch> DeliveryWalk::next_dead(const std::optional<DeliveryCursor>& after) {
  store::DeadQuery query{.application = range_.application,
                         .endpoint = range_.endpoint,
                         .order = range_.order,
                         .limit = kBatch};
  if (after) {
    query.after = {after->key.endpoint, after->died_at.value_or(WallTime()), after->key.message};
  }
  ASSIGN_OR_RETURN(const auto dead, browse_.dead_letters(query));
  WalkedBatch batch;
  batch.has_more = dead.has_more;
  for (const model::Delivery& delivery : dead.items) {
    TRY(add(delivery, batch));
  }
  return batch;
}

store::Page DeliveryWalk::page_behind(const std::optional<DeliveryCursor>& after) const {
  store::Page page{.after = {}, .order = range_.order, .limit = kBatch};
  if (after) page.after = after->key.message.ksuid();
  return begun_at_filter(page, range_.messages);
}

Result<WalkedBatch> DeliveryWalk::next_of_endpoint(const std::optional<DeliveryCursor>& after) {
  ASSIGN_OR_RETURN(const auto listed,
                   browse_.deliveries_of_endpoint(*range_.endpoint, page_behind(after)));
  WalkedBatch batch;
  batch.has_more = listed.has_more;
  for (const model::Delivery& delivery : listed.items) {
    if (is_past(range_.messages, range_.order, delivery.key.message)) {
      batch.has_more = false;
      break;
    }
    TRY(add(delivery, batch));
  }
  return batch;
}

Status DeliveryWalk::add_message(const model::Message& message,
                                 const std::optional<EndpointId>& after, WalkedBatch& batch) {
  ASSIGN_OR_RETURN(auto deliveries, browse_.deliveries_of_message(message.id));
  const bool is_ascending = range_.order == store::Order::Ascending;
  std::sort(deliveries.begin(), deliveries.end(), [&](const auto& one, const auto& other) {
    return is_ascending ? one.key < other.key : other.key < one.key;
  });
  for (model::Delivery& delivery : deliveries) {
    const EndpointId endpoint = delivery.key.endpoint;
    if (after && (is_ascending ? endpoint <= *after : endpoint >= *after)) continue;
    batch.rows.push_back({std::move(delivery), message});
  }
  batch.looked_to = {{is_ascending ? last_endpoint() : EndpointId(), message.id}};
  return Done{};
}

Result<WalkedBatch> DeliveryWalk::next_of_application(const std::optional<DeliveryCursor>& after) {
  WalkedBatch batch;
  if (after) {
    // What is left of the message that the last page broke off in.
    const Result<model::Message> message = browse_.message(range_.application, after->key.message);
    if (!message.ok() && message.error().kind != ErrorKind::NotFound) return message.error();
    if (message.ok()) {
      TRY(add_message(*message, after->key.endpoint, batch));
    }
  }
  ASSIGN_OR_RETURN(const auto listed, browse_.messages(range_.application, page_behind(after)));
  batch.has_more = listed.has_more;
  for (const model::Message& message : listed.items) {
    if (is_past(range_.messages, range_.order, message.id)) {
      batch.has_more = false;
      break;
    }
    TRY(add_message(message, std::nullopt, batch));
  }
  return batch;
}

}  // namespace petrel::api
