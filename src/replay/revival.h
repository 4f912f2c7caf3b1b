// Revival brings deliveries back on their way: it says what a person's resend makes of one.
//
//   dead, delivered, discarded   pending again, with a new budget and a new give-up time
//   pending, retrying            due now, with the budget that it has; nothing if it is due already
//
// An attempt that is in flight meanwhile settles all the same: see store/settlement_effect.h.
//
// The history stays. Pure: the caller writes the settlement.
//
// Thread: any.

#pragma once

#include <optional>

#include "base/time.h"
#include "model/settlement.h"

namespace petrel::replay {

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
