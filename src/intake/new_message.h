// NewMessage is what a producer hands over, and plan() is what becomes of it: an Acceptance with
// one delivery for each endpoint that wants it.
//
//   plan(message, endpoints of its application, now, maker)  →  {message, payload, deliveries}
//
// A disabled endpoint gets no delivery; a paused one does, and it is held. A message that none
// wants is accepted all the same. One that is for a single endpoint goes there whatever that wants,
// and is held if it is disabled.
//
// Thread: any. Values; plan() is pure but for the maker of ids.

#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/ksuid.h"
#include "base/result.h"
#include "base/time.h"
#include "model/message.h"
#include "store/catalogue.h"
#include "store/store.h"

namespace petrel::intake {

// How far ahead a producer may schedule a message: near enough to be surely meant, far enough for a
// reminder on the next day.
inline constexpr Duration kDeliverInMin = std::chrono::minutes(1);
inline constexpr Duration kDeliverInMax = std::chrono::hours(24);

inline constexpr Duration kPayloadRetentionMin = std::chrono::hours(1);
inline constexpr Duration kPayloadRetentionMax = std::chrono::hours(90 * 24);

struct NewMessage {
  ApplicationId application;
  std::string event_type;
  std::string event_id;  // Empty if the producer has none.
  std::vector<std::string> channels;
  std::vector<std::string> tags;
  model::Payload payload;    // The exact bytes that are sent. Not null.
  std::string content_type;  // Of the payload. Empty: application/json, and it is an object.
  std::optional<WallTime> deliver_at;         // Not to be sent before.
  std::optional<Duration> payload_retention;  // For how long the payload is kept at most.
  std::optional<EndpointId> only;             // For this endpoint alone.
  std::optional<store::IdempotentAnswer> idempotent;
};

// The error names the field as it is called in JSON: "eventType", "eventId", "channels[2]".
Status validate(const NewMessage& message, WallTime now);

// The two halves of validate(): what holds for a message at any time, and what the clock decides.
Status validate_fields(const NewMessage& message);
Status validate_times(const NewMessage& message, WallTime now);

// REQUIRES: the endpoints are of the message's application.
Result<store::Acceptance> plan(NewMessage message, std::span<const store::EndpointPtr> endpoints,
                               WallTime now, KsuidMaker& maker);

// Asks for the answer to an earlier request with the same idempotency key, and makes no message. A
// message that would be refused now may have been accepted when it was first sent.
store::Acceptance ask_for_first_answer(NewMessage message, WallTime now, KsuidMaker& maker);

}  // namespace petrel::intake
