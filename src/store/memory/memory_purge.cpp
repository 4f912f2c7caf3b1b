// How MemoryStore drops what is past its retention.

#include <algorithm>

#include "store/memory/memory_store.h"

namespace petrel::store {
namespace {

constexpr char kBetween = ' ';

std::string place_of(ApplicationId application, MessageId message) {
  return application.text() + kBetween + message.text();
}

// The beginning, if nobody was there yet.
std::pair<ApplicationId, MessageId> read_place(const std::optional<std::string>& place) {
  if (!place) return {};
  const std::size_t between = place->find(kBetween);
  const auto application = ApplicationId::parse(place->substr(0, between));
  const auto message = MessageId::parse(place->substr(between + 1));
  if (!application.ok() || !message.ok()) return {};
  return {*application, *message};
}

MessageId last_message() {
  Ksuid::Bytes bytes;
  bytes.fill(0xFF);
  return MessageId(Ksuid(bytes));
}

}  // namespace

void MemoryStore::purge(PurgeOrder order, PurgeDone done) {
  const WallTime now = clock_.wall();
  const WallTime begun_at = std::min(order.begun_at.value_or(now), now);
  Purged purged;
  const std::pair from = read_place(order.from);
  auto next =
      order.from ? messages_of_application_.upper_bound(from) : messages_of_application_.begin();
  std::size_t dropped = 0;  // Looking at what stays costs nothing here.
  const auto is_full = [&] {
    return dropped >= order.messages_max ||
           purged.deliveries + purged.attempts >= order.records_max;
  };
  while (next != messages_of_application_.end() && !is_full()) {
    const auto [application, message] = *next;
    const model::Retention& retention = order.rules->of(application);
    const bool is_young = message.time() + retention.shortest() > begun_at;
    if (is_young && own_periods_ == 0) {
      next = messages_of_application_.upper_bound({application, last_message()});
      continue;  // So are those behind it.
    }
    ++next;
    purged.next = place_of(application, message);
    const Look seen = look(messages_.at(message));
    const model::Disposal over = model::dispose(seen.inventory, retention, now);
    if (over.is_anything()) ++dropped;
    drop(seen, over, message, purged);
  }
  if (next == messages_of_application_.end()) {
    purged.next.reset();
    purged.kept = kept_;
  }
  answer(std::move(done), Result<Purged>(std::move(purged)));
}

MemoryStore::Look MemoryStore::look(const Kept& kept) const {
  Look seen;
  const model::Message& message = kept.message;
  seen.inventory.accepted_at = message.accepted_at;
  seen.inventory.payload_expires_at = message.payload_expires_at;
  seen.inventory.has_payload = kept.payload != nullptr;
  for (const EndpointId& endpoint : message.endpoints) {
    const auto delivery = deliveries_.find({endpoint, message.id});
    if (delivery == deliveries_.end()) continue;
    seen.deliveries.push_back(delivery->first);
    seen.inventory.deliveries.push_back({delivery->second.state, delivery->second.updated_at});
  }
  for (auto attempt = attempts_.lower_bound({message.id, AttemptId()});
       attempt != attempts_.end() && attempt->first.first == message.id; ++attempt) {
    seen.attempts.push_back(attempt->first.second);
    seen.inventory.attempts.push_back(attempt->first.second.time());
  }
  return seen;
}

void MemoryStore::drop(const Look& look, const model::Disposal& over, MessageId message,
                       Purged& purged) {
  for (const std::size_t place : over.attempts) {
    const auto attempt = attempts_.find({message, look.attempts[place]});
    attempts_of_endpoint_.erase({attempt->second.delivery.endpoint, look.attempts[place]});
    attempts_.erase(attempt);
  }
  purged.attempts += over.attempts.size();
  for (const std::size_t place : over.deliveries) {
    const auto delivery = deliveries_.find(look.deliveries[place]);
    if (delivery->second.state == model::DeliveryState::Dead) ++purged.dead_letters;
    unindex(delivery->second);
    deliveries_.erase(delivery);
  }
  purged.deliveries += over.deliveries.size();
  Kept& kept = messages_.at(message);
  if (over.payload) {
    ++purged.payloads;
    purged.payload_bytes += kept.payload->size();
    forget_payload(kept);
  }
  if (!over.message) return;
  ++purged.messages;
  const auto event_id = event_ids_.find({kept.message.application, kept.message.event_id});
  if (event_id != event_ids_.end() && event_id->second == message) event_ids_.erase(event_id);
  messages_of_application_.erase({kept.message.application, message});
  messages_.erase(message);
  --kept_.messages;
}

}  // namespace petrel::store
