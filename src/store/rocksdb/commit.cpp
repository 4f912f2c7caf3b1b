#include "store/rocksdb/commit.h"

#include <array>
#include <utility>
#include <vector>

#include "store/settlement_effect.h"

namespace petrel::store {
namespace {

std::string name_of(const model::DeliveryKey& key) {
  return "delivery " + key.endpoint.text() + ' ' + key.message.text();
}

Tallies::Event event_of(const model::Delivery& fresh) {
  return {.delivery = fresh.key, .before = {}, .after = head_of(fresh)};
}

Tallies::Event event_of(const model::Settlement& settlement, const DeliveryHead& before) {
  return {.delivery = settlement.delivery.key,
          .before = before,
          .after = head_of(settlement.delivery),
          .attempt = settlement.attempt ? &*settlement.attempt : nullptr};
}

// The deliveries that a set brings; not those that were there exactly so.
std::vector<Tallies::Event> additions(const ChangeSet& set, const Draft::Entries& entries) {
  std::vector<Tallies::Event> events;
  for (const Change& change : set.changes) {
    const auto* added = std::get_if<AddDelivery>(&change);
    if (added == nullptr) continue;
    const std::string name = delivery_key(added->delivery.key).slice().ToString();
    if (entries.contains({Family::Delivery, name})) events.push_back(event_of(added->delivery));
  }
  return events;
}

}  // namespace

Result<Accepted> Commit::accept(const Acceptance& acceptance) {
  Result<Accepted> accepted = try_accept(acceptance);
  if (!accepted.ok()) database_.note(accepted.error(), "message " + acceptance.message.id.text());
  return accepted;
}

Result<Settled> Commit::settle(const model::Settlement& settlement) {
  Result<Settled> settled = try_settle(settlement);
  if (!settled.ok()) database_.note(settled.error(), name_of(settlement.delivery.key));
  return settled;
}

Status Commit::change(const ChangeSet& set) {
  Status changed = try_change(set);
  if (!changed.ok()) database_.note(changed.error(), "a record");
  return changed;
}

void Commit::put_proof() { put(Family::Meta, "proof", {}); }

Result<Accepted> Commit::try_accept(const Acceptance& acceptance) {
  using enum Accepted::Kind;
  const model::Message& message = acceptance.message;
  const Result<bool> is_stored = has_message(message);
  if (!is_stored.ok()) return is_stored.error();
  if (*is_stored) return Accepted{New, message.id};

  if (acceptance.idempotent) {
    const auto known = known_answer(acceptance.idempotent->key);
    if (!known.ok()) return known.error();
    if (*known) {
      const std::optional<MessageId>& first = (*known)->message;
      const bool is_same = first && (*known)->body_hash == acceptance.idempotent->body_hash;
      return Accepted{is_same ? Repeated : KeyReused, first.value_or(MessageId())};
    }
  }
  if (acceptance.only_if_repeated) return Accepted{NotRepeated, message.id};
  std::string event_name;
  if (!message.event_id.empty()) {
    event_name = uid_key(UidKind::EventId, message.application, message.event_id);
    const auto holder = holder_of(event_name);
    if (!holder.ok()) return holder.error();
    if (*holder) return Accepted{EventIdTaken, MessageId(**holder)};
  }

  for (const model::Delivery& delivery : acceptance.deliveries) {
    if (Status loaded = tallies_.load(database_, event_of(delivery)); !loaded.ok()) {
      return loaded.error();
    }
  }
  if (Status loaded = tallies_.load_kept(database_, message.application); !loaded.ok()) {
    return loaded.error();
  }
  if (!event_name.empty()) put_event_id(event_name, message.id.ksuid());
  put_message(acceptance);
  for (const model::Delivery& delivery : acceptance.deliveries) {
    tallies_.count(event_of(delivery));
    put_delivery(delivery);
    index(delivery);
  }
  return Accepted{New, message.id};
}

Result<Settled> Commit::try_settle(const model::Settlement& settlement) {
  const auto settling = prepare(settlement);
  if (!settling.ok()) return settling.error();
  if (!*settling) return without_effect(settlement);
  enter(**settling);
  return (*settling)->keeps_due_time ? Settled::Moved : Settled::Written;
}

// An earlier commit may have written it and been answered as unknown.
Result<Settled> Commit::without_effect(const model::Settlement& settlement) {
  const auto stored = standing(settlement.delivery.key);
  if (!stored.ok()) return stored.error();
  if (*stored && **stored == head_of(settlement.delivery)) return Settled::Written;
  if (!settlement.attempt) return Settled::Superseded;
  const Key key = attempt_key(settlement.delivery.key.message, settlement.attempt->id);
  const Result<bool> is_recorded = database_.get(Family::Attempt, key.slice(), read_);
  if (!is_recorded.ok()) return is_recorded.error();
  return *is_recorded ? Settled::Moved : Settled::Superseded;
}

// Empty if it has no effect.
Result<std::optional<Commit::Settling>> Commit::prepare(const model::Settlement& settlement) {
  using Prepared = std::optional<Settling>;
  const auto before = standing(settlement.delivery.key);
  if (!before.ok()) return before.error();
  if (!*before) return Prepared();
  const SettlementEffect effect = effect_of(settlement, **before);
  if (effect == SettlementEffect::None) return Prepared();
  const Status loaded = tallies_.load(database_, event_of(settlement, **before));
  if (!loaded.ok()) return loaded.error();
  return Prepared(Settling{settlement, **before, effect == SettlementEffect::KeepsDueTime});
}

void Commit::enter(const Settling& settling) {
  const auto& [settlement, before, keeps_due_time] = settling;
  const model::Delivery& delivery = settlement.delivery;
  tallies_.count(event_of(settlement, before));
  unindex(delivery, before);
  if (keeps_due_time) {
    const model::Delivery moved = with_due_time(delivery, before.due_at);
    put_delivery(moved);
    index(moved);
  } else {
    put_delivery(delivery);
    index(delivery);
  }
  if (settlement.attempt) put_attempt(*settlement.attempt);
  if (settlement.lane) put_lane(delivery.key.endpoint, *settlement.lane);
}

Status Commit::try_change(const ChangeSet& set) {
  if (set.answer) {
    const auto known = known_answer(set.answer->key);
    if (!known.ok()) return known.error();
    if (*known) return conflict("this idempotency key has its answer already");
  }
  Draft draft(database_, changed_);
  for (const Change& change : set.changes) {
    if (Status status = draft.apply(change); !status.ok()) return status;
  }
  const std::vector<Tallies::Event> added = additions(set, draft.entries());
  for (const Tallies::Event& event : added) {
    if (Status loaded = tallies_.load(database_, event); !loaded.ok()) return loaded;
  }
  for (const auto& [application, sizes] : draft.freed()) {
    if (Status loaded = tallies_.load_kept(database_, application); !loaded.ok()) return loaded;
  }
  std::vector<Settling> settlings;
  for (const model::Settlement& settlement : set.settlements) {
    const auto settling = prepare(settlement);
    if (!settling.ok()) return settling.error();
    if (*settling) settlings.push_back(**settling);
  }
  for (const auto& [key, value] : draft.entries()) {
    if (value) {
      put(key.first, key.second, *value);
    } else {
      remove(key.first, key.second);
    }
    changed_.insert_or_assign(key, value);
  }
  for (const Tallies::Event& event : added) {
    tallies_.count(event);
    deliveries_.insert_or_assign(event.delivery, event.after);
  }
  for (const auto& [application, sizes] : draft.freed()) {
    tallies_.count_kept(application, sizes, -1);
  }
  for (const Settling& settling : settlings) enter(settling);
  if (set.answer) {
    const KeptAnswer& answer = *set.answer;
    put_answer(answer.key, {.body_hash = answer.body_hash,
                            .expires_at = answer.expires_at,
                            .status = answer.status,
                            .body = answer.body});
  }
  return Done{};
}

Result<bool> Commit::write() {
  tallies_.put_changes(database_, batch_);
  if (batch_.Count() == 0) return false;
  if (const Status written = database_.write(batch_); !written.ok()) return written.error();
  return true;
}

Result<std::optional<Ksuid>> Commit::holder_of(const std::string& event_id) {
  const auto here = event_ids_.find(event_id);
  if (here != event_ids_.end()) return std::optional(here->second);
  if (freed_event_ids_.contains(event_id)) return std::optional<Ksuid>();
  const Result<bool> found = database_.get(Family::Uid, event_id, read_);
  if (!found.ok()) return found.error();
  if (!*found) return std::optional<Ksuid>();
  return std::optional(last_ksuid_of(read_));
}

Result<std::optional<KnownAnswer>> Commit::known_answer(const std::string& key) {
  using Known = std::optional<KnownAnswer>;
  const auto here = answers_.find(key);
  if (here != answers_.end()) return Known(here->second);
  const Result<bool> found = database_.get(Family::Idempotency, key, read_);
  if (!found.ok()) return found.error();
  if (!*found) return Known();
  Result<KnownAnswer> answer = decode_answer(view(read_));
  if (!answer.ok()) return answer.error();
  if (answer->expires_at <= now_) return Known();
  return Known(*std::move(answer));
}

Result<bool> Commit::has_message(const model::Message& message) {
  if (messages_.contains(message.id)) return true;
  return database_.get(Family::Message, message_key(message.application, message.id).slice(),
                       read_);
}

Result<std::optional<DeliveryHead>> Commit::standing(const model::DeliveryKey& key) {
  using Standing = std::optional<DeliveryHead>;
  const auto here = deliveries_.find(key);
  if (here != deliveries_.end()) return Standing(here->second);
  if (dropped_.contains(key)) return Standing();
  const Result<bool> found = database_.get(Family::Delivery, delivery_key(key).slice(), read_);
  if (!found.ok()) return found.error();
  if (!*found) return Standing();
  const Result<DeliveryHead> head = decode_delivery_head(view(read_));
  if (!head.ok()) return head.error();
  return Standing(*head);
}

void Commit::put_message(const Acceptance& acceptance) {
  const model::Message& message = acceptance.message;
  StoredMessage stored{.message = message};
  if (acceptance.payload) stored.payload_bytes = acceptance.payload->size();
  value_.clear();
  encode(stored, value_);
  put(Family::Message, message_key(message.application, message.id).slice(), value_);
  messages_.insert(message.id);
  tallies_.count_kept(message.application,
                      {.messages = 1,
                       .payloads = acceptance.payload ? 1U : 0U,
                       .payload_bytes = stored.payload_bytes.value_or(0)},
                      1);
  if (message.payload_expires_at) {
    // It may be over before anything else of the application is.
    const WallTime expires_at = *message.payload_expires_at;
    put(Family::Retention, again_key(expires_at, message.application, message.id).slice(), {});
  }

  if (acceptance.payload) {
    // In two parts, so that a large payload is copied once.
    value_.clear();
    encode(PayloadView{.application = message.application,
                       .expires_at = message.payload_expires_at,
                       .content_type = message.content_type},
           value_);
    const Key key = Key().id(message.id);
    const rocksdb::Slice name = key.slice();
    const std::array<rocksdb::Slice, 2> parts = {value_, *acceptance.payload};
    const rocksdb::Status put =
        batch_.Put(database_.family(Family::Payload), rocksdb::SliceParts(&name, 1),
                   rocksdb::SliceParts(parts.data(), 2));
    CHECK(put.ok());  // Ours: see put().
  }
  if (acceptance.idempotent) {
    const IdempotentAnswer& answer = *acceptance.idempotent;
    put_answer(
        answer.key,
        {.body_hash = answer.body_hash, .expires_at = answer.expires_at, .message = message.id});
  }
}

void Commit::put_answer(const std::string& key, KnownAnswer answer) {
  value_.clear();
  encode(answer, value_);
  put(Family::Idempotency, key, value_);
  if (answer.expires_at > now_) answers_.insert_or_assign(key, std::move(answer));
}

void Commit::put_delivery(const model::Delivery& delivery) {
  value_.clear();
  encode(delivery, value_);
  put(Family::Delivery, delivery_key(delivery.key).slice(), value_);
  deliveries_.insert_or_assign(delivery.key, head_of(delivery));
}

void Commit::put_attempt(const model::Attempt& attempt) {
  value_.clear();
  encode(attempt, value_);
  put(Family::Attempt, attempt_key(attempt.delivery.message, attempt.id).slice(), value_);
  value_.clear();
  encode(AttemptMark{attempt.delivery.message, attempt.outcome.code()}, value_);
  put(Family::AttemptByEndpoint,
      attempt_by_endpoint_key(attempt.delivery.endpoint, attempt.id).slice(), value_);
}

void Commit::put_lane(EndpointId endpoint, const std::string& lane) {
  const Key key = Key().id(endpoint);
  if (lane.empty()) {
    remove(Family::Lane, key.slice());
  } else {
    put(Family::Lane, key.slice(), lane);
  }
}

void Commit::put_event_id(const std::string& event_id, const Ksuid& holder) {
  put(Family::Uid, event_id, Key().ksuid(holder).slice());
  event_ids_.insert_or_assign(event_id, holder);
}

void Commit::index(const model::Delivery& delivery) {
  const auto& [endpoint, message] = delivery.key;
  if (delivery.is_live()) {
    const Key key = due_key(endpoint, due_class(delivery.state), {delivery.due_at, message});
    put(Family::Due, key.slice(), {});
  } else if (delivery.state == model::DeliveryState::Dead) {
    const Key key = dead_key(delivery.application, {endpoint, delivery.updated_at, message});
    put(Family::Dead, key.slice(), {});
  }
}

void Commit::unindex(const model::Delivery& delivery, const DeliveryHead& head) {
  const auto& [endpoint, message] = delivery.key;
  if (head.state == model::DeliveryState::Dead) {
    const Key key = dead_key(delivery.application, {endpoint, head.updated_at, message});
    remove(Family::Dead, key.slice());
  } else if (head.state == model::DeliveryState::Pending ||
             head.state == model::DeliveryState::Retrying) {
    remove(Family::Due, due_key(endpoint, due_class(head.state), {head.due_at, message}).slice());
  }
}

void Commit::put(Family family, const rocksdb::Slice& key, const rocksdb::Slice& value) {
  // Ours: a batch has no bound of its own, and every family is open.
  CHECK(batch_.Put(database_.family(family), key, value).ok());
}

void Commit::remove(Family family, const rocksdb::Slice& key) {
  CHECK(batch_.Delete(database_.family(family), key).ok());  // Ours: see put().
}

}  // namespace petrel::store
