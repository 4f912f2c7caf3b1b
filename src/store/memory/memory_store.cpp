#include "store/memory/memory_store.h"

namespace petrel::store {

MemoryStore::MemoryStore(const Clock& clock, Post post) : clock_(clock), post_(std::move(post)) {
  if (!post_) post_ = [](const std::function<void()>& answer) { answer(); };
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
    const auto known = idempotent_.find(acceptance.idempotent->key);
    if (known != idempotent_.end() && known->second.expires_at > clock_.wall()) {
      const bool is_same = known->second.body_hash == acceptance.idempotent->body_hash;
      return {is_same ? Repeated : KeyReused, known->second.message};
    }
  }
  if (!message.event_id.empty()) {
    const auto [place, is_new] =
        event_ids_.try_emplace({message.application, message.event_id}, id);
    if (!is_new) return {EventIdTaken, place->second};
  }

  if (acceptance.idempotent) {
    IdempotentAnswer& kept = *acceptance.idempotent;
    idempotent_.insert_or_assign(std::move(kept.key),
                                 Remembered{id, std::move(kept.body_hash), kept.expires_at});
  }
  for (model::Delivery& delivery : acceptance.deliveries) {
    index(delivery);
    const model::DeliveryKey key = delivery.key;
    deliveries_.insert_or_assign(key, std::move(delivery));
  }
  messages_of_application_.insert({message.application, id});
  messages_.emplace(id, Kept{std::move(message), std::move(acceptance.payload)});
  return {New, id};
}

void MemoryStore::settle(std::vector<model::Settlement> batch, std::function<void(Status)> done) {
  for (model::Settlement& settlement : batch) settle_one(std::move(settlement));
  answer(std::move(done), Status(Done{}));
}

void MemoryStore::settle_one(model::Settlement settlement) {
  const auto found = deliveries_.find(settlement.delivery.key);
  if (found == deliveries_.end()) return;
  model::Delivery& current = found->second;
  if (current.state != settlement.state_before || current.due_at != settlement.due_before) return;

  unindex(current);
  current = std::move(settlement.delivery);
  index(current);

  if (!settlement.attempt) return;
  const AttemptId attempt = settlement.attempt->id;
  attempts_of_endpoint_.insert_or_assign({current.key.endpoint, attempt}, current.key.message);
  attempts_.insert_or_assign({current.key.message, attempt}, *std::move(settlement.attempt));
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

void MemoryStore::load_due(DueQuery query, std::function<void(Result<DuePage>)> done) {
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

void MemoryStore::load_payloads(std::vector<MessageId> messages,
                                std::function<void(Result<std::vector<model::Payload>>)> done) {
  std::vector<model::Payload> payloads;
  payloads.reserve(messages.size());
  for (const MessageId& id : messages) {
    const auto found = messages_.find(id);
    payloads.push_back(found == messages_.end() ? nullptr : found->second.payload);
  }
  answer(std::move(done), Result<std::vector<model::Payload>>(std::move(payloads)));
}

Result<std::vector<EndpointId>> MemoryStore::endpoints_with_live() {
  std::vector<EndpointId> found;
  for (const DueKey& key : due_) {
    if (found.empty() || found.back() != std::get<0>(key)) found.push_back(std::get<0>(key));
  }
  return found;
}

Status MemoryStore::put(model::Application application) {
  const ApplicationId id = application.id;
  const auto before = applications_.find(id);
  const auto taken = application_uids_.find({application.organisation, application.uid});
  if (taken != application_uids_.end() && taken->second != id) {
    return conflict("another application has this uid");
  }
  if (before != applications_.end()) {
    application_uids_.erase({before->second.organisation, before->second.uid});
  }
  if (!application.uid.empty()) {
    application_uids_[{application.organisation, application.uid}] = id;
  }
  applications_.insert_or_assign(id, std::move(application));
  return Done{};
}

Status MemoryStore::put(model::Endpoint endpoint) {
  const EndpointId id = endpoint.id;
  const auto before = endpoints_.find(id);
  const auto taken = endpoint_uids_.find({endpoint.application, endpoint.uid});
  if (taken != endpoint_uids_.end() && taken->second != id) {
    return conflict("another endpoint of the application has this uid");
  }
  if (before != endpoints_.end()) {
    endpoint_uids_.erase({before->second.application, before->second.uid});
  }
  if (!endpoint.uid.empty()) endpoint_uids_[{endpoint.application, endpoint.uid}] = id;
  endpoints_.insert_or_assign(id, std::move(endpoint));
  return Done{};
}

void MemoryStore::create_application(model::Application application, ChangeDone done) {
  const auto found = applications_.find(application.id);
  Status status = Done{};
  if (found == applications_.end()) {
    status = put(std::move(application));
  } else if (found->second != application) {
    status = conflict("there is an application of this id already");
  }
  answer(std::move(done), std::move(status));
}

void MemoryStore::update_application(model::Application application, ChangeDone done) {
  Status status = not_found("there is no such application");
  if (applications_.contains(application.id)) status = put(std::move(application));
  answer(std::move(done), std::move(status));
}

void MemoryStore::create_endpoint(model::Endpoint endpoint, ChangeDone done) {
  const auto found = endpoints_.find(endpoint.id);
  Status status = Done{};
  if (found == endpoints_.end()) {
    status = put(std::move(endpoint));
  } else if (found->second != endpoint) {
    status = conflict("there is an endpoint of this id already");
  }
  answer(std::move(done), std::move(status));
}

void MemoryStore::update_endpoint(model::Endpoint endpoint, ChangeDone done) {
  Status status = not_found("there is no such endpoint");
  if (endpoints_.contains(endpoint.id)) status = put(std::move(endpoint));
  answer(std::move(done), std::move(status));
}

}  // namespace petrel::store
