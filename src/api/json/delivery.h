// The JSON form of a Delivery, and what it says in plain words about why it stands where it does.
//
//   {"msgId": "msg_…", "endpointId": "ep_…", "status": "retrying", "attempt": 3, "maxAttempts": 12,
//    "nextAttemptAt": "…", "why": "the receiver answered 503; attempt 4 of 12 is due at …",
//    "next": {"basis": "schedule", "nominalMs": 60000, "jitterMs": -4120, …}, …}
//
// Thread: any.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/time.h"
#include "engine/lane_health.h"
#include "engine/suspect_list.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/message.h"

namespace petrel::api {

// A delivery with what it takes to explain it.
struct DeliveryView {
  const model::Delivery& delivery;
  const model::Message* message;    // Null if it is gone.
  const model::Endpoint* endpoint;  // Null if it is gone.
  int attempts_max = 0;             // In the policy that holds for it.
  WallTime now = {};
  std::optional<engine::OpenCircuit> circuit = std::nullopt;  // Empty if it is closed.
  bool is_sending = false;                                    // An attempt is in flight.

  // Empty unless it was in flight at a crash of the server.
  std::optional<engine::SuspectList::Entry> suspicion = std::nullopt;

  // It is not sent since it was in flight at crashes.
  bool is_barred() const;

  // It is live, and barred, or its endpoint is disabled or paused, or its circuit is not closed.
  bool is_held() const;
};

// "pending", "sending", "held", "retrying", "delivered", "dead" or "discarded".
std::string_view shown_state(const DeliveryView& view);

// When the next attempt can start at the earliest. Empty if it has ended, while an attempt is in
// flight, and while only a person or the receiver's recovery can bring the next one about.
std::optional<WallTime> next_attempt_at(const DeliveryView& view);

// One sentence without a full stop.
std::string why(const DeliveryView& view);

void write_delivery(const DeliveryView& view, JsonWriter& json);

}  // namespace petrel::api
