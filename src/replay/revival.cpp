#include "replay/revival.h"

#include <algorithm>

#include "base/check.h"

namespace petrel::replay {

using model::DeliveryState;

namespace {

model::Settlement unchanged(const model::Delivery& delivery, WallTime now) {
  model::Settlement settlement = model::settlement_from(delivery);
  // A delivery's times only grow, also when the wall clock was set back.
  settlement.delivery.updated_at = std::max(now, delivery.updated_at);
  return settlement;
}

}  // namespace

std::optional<model::Settlement> revival(const model::Delivery& delivery, model::NextBasis by,
                                         WallTime now) {
  model::Settlement settlement = unchanged(delivery, now);
  model::Delivery& revived = settlement.delivery;
  revived.due_at = now;
  revived.next = model::Next{.basis = by};
  switch (delivery.state) {
    case DeliveryState::Pending:
    case DeliveryState::Retrying:
      // One that is due keeps its place among the others that are.
      if (delivery.due_at <= now) return std::nullopt;
      revived.is_scheduled = false;
      return settlement;
    case DeliveryState::Delivered:
    case DeliveryState::Dead:
    case DeliveryState::Discarded:
      break;
  }
  revived.state = DeliveryState::Pending;
  revived.reason.reset();
  revived.progress = {};
  revived.is_manual = true;
  revived.is_scheduled = false;
  revived.is_aborted = false;
  return settlement;
}

model::Delivery late_delivery(const model::DeliveryKey& key, ApplicationId application,
                              model::NextBasis by, WallTime now) {
  model::Delivery delivery;
  delivery.key = key;
  delivery.application = application;
  delivery.due_at = delivery.updated_at = now;
  delivery.next = model::Next{.basis = by};
  delivery.is_manual = true;
  return delivery;
}

model::Settlement discard(const model::Delivery& delivery, WallTime now) {
  CHECK(delivery.state == DeliveryState::Dead);
  model::Settlement settlement = unchanged(delivery, now);
  settlement.delivery.state = DeliveryState::Discarded;
  settlement.delivery.reason.reset();
  return settlement;
}

}  // namespace petrel::replay
