// Message is an event as it was accepted. Its payload, the exact bytes that came and go out, is
// kept apart: lists and indexes do not need it.
//
// Thread: any. A value.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"

namespace petrel::model {

// Shared by the deliveries of one message while they are in memory. Never changes.
using Payload = std::shared_ptr<const std::string>;

struct Message {
  MessageId id;
  ApplicationId application;
  std::string event_id;  // The producer's own id for it, unique in the application. May be empty.
  std::string event_type;
  std::vector<std::string> channels;
  std::vector<std::string> tags;      // The producer's own, to find it again by.
  std::vector<EndpointId> endpoints;  // For whom deliveries were made when it was accepted.
  WallTime accepted_at;
  std::optional<WallTime> deliver_at;          // Not to be sent before; chosen by the producer.
  std::string content_type;                    // Of the payload. Empty: application/json.
  std::optional<WallTime> payload_expires_at;  // From then on the payload is gone.

  friend bool operator==(const Message&, const Message&) = default;
};

}  // namespace petrel::model
