// How people in a simulated day behave who use the API: producers, operators, customers.
//
// Thread: any. Values.

#pragma once

#include "base/time.h"

namespace petrel::sim {

// How long they wait for an answer, and before the next try.
inline constexpr Duration kPatience = std::chrono::seconds(30);
inline constexpr Duration kTryAgain = std::chrono::seconds(5);

// How long the answer to an idempotency key is kept for them.
inline constexpr Duration kKeyKept = std::chrono::hours(12);

}  // namespace petrel::sim
