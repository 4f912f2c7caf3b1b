// NewMessage is what a producer hands over, and plan() is what becomes of it: an Acceptance with
// one delivery for each endpoint that wants it.
//
//   plan(message, endpoints of its application, now, maker)  →  {message, payload, deliveries}
//
// A disabled endpoint gets no delivery; a paused one does, and it is held. A message that nobody
// wants is accepted all the same.
//
// Thread: any. Values; plan() is pure but for the maker of ids.

#pragma once

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

struct NewMessage {
  ApplicationId application;
  std::string event_type;
  std::string event_id;  // Empty if the producer has none.
  std::vector<std::string> channels;
  model::Payload payload;  // The exact bytes that are sent. Not null.
  std::optional<store::IdempotentAnswer> idempotent;
};

// The error names the field as it is called in JSON: "eventType", "eventId", "channels[2]".
Status validate(const NewMessage& message);

// REQUIRES: the endpoints are of the message's application.
Result<store::Acceptance> plan(NewMessage message, std::span<const store::EndpointPtr> endpoints,
                               WallTime now, KsuidMaker& maker);

}  // namespace petrel::intake
