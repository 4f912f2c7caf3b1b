#include "store/memory/memory_store.h"

#include <algorithm>

#include "base/check.h"
#include "store/settlement_effect.h"

namespace petrel::store {

MemoryStore::MemoryStore(const Clock& clock, Post post) : clock_(clock), post_(std::move(post)) {
  if (!post_) post_ = [](const Function<void()>& answer) { answer(); };
}

void MemoryStore::accept(std::vector<Acceptance> batch, AcceptDone done) {
  std::vector<Accepted> answers;
  answers.reserve(batch.size());
  ++sequence_;
  for (Acceptance& acceptance : batch) {
    answers.push_back(accept_one(std::move(acceptance)));
    answers.back().sequence = sequence_;
  }
  answer(std::move(done), Result<std::vector<Accepted>>(std::move(answers)));
}

Accepted MemoryStore::accept_one(Acceptance acceptance) {
  using enum Accepted::Kind;
  model::Message& message = acceptance.message;
  const MessageId id = message.id;
  if (messages_.contains(id)) return {New, id};

  if (acceptance.idempotent) {
    const auto known = kept_answer(acceptance.idempotent->key);
    if (*known) {
      const std::optional<MessageId>& first = (*known)->message;
      const bool is_same = first && (*known)->body_hash == acceptance.idempotent->body_hash;
      return {is_same ? Repeated : KeyReused, first.value_or(MessageId())};
    }
  }
  if (acceptance.only_if_repeated) return {NotRepeated, id};
  if (!message.event_id.empty()) {
    const auto [place, is_new] =
        event_ids_.try_emplace({message.application, message.event_id}, id);
    if (!is_new) return {EventIdTaken, place->second};
  }

  if (acceptance.idempotent) {
    IdempotentAnswer& kept = *acceptance.idempotent;
    answers_.insert_or_assign(
        std::move(kept.key),
        KnownAnswer{
            .body_hash = std::move(kept.body_hash), .expires_at = kept.expires_at, .message = id});
  }
  for (model::Delivery& delivery : acceptance.deliveries) {
    index(delivery);
    const model::DeliveryKey key = delivery.key;
    deliveries_.insert_or_assign(key, std::move(delivery));
  }
  if (message.payload_expires_at) ++own_periods_;
  ++kept_.messages;
  if (acceptance.payload) {
    ++kept_.payloads;
    kept_.payload_bytes += acceptance.payload->size();
  }
  messages_of_application_.insert({message.application, id});
  // The bytes alone, as on a disk: who accepted them may count them as long as they are there.
  model::Payload bytes;
  if (acceptance.payload) bytes = std::make_shared<const std::string>(*acceptance.payload);
  messages_.emplace(id, Kept{std::move(message), std::move(bytes)});
  return {New, id};
}

void MemoryStore::settle(std::vector<model::Settlement> batch, SettleDone done) {
  std::vector<Settled> answers;
  answers.reserve(batch.size());
  for (model::Settlement& settlement : batch) answers.push_back(settle_one(std::move(settlement)));
  answer(std::move(done), Result<std::vector<Settled>>(std::move(answers)));
}

// An earlier commit may have written it and been answered as unknown.
Settled MemoryStore::without_effect(const model::Settlement& settlement,
                                    const DeliveryHead& stored) const {
  if (stored == head_of(settlement.delivery)) return Settled::Written;
  if (!settlement.attempt) return Settled::Superseded;
  const bool is_recorded =
      attempts_.contains({settlement.delivery.key.message, settlement.attempt->id});
  return is_recorded ? Settled::Moved : Settled::Superseded;
}

Settled MemoryStore::settle_one(model::Settlement settlement) {
  const auto found = deliveries_.find(settlement.delivery.key);
  if (found == deliveries_.end()) return Settled::Superseded;
  model::Delivery& current = found->second;
  const DeliveryHead stored = head_of(current);
  const SettlementEffect effect = effect_of(settlement, stored);
  if (effect == SettlementEffect::None) return without_effect(settlement, stored);

  unindex(current);
  current = std::move(settlement.delivery);
  if (effect == SettlementEffect::KeepsDueTime) current = with_due_time(current, stored.due_at);
  index(current);

  if (settlement.lane) carry_out(KeepLane{current.key.endpoint, *settlement.lane});
  const Settled answer =
      effect == SettlementEffect::KeepsDueTime ? Settled::Moved : Settled::Written;
  if (!settlement.attempt) return answer;
  const AttemptId attempt = settlement.attempt->id;
  if (!attempts_.contains({current.key.message, attempt})) {
    const WallTime hour = hour_of(attempt.time());
    HourTally& tally =
        hours_.try_emplace({current.key.endpoint, hour}, HourTally{hour}).first->second;
    ++(is_success(settlement.attempt->outcome) ? tally.success : tally.failed);
  }
  attempts_of_endpoint_.insert_or_assign({current.key.endpoint, attempt}, current.key.message);
  attempts_.insert_or_assign({current.key.message, attempt}, *std::move(settlement.attempt));
  return answer;
}

void MemoryStore::index(const model::Delivery& delivery) {
  const auto& [endpoint, message] = delivery.key;
  if (delivery.is_live()) {
    due_.insert({endpoint, due_class(delivery.state), {delivery.due_at, message}});
  } else if (delivery.state == model::DeliveryState::Dead) {
    dead_.insert({delivery.application, {endpoint, delivery.updated_at, message}});
  }
}

void MemoryStore::unindex(const model::Delivery& delivery) {
  const auto& [endpoint, message] = delivery.key;
  if (delivery.is_live()) {
    due_.erase({endpoint, due_class(delivery.state), {delivery.due_at, message}});
  } else if (delivery.state == model::DeliveryState::Dead) {
    dead_.erase({delivery.application, {endpoint, delivery.updated_at, message}});
  }
}

void MemoryStore::load_due(DueQuery query, Function<void(Result<DuePage>)> done) {
  auto next = due_.lower_bound({query.endpoint, query.queue, {WallTime::min(), MessageId()}});
  if (query.after) next = due_.upper_bound({query.endpoint, query.queue, *query.after});
  const auto is_ours = [&] {
    return next != due_.end() && std::get<0>(*next) == query.endpoint &&
           std::get<1>(*next) == query.queue;
  };

  DuePage page;
  page.sequence = sequence_;
  for (; is_ours() && page.deliveries.size() < query.limit; ++next) {
    page.deliveries.push_back(deliveries_.at({query.endpoint, std::get<2>(*next).message}));
  }
  page.has_more = is_ours();
  answer(std::move(done), Result<DuePage>(std::move(page)));
}

void MemoryStore::load_payloads(std::vector<MessageId> messages, PayloadKeeper& keeper,
                                PayloadsDone done) {
  std::vector<LoadedPayload> payloads;
  payloads.reserve(messages.size());
  for (const MessageId& id : messages) {
    payloads.push_back(keeper.find(id, clock_.wall()));
    if (!payloads.back().bytes) payloads.back() = read_payload(id, keeper);
  }
  answer(std::move(done), Result<std::vector<LoadedPayload>>(std::move(payloads)));
}

LoadedPayload MemoryStore::read_payload(MessageId id, PayloadKeeper& keeper) const {
  const LoadedPayload found = find_payload(id);
  if (!found.bytes) return found;
  const model::Message& message = messages_.at(id).message;
  return keeper.keep(id, {message.application, *found.bytes, found.content_type, {}},
                     keeper.edition());
}

LoadedPayload MemoryStore::find_payload(MessageId id) const {
  const auto found = messages_.find(id);
  if (found == messages_.end()) return {};
  const auto& [message, payload] = found->second;
  if (!payload) return {};
  return {payload, message.content_type};
}

Result<std::vector<EndpointId>> MemoryStore::endpoints_with_live() {
  std::vector<EndpointId> found;
  for (const DueKey& key : due_) {
    if (found.empty() || found.back() != std::get<0>(key)) found.push_back(std::get<0>(key));
  }
  return found;
}

void MemoryStore::change(ChangeSet set, ChangeDone done) {
  Status status = try_out(set);
  if (status.ok() && set.answer) {
    KeptAnswer& kept = *set.answer;
    answers_.insert_or_assign(std::move(kept.key), KnownAnswer{.body_hash = kept.body_hash,
                                                               .expires_at = kept.expires_at,
                                                               .status = kept.status,
                                                               .body = std::move(kept.body)});
  }
  answer(std::move(done), std::move(status));
}

// On a copy of the things, which takes their place once nothing can fail any more.
Status MemoryStore::try_out(const ChangeSet& set) {
  if (set.answer && *kept_answer(set.answer->key)) {
    return conflict("this idempotency key has its answer already");
  }
  ConfigRecords next = records_;
  std::vector<std::function<void()>> others;
  const auto apply = [&](const auto& change) -> Status {
    if constexpr (requires { this->carry_out(change); }) {
      others.push_back([this, change] { carry_out(change); });
      return check(change);
    } else {
      return next.apply(change);
    }
  };
  for (const Change& change : set.changes) {
    if (Status status = std::visit(apply, change); !status.ok()) return status;
  }
  records_ = std::move(next);
  for (const std::function<void()>& other : others) other();
  for (const model::Settlement& settlement : set.settlements) settle_one(settlement);
  return Done{};
}

Status MemoryStore::check(const ExpungePayload& change) const {
  const auto found = messages_.find(change.message);
  const bool is_there =
      found != messages_.end() && found->second.message.application == change.application;
  return is_there ? Status(Done{}) : not_found("there is no such message");
}

Status MemoryStore::check(const ExpungeResponse& change) const {
  const bool is_there = attempts_.contains({change.message, change.attempt});
  return is_there ? Status(Done{}) : not_found("there is no such attempt");
}

Status MemoryStore::check(const AddDelivery& change) const {
  const model::Delivery& delivery = change.delivery;
  CHECK(delivery.state == model::DeliveryState::Pending);  // Ours: replay makes them so.
  const auto found = messages_.find(delivery.key.message);
  if (found == messages_.end() || found->second.message.application != delivery.application) {
    return not_found("there is no such message");
  }
  const auto before = deliveries_.find(delivery.key);
  if (before == deliveries_.end() || before->second == delivery) return Done{};
  return conflict("there is a delivery of this message to this endpoint");
}

void MemoryStore::carry_out(const ExpungePayload& change) {
  forget_payload(messages_.at(change.message));
}

void MemoryStore::forget_payload(Kept& kept) {
  if (!kept.payload) return;
  --kept_.payloads;
  kept_.payload_bytes -= kept.payload->size();
  kept.payload = nullptr;
}

void MemoryStore::carry_out(const ExpungeResponse& change) {
  attempts_.at({change.message, change.attempt}).response = model::kExpunged;
}

void MemoryStore::carry_out(const AddDelivery& change) {
  const auto& [place, is_new] = deliveries_.emplace(change.delivery.key, change.delivery);
  if (!is_new) return;
  index(place->second);
  std::vector<EndpointId>& endpoints = messages_.at(place->first.message).message.endpoints;
  const EndpointId endpoint = place->first.endpoint;
  // It may be there: of a delivery that retention has dropped.
  if (std::find(endpoints.begin(), endpoints.end(), endpoint) == endpoints.end()) {
    endpoints.push_back(endpoint);
  }
}

void MemoryStore::carry_out(const KeepLane& change) {
  if (change.lane.empty()) {
    lanes_.erase(change.endpoint);
  } else {
    lanes_[change.endpoint] = change.lane;
  }
}

void MemoryStore::carry_out(const KeepSuspect& change) {
  if (change.suspect) {
    suspects_.insert_or_assign(change.delivery, *change.suspect);
  } else {
    suspects_.erase(change.delivery);
  }
}

}  // namespace petrel::store
