// Revival brings deliveries back on their way: it says what a person's resend makes of one.
//
//   dead, delivered, discarded   pending again, with a new budget and a new give-up time
//   retrying                     due now, with the budget that it has
//   pending                      nothing: it is on its way
//
// The history stays. Pure: the caller writes the settlement.
//
// Thread: any.

#pragma once

#include <chrono>
#include <optional>

#include "base/time.h"
#include "model/settlement.h"

namespace petrel::replay {

// A retry that comes by itself within this time is left to come: its lane may be about to take it
// up, and whoever changed its due time under the lane's hands would have it sent twice.
inline constexpr Duration kRetryIsNear = std::chrono::seconds(10);

// Empty if it is left alone. `by` is Resend or Replay.
std::optional<model::Settlement> revival(const model::Delivery& delivery, model::NextBasis by,
                                         WallTime now);

// A delivery of a message to an endpoint that it had none for.
model::Delivery late_delivery(const model::DeliveryKey& key, ApplicationId application,
                              model::NextBasis by, WallTime now);

// Takes a dead letter off its list; nothing else of it changes.
//
// REQUIRES: it is dead.
model::Settlement discard(const model::Delivery& delivery, WallTime now);

}  // namespace petrel::replay
