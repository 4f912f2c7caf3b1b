// What a settlement does to the delivery that is stored, which may have moved since the settlement
// was made: a person's resend changes the due time of a delivery whose attempt is in flight.
//
//   stored delivery                                  the settlement of an attempt
//   as it was when the attempt began                 applies
//   the same, with another due time                  applies; if it is to be tried again, it keeps
//                                                    the due time that it was given meanwhile
//   live in another budget, and the attempt is a     applies: what a receiver has taken is not
//   success                                          sent again
//   anything else (settled, replayed, gone)          no effect
//
// A settlement without an attempt applies only to the delivery exactly as it was.
//
// Pure, so that every store means the same.
//
// Thread: any.

#pragma once

#include <cstdint>

#include "model/settlement.h"
#include "store/encoding.h"

namespace petrel::store {

enum class SettlementEffect : std::uint8_t {
  Applies,
  KeepsDueTime,  // Applies, but for the due time, which stays as it is stored.
  None,
};

SettlementEffect effect_of(const model::Settlement& settlement, const DeliveryHead& stored);

// The delivery as a settlement that keeps the stored due time leaves it.
model::Delivery with_due_time(const model::Delivery& settled, WallTime due_at);

}  // namespace petrel::store
