// What a settlement is in the metrics: pure, so that every figure can be checked by itself.
//
// Thread: any.

#pragma once

#include <optional>

#include "base/time.h"
#include "metric/metrics.h"
#include "model/attempt.h"
#include "model/settlement.h"
#include "policy/outcome.h"

namespace petrel::node {

// How an attempt is counted.
metric::AttemptLabel label_of(const policy::Outcome& outcome, bool is_success);

metric::OwnFaultLabel label_of(model::FaultCause cause);

// Whether the settlement's attempt was not the first one of its delivery, or of the budget that a
// person gave it anew.
//
// REQUIRES: it has an attempt.
bool is_retry(const model::Settlement& settlement);

// How long the receiver of a delivered message had to wait for it: from when it was accepted, or
// from when the producer wanted it sent. Empty for what a person has sent again: it says nothing
// about how the server does.
//
// REQUIRES: it is delivered.
std::optional<Duration> delivery_delay(const model::Settlement& settlement);

// Of the phases that there were.
void count_phases(const model::Timings& timings, metric::Metrics& metrics);

// All that a settlement changes in the metrics, once it is on disk.
void count(const model::Settlement& settlement, metric::Metrics& metrics);

}  // namespace petrel::node
