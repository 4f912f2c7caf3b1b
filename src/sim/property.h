// Property is a promise that the simulation watches over; Violation is one that was broken.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/delivery.h"

namespace petrel::sim {

enum class Property : std::uint8_t {
  NoLoss,             // P1
  DeliveredIsTrue,    // P2
  BoundedDuplicates,  // P3
  InFlight,           // P4
  CircuitHolds,       // P5
  RetryAfter,         // P6
  GivesUp,            // P7
  Delay,              // P8
  HerdBound,          // P9
  Isolation,          // P10
  Idempotency,        // P14
  ComesToRest,        // P15
  AuditGrows,         // P16
};

// "P1 no loss".
std::string_view to_string(Property property);

struct Violation {
  Property property;
  std::string text;  // What was seen, in plain words.
  std::optional<model::DeliveryKey> delivery = std::nullopt;
};

}  // namespace petrel::sim
