// Settlement is what becomes of a delivery after an attempt, written in one piece: the attempt's
// record, the delivery's new state, and its place in the due index.
//
// Thread: any. A value.

#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "model/attempt.h"
#include "model/delivery.h"

namespace petrel::model {

struct Settlement {
  // Empty if the delivery ended without another attempt: its time ran out while it waited.
  std::optional<Attempt> attempt;

  // As it was loaded: its place in the due index is found by it.
  DeliveryState state_before = DeliveryState::Pending;
  WallTime due_before;

  Delivery delivery;  // As it is now.
};

// A live delivery as the engine takes it up. The payload may be left out; it is loaded when it is
// sent.
struct DueDelivery {
  Delivery delivery;
  Payload payload;
  std::uint64_t sequence = 0;     // The store's commit that it is in.
  std::string content_type = {};  // Of the payload. Empty: application/json.
};

}  // namespace petrel::model
