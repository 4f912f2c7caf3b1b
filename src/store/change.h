// What a person's request changes in the store, as one set that takes effect whole or not at all.
//
//   store.change({.changes = {CreateEndpoint{endpoint}}, .answer = kept}, done)
//
// With the set goes the answer that the request got, if it carried an idempotency key: whoever asks
// again with that key finds it, and the set is never carried out twice.
//
// Thread: any. Values.

#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "model/application.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/event_type.h"
#include "model/settlement.h"
#include "model/suspect.h"
#include "model/task.h"

namespace petrel::store {

// A creation is Conflict if the uid (an event type's name) is taken, or if there is another thing
// of the same id. Creating exactly what is there already is done.
//
// An update replaces the whole record: NotFound if there is none, or if it was deleted; Conflict if
// its uid is another's.
//
// REQUIRES: deleted_at is empty. What belongs to an application that was deleted is NotFound.
struct CreateApplication {
  model::Application application;
};
struct UpdateApplication {
  model::Application application;
};
struct CreateEndpoint {
  model::Endpoint endpoint;
};
struct UpdateEndpoint {
  model::Endpoint endpoint;
};
struct CreateEventType {
  model::EventType event_type;
};
struct UpdateEventType {
  model::EventType event_type;
};

// The uid is free from then on. The record stays, with `deleted_at`: attempts name it, and its live
// deliveries have to be ended. NotFound if there is none, or if it was deleted at another moment.
// With an application go its endpoints.
struct DeleteApplication {
  ApplicationId application;
  WallTime at;
};
struct DeleteEndpoint {
  EndpointId endpoint;
  WallTime at;
};

// Nothing of it stays. NotFound if there is none.
struct DeleteEventType {
  OrganisationId organisation;
  std::string name;
};

// The payload is gone for good; the message stays. NotFound if there is no such message.
struct ExpungePayload {
  ApplicationId application;
  MessageId message;
};

// What the receiver answered is gone for good; in its place stands model::kExpunged. NotFound if
// there is no such attempt.
struct ExpungeResponse {
  MessageId message;
  AttemptId attempt;
};

// Another delivery of a message that is there, to an endpoint that it was not for when it was
// accepted. NotFound if there is no such message; Conflict if there is a delivery of it to that
// endpoint, unless it is exactly this one.
//
// REQUIRES: it is Pending.
struct AddDelivery {
  model::Delivery delivery;
};

// A task's first revision. Conflict if there is another task of the same id.
struct CreateTask {
  model::Task task;
};

// The next revision. Conflict if it is not the one behind what is stored: somebody else has written
// it meanwhile. Writing exactly what is there already is done. NotFound if there is no such task.
struct UpdateTask {
  model::Task task;
};

// A bearer token that was taken back, known by its hash for as long as it would have been good.
struct RevokeToken {
  std::string hash;
  WallTime expires_at;

  friend bool operator==(const RevokeToken&, const RevokeToken&) = default;
};

// What a restart must not forget of an endpoint's lane, as Settlement::lane has it. Empty text:
// that there is nothing.
struct KeepLane {
  EndpointId endpoint;
  std::string lane;
};

// What is known of a delivery that was in flight at a crash. Empty: nothing any more.
struct KeepSuspect {
  model::DeliveryKey delivery;
  std::optional<model::Suspect> suspect = std::nullopt;
};

using Change = std::variant<CreateApplication, UpdateApplication, DeleteApplication, CreateEndpoint,
                            UpdateEndpoint, DeleteEndpoint, CreateEventType, UpdateEventType,
                            DeleteEventType, ExpungePayload, ExpungeResponse, AddDelivery,
                            CreateTask, UpdateTask, RevokeToken, KeepLane, KeepSuspect>;

// The answer to a request that carried an idempotency key, kept to be given again.
struct KeptAnswer {
  std::string key;  // A hash over who asked, what for, and the key that was sent.
  std::string body_hash;
  WallTime expires_at;
  int status = 0;  // Of HTTP.
  std::string body = {};
};

struct ChangeSet {
  std::vector<Change> changes;  // In this order; each sees those before it.

  // Each as Store::settle() has it, so that what a task does goes to disk with how far it has come.
  std::vector<model::Settlement> settlements = {};
  std::optional<KeptAnswer> answer = {};
};

// What is known under an idempotency key: the message that was accepted with it, or the answer that
// was given.
struct KnownAnswer {
  std::string body_hash;
  WallTime expires_at;
  std::optional<MessageId> message = {};
  int status = 0;  // Without a message: what was answered.
  std::string body = {};

  friend bool operator==(const KnownAnswer&, const KnownAnswer&) = default;
};

}  // namespace petrel::store
