#include "model/delivery.h"

#include <array>

namespace petrel::model {

std::string_view to_string(DeliveryState state) {
  constexpr std::array<std::string_view, 5> kNames = {"pending", "retrying", "delivered", "dead",
                                                      "discarded"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view to_string(NextBasis basis) {
  constexpr std::array<std::string_view, 6> kNames = {"schedule", "retryAfter", "probe",
                                                      "release",  "resend",     "replay"};
  return kNames[static_cast<std::size_t>(basis)];
}

bool may_become(DeliveryState from, DeliveryState to) {
  const bool was_live = from == DeliveryState::Pending || from == DeliveryState::Retrying;
  if (to == DeliveryState::Pending) return !was_live;
  if (to == DeliveryState::Discarded) return from == DeliveryState::Dead;
  return was_live;
}

}  // namespace petrel::model
