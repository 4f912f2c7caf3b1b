// ReplayScenario is what a seed makes of two hours in which people replay: how much there is, which
// kinds of trouble there are, and how it begins.
//
// Thread: any. Values.

#pragma once

#include <cstdint>

#include "base/time.h"
#include "model/task.h"
#include "sim/dice.h"

namespace petrel::sim {

// Shares of reads and writes, unless it says otherwise.
struct ReplayTrouble {
  Duration latency_max{};
  double is_slow = 0;         // By seconds.
  double fails = 0;           // Nothing is written.
  double commit_unknown = 0;  // It is written, and the answer says that it was not.
  double read_fails = 0;
};

// How often something happens on average; 0: never.
struct ReplayIncidents {
  Duration crash{};       // At a moment.
  int crash_events = 0;   // After so many events, wherever that is.
  Duration crash_loop{};  // Dies as soon as it has started, many times.
  Duration stall{};       // The store answers nothing for a while.
  Duration refusal{};     // The store refuses everything for a while.
  Duration clock_step{};  // An hour, either way.
  Duration stop{};        // An endpoint takes nothing for a while.
  Duration deletion{};    // Of an endpoint.
  Duration expunging{};   // Of a payload.
  Duration resend{};      // Of a single delivery, by a person.
  Duration message{};     // A new one.
  Duration edit{};        // Of a task: paused, resumed, cancelled.
};

// How the first attempt of a delivery ends, in shares; what is left is good.
struct ReplayAnswers {
  double bad = 0;    // It dies, or is tried again later.
  double late = 0;   // By up to a minute and a half.
  double never = 0;  // Not before everybody is well.
};

struct ReplayScenario {
  std::uint64_t seed = 0;
  Duration length{};
  int endpoints = 1;
  int messages = 0;
  int tasks = 1;
  double has_no_payload = 0;
  ReplayTrouble trouble;
  ReplayIncidents incidents;
  ReplayAnswers answers;
};

ReplayScenario draw_replay_scenario(std::uint64_t seed);

model::Pacing draw_pacing(Dice& dice);

}  // namespace petrel::sim
