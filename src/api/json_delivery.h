// The JSON form of a Delivery, and what it says in plain words about why it stands where it does.
//
//   {"msgId": "msg_…", "endpointId": "ep_…", "status": "retrying", "attempt": 3, "maxAttempts": 12,
//    "nextAttemptAt": "…", "why": "the receiver answered 503; attempt 4 of 12 is due at …", …}
//
// That a lane is at it right now (sending), or waits for a rate, only the lane knows.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
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
  std::string circuit_why = {};     // Why the endpoint's circuit is not closed; empty if it is.

  // It is live, and its endpoint is disabled or paused, or its circuit is not closed.
  bool is_held() const;
};

// "pending", "held", "retrying", "delivered", "dead" or "discarded".
std::string_view shown_state(const DeliveryView& view);

// One sentence without a full stop.
std::string why(const DeliveryView& view);

void write_delivery(const DeliveryView& view, JsonWriter& json);

}  // namespace petrel::api
