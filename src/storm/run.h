// play() runs one outage under one policy: the server's own engine, on a clock that jumps from one
// thing that happens to the next.
//
//   arrivals ──▶ engine::Core ──▶ Receiver (and a healthy neighbour)
//                  ▲   │ ▲            │
//                Shelf ◀─┘            └──▶ Recorder ──▶ Score, Timeline
//
// Nothing of the engine is simplified: queues, turns, lanes, guards and retry decisions are those
// of the server. What is modelled is the world around it: a store that answers at once, a network
// without delay, and the receiver.
//
// The same scenario and contender give the same run, to the last microsecond.
//
// Thread: any.

#pragma once

#include <functional>
#include <string>

#include "policy/retry_policy.h"
#include "storm/scenario.h"
#include "storm/score.h"

namespace petrel::storm {

// What is compared: a policy, with the lane's guards or by itself.
struct Contender {
  std::string name;
  policy::RetryPolicy policy;
  bool is_guarded = true;
};

struct Run {
  Contender contender;
  Score score;
  Timeline timeline;
};

// How much of the messages is settled, 0 to 1. Told now and then.
using Progress = std::function<void(double share)>;

// REQUIRES: validate() is fine with the scenario and the policy.
Run play(const Scenario& scenario, const Contender& contender, const Progress& progress);

}  // namespace petrel::storm
