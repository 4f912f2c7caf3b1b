// Property is a promise that the simulation watches over; Violation is one that was broken.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "model/delivery.h"
#include "sim/judge/accusation.h"

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

// One that a checker watches over, or a rule that the judge holds the node to.
using Promise = std::variant<Property, judge::Rule>;

std::string to_string(const Promise& promise);

struct Violation {
  Promise promise;
  std::string text;  // What was seen, in plain words.
  std::optional<model::DeliveryKey> delivery = std::nullopt;
};

}  // namespace petrel::sim
