// draw_policy() gives a retry policy for a simulated day: a preset, or one so short that deliveries
// live and die within it.

#pragma once

#include "policy/retry_policy.h"
#include "sim/dice.h"

namespace petrel::sim {

policy::RetryPolicy draw_policy(Dice& dice);

}  // namespace petrel::sim
