// Comparison is one scenario, played by several contenders.
//
// Thread: any. A value.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/time.h"
#include "storm/run.h"
#include "storm/scenario.h"

namespace petrel::storm {

struct Comparison {
  Scenario scenario;
  std::vector<Run> runs;  // Those of one policy follow each other.
};

// The stretch of time that is worth looking at: from just before the outage until the last
// contender has drained, but not longer than a few outages.
struct Window {
  Duration from;
  Duration to;

  Duration length() const { return to - from; }
};

Window window_of(const Comparison& comparison);

// The window in `columns` equal parts: the most that any second of a part shows. A second that lies
// in two parts counts in both.
//
// REQUIRES: columns >= 1.
std::vector<int> peaks(const std::vector<int>& seconds, const Window& window, std::size_t columns);

// Where in the window the moment is, from 0 to 1. Outside of it less or more.
double place_in(const Window& window, Duration at);

// Those with the fewest crashes and, of them, the fewest messages not delivered, that drained
// within a tenth of the soonest of them: less than that is the luck of one seed.
//
// REQUIRES: there is a run.
std::vector<const Run*> best_of(const Comparison& comparison);

// "storm-safe alone", "svix with the guards".
std::string full_name(const Contender& contender);

// A sentence about the best ones.
std::string verdict(const Comparison& comparison);

// {"scenario": {…}, "runs": [{"policy": "svix", "retryPolicy": {…}, "guards": true, "score": {…}}]}
void write_comparison(const Comparison& comparison, JsonWriter& json);

}  // namespace petrel::storm
