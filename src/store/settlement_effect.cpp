#include "store/settlement_effect.h"

namespace petrel::store {

using model::DeliveryState;

SettlementEffect effect_of(const model::Settlement& settlement, const DeliveryHead& stored) {
  using enum SettlementEffect;
  const model::Delivery& settled = settlement.delivery;
  // Every recorded attempt is counted, so the count says whether this one was written already.
  const int attempts_before = settled.attempts_total - (settlement.attempt ? 1 : 0);
  if (stored.attempts_total != attempts_before) return None;
  const bool is_in_place = stored.state == settlement.state_before;
  if (is_in_place && stored.due_at == settlement.due_before) return Applies;
  if (!settlement.attempt || !stored.is_live()) return None;
  if (settled.state == DeliveryState::Delivered) return Applies;
  if (!is_in_place) return None;
  return settled.is_live() ? KeepsDueTime : Applies;
}

model::Delivery with_due_time(const model::Delivery& settled, WallTime due_at) {
  model::Delivery delivery = settled;
  delivery.due_at = due_at;
  // The due time is neither the receiver's wish nor the policy's any more: a resend has set it.
  delivery.is_scheduled = false;
  delivery.next = model::Next{.basis = model::NextBasis::Resend};
  return delivery;
}

}  // namespace petrel::store
