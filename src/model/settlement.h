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

  // The state of the endpoint's lane after it, in the engine's own form, to be there again after a
  // restart: empty text if nothing has to be kept any more, nothing if it is as it was.
  std::optional<std::string> lane = std::nullopt;
};

// The beginning of a settlement: it finds the delivery as it stands, and changes nothing of it yet.
inline Settlement settlement_from(const Delivery& delivery) {
  Settlement settlement;
  settlement.state_before = delivery.state;
  settlement.due_before = delivery.due_at;
  settlement.delivery = delivery;
  return settlement;
}

// A live delivery as the engine takes it up. The payload may be left out; it is loaded when it is
// sent.
struct DueDelivery {
  Delivery delivery;
  Payload payload;
  std::uint64_t sequence = 0;     // The store's commit that it is in.
  std::string content_type = {};  // Of the payload. Empty: application/json.
};

}  // namespace petrel::model
