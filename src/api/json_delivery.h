// The JSON form of a Delivery, and what it says in plain words about why it stands where it does.
//
//   {"msgId": "msg_…", "endpointId": "ep_…", "status": "retrying", "attempt": 3, "maxAttempts": 12,
//    "nextAttemptAt": "…", "why": "the receiver answered 503; attempt 4 of 12 is due at …", …}
//
// It speaks from the records alone. That a lane is at it right now (sending), or waits for an open
// circuit or a rate, only the lane knows.
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
};

// "pending", "held", "retrying", "delivered" or "dead". Held: it is live, and its endpoint is
// disabled or paused.
std::string_view shown_state(const model::Delivery& delivery, const model::Endpoint* endpoint);

// One sentence without a full stop.
std::string why(const DeliveryView& view);

void write_delivery(const DeliveryView& view, JsonWriter& json);

}  // namespace petrel::api
