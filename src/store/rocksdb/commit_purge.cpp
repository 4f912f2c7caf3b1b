// The writing half of a purge.

#include <chrono>

#include "store/rocksdb/commit.h"

namespace petrel::store {
namespace {

// What has changed while it was looked at, and what is damaged.
constexpr Duration kChangedLook = std::chrono::minutes(1);
constexpr Duration kDamagedLook = std::chrono::days(1);

}  // namespace

Result<Purged> Commit::purge(const PurgeBatch& batch) {
  Purged purged;
  for (const PurgeLook& look : batch.looks) {
    if (Status dropped = drop(look, batch.now, purged); !dropped.ok()) return dropped.error();
  }
  const auto look_again = [&](ApplicationId application, MessageId message, WallTime at) {
    put(Family::Retention, again_key(at, application, message).slice(), {});
  };
  for (const auto& [application, message] : batch.damaged) {
    look_again(application, message, batch.now + kDamagedLook);
  }
  for (const std::string& key : batch.again_done) remove(Family::Retention, key);
  for (const auto& [application, cursor] : batch.cursors) {
    value_.clear();
    encode(cursor, value_);
    put(Family::Retention, purge_cursor_key(application).slice(), value_);
  }
  purged.next = batch.next;
  return purged;
}

// Whether something was written since that the look does not know of.
bool Commit::has_changed(const PurgeLook& look, const Result<bool>& is_stored) {
  const model::Message& message = look.stored.message;
  if (!is_stored.ok() || !*is_stored || view(read_) != look.record) return true;
  if (changed_.contains({Family::Message, message_key(message.application, message.id).text()})) {
    return true;
  }
  std::size_t next = 0;
  for (const EndpointId& endpoint : message.endpoints) {
    const auto now = standing({endpoint, message.id});
    const bool was_there = next < look.deliveries.size() && look.deliveries[next].first == endpoint;
    if (!now.ok() || now->has_value() != was_there) return true;
    if (was_there && **now != look.deliveries[next++].second) return true;
  }
  return false;
}

Status Commit::drop(const PurgeLook& look, WallTime now, Purged& purged) {
  const model::Message& message = look.stored.message;
  const Key key = message_key(message.application, message.id);
  const Result<bool> is_stored = database_.get(Family::Message, key.slice(), read_);
  if (is_stored.ok() && !*is_stored) return Done{};
  if (has_changed(look, is_stored)) {
    put(Family::Retention, again_key(now + kChangedLook, message.application, message.id).slice(),
        {});
    return Done{};
  }
  for (const std::size_t place : look.over.deliveries) {
    const auto& [endpoint, head] = look.deliveries[place];
    if (!head.reason) continue;
    if (Status loaded = tallies_.load_dropped(database_, {endpoint, message.id}); !loaded.ok()) {
      return loaded;
    }
  }
  if (look.over.message || look.over.payload) {
    if (Status loaded = tallies_.load_kept(database_, message.application); !loaded.ok()) {
      return loaded;
    }
  }
  drop_attempts(look);
  drop_deliveries(look, purged);
  const KeptSizes gone{.messages = look.over.message ? 1U : 0U,
                       .payloads = look.over.payload ? 1U : 0U,
                       .payload_bytes = look.over.payload ? look.payload_bytes : 0};
  if (look.over.message) {
    drop_message(look);
  } else {
    if (look.over.payload) drop_payload(look);
    put(Family::Retention,
        again_key(look.over.look_again_at, message.application, message.id).slice(), {});
  }
  if (gone != KeptSizes()) tallies_.count_kept(message.application, gone, -1);
  purged.messages += gone.messages;
  purged.payloads += gone.payloads;
  purged.payload_bytes += gone.payload_bytes;
  purged.attempts += look.over.attempts.size();
  return Done{};
}

void Commit::drop_attempts(const PurgeLook& look) {
  for (const std::size_t place : look.over.attempts) {
    const auto& [attempt, endpoint] = look.attempts[place];
    erase(Family::Attempt, attempt_key(look.stored.message.id, attempt).slice());
    if (endpoint) {
      remove(Family::AttemptByEndpoint, attempt_by_endpoint_key(*endpoint, attempt).slice());
    }
  }
}

void Commit::drop_deliveries(const PurgeLook& look, Purged& purged) {
  const model::Message& message = look.stored.message;
  for (const std::size_t place : look.over.deliveries) {
    const auto& [endpoint, head] = look.deliveries[place];
    const model::DeliveryKey key{endpoint, message.id};
    model::Delivery delivery;
    delivery.key = key;
    delivery.application = message.application;
    if (head.reason) tallies_.count_dropped(key, head);
    unindex(delivery, head);
    erase(Family::Delivery, delivery_key(key).slice());
    deliveries_.erase(key);
    dropped_.insert(key);
    ++purged.deliveries;
    if (head.state == model::DeliveryState::Dead) ++purged.dead_letters;
  }
}

// Its application stays: by it the rest of the message is found.
void Commit::drop_payload(const PurgeLook& look) {
  const model::Message& message = look.stored.message;
  value_.clear();
  encode(PayloadView{.application = message.application, .is_gone = true}, value_);
  put(Family::Payload, Key().id(message.id).slice(), value_);
  std::string record;
  encode(StoredMessage{.message = message}, record);
  const std::string key = message_key(message.application, message.id).text();
  put(Family::Message, key, record);
  changed_.insert_or_assign({Family::Message, key}, std::move(record));
}

void Commit::drop_message(const PurgeLook& look) {
  const model::Message& message = look.stored.message;
  erase(Family::Message, message_key(message.application, message.id).slice());
  remove(Family::Payload, Key().id(message.id).slice());
  if (message.event_id.empty()) return;
  const std::string name = uid_key(UidKind::EventId, message.application, message.event_id);
  const auto holder = holder_of(name);
  if (!holder.ok() || !*holder || **holder != message.id.ksuid()) return;
  remove(Family::Uid, name);
  event_ids_.erase(name);
  freed_event_ids_.insert(name);
}

// So that nothing behind it in this commit finds it on disk.
void Commit::erase(Family family, const rocksdb::Slice& key) {
  remove(family, key);
  changed_.insert_or_assign({family, key.ToString()}, std::nullopt);
}

}  // namespace petrel::store
