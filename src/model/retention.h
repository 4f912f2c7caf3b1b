// Retention says until when what has ended is kept, and what of a message is over at a moment.
//
// The period of each kind of thing begins when that thing has ended:
//
//   a delivery   when it was delivered or discarded (`ended`), or died (`dead_letters`)
//   an attempt   when it was made (`attempts`)
//   a payload    when its message was accepted (`payloads`, or what the message itself asks for)
//   a message    when it was accepted (`ended`); it stays as long as anything else of it does
//
// What is live has no end, and keeps its message and payload; so does a dead letter while it is
// kept. So whatever is listed among them can be replayed.
//
// Pure: no clock, no store. Every store drops what dispose() says, and nothing else.
//
// Thread: any. Values.

#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.h"
#include "model/delivery.h"

namespace petrel::model {

inline constexpr Duration kRetentionMin = std::chrono::hours(1);
inline constexpr Duration kRetentionMax = std::chrono::days(3650);
inline constexpr Duration kRetentionDefault = std::chrono::days(90);

// As it is set on the server or an application. What is empty is left to what stands above.
struct RetentionSettings {
  std::optional<Duration> ended = {};  // For every kind that has none of its own here.
  std::optional<Duration> payloads = {};
  std::optional<Duration> attempts = {};
  std::optional<Duration> dead_letters = {};

  friend bool operator==(const RetentionSettings&, const RetentionSettings&) = default;
};

// What holds for the messages of an application.
struct Retention {
  Duration ended = kRetentionDefault;
  Duration payloads = kRetentionDefault;
  Duration attempts = kRetentionDefault;
  Duration dead_letters = kRetentionDefault;

  Duration shortest() const;
  Duration longest() const;

  // Whether something is over sooner by this one than by the other.
  bool is_shorter_than(const Retention& other) const;

  friend bool operator==(const Retention&, const Retention&) = default;
};

// What the application says counts before what the server says; on each, what is said of a kind
// counts before what is said of everything.
Retention retention_of(const RetentionSettings& application, const RetentionSettings& server);

// Whether a delivery, for as long as it is there, keeps its message's payload.
bool keeps_payload(DeliveryState state);

// What there is of a message.
struct Inventory {
  struct Each {
    DeliveryState state = DeliveryState::Pending;
    WallTime updated_at;  // When it took that state.
  };

  WallTime accepted_at;
  std::optional<WallTime> payload_expires_at = {};  // If the message says so itself.
  bool has_payload = false;
  std::vector<Each> deliveries = {};
  std::vector<WallTime> attempts = {};  // When each was made.
};

// What of it is over. Positions are those of the inventory's lists.
struct Disposal {
  bool message = false;  // With all that there is of it.
  bool payload = false;
  std::vector<std::size_t> deliveries;
  std::vector<std::size_t> attempts;

  // If the message stays: when something else of it may be over.
  WallTime look_again_at;

  bool is_anything() const {
    return message || payload || !deliveries.empty() || !attempts.empty();
  }
};

Disposal dispose(const Inventory& inventory, const Retention& retention, WallTime now);

}  // namespace petrel::model
