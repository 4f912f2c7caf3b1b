#include "model/delivery.h"

#include <array>

namespace petrel::model {

std::string_view to_string(DeliveryState state) {
  constexpr std::array<std::string_view, 4> kNames = {"pending", "retrying", "delivered", "dead"};
  return kNames[static_cast<std::size_t>(state)];
}

bool may_become(DeliveryState from, DeliveryState to) {
  const bool was_live = from == DeliveryState::Pending || from == DeliveryState::Retrying;
  if (to == DeliveryState::Pending) return !was_live;
  return was_live;
}

}  // namespace petrel::model
