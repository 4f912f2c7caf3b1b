// One checker per promise, each in a file of its name.
//
// Thread: confined.

#pragma once

#include <memory>

#include "sim/checker.h"

namespace petrel::sim::check {

// P1: everything that was promised to a producer is on disk, whatever happened, and in the end each
// of its deliveries is delivered or dead.
std::unique_ptr<Checker> no_loss(Court& court);

// P2: a delivery that is recorded as delivered was processed by its receiver, who said so.
std::unique_ptr<Checker> delivered_is_true(Court& court);

// P3: nothing is sent again after a success that we saw, unless a crash came before it was on disk;
// nothing is on the wire twice at once, nor again before its last outcome is on disk.
std::unique_ptr<Checker> bounded_duplicates(Court& court);

// P4: never more on the wire to an endpoint than it allows.
std::unique_ptr<Checker> in_flight(Court& court);

// P5: while the circuit of an endpoint is not closed, one probe at a time and nothing else.
std::unique_ptr<Checker> circuit_holds(Court& court);

// P5, its measure: how long it stays open follows the time since it first opened.
std::unique_ptr<Checker> open_time(Court& court);

// P6: neither the delivery nor, after 429 and 503, the whole endpoint is tried again before the
// receiver's Retry-After, as far as the policy grants it.
std::unique_ptr<Checker> retry_after(Court& court);

// P7: no more attempts than the policy allows, none after the end or after the give-up time, one
// end only, and for a reason that fits what happened.
std::unique_ptr<Checker> gives_up(Court& court);

// P8: what is recorded as the next due time lies within the policy's bounds, and no attempt starts
// before it.
std::unique_ptr<Checker> delay(Court& court);

// P8, its other side: what is due goes out at once if nothing stands in its way.
std::unique_ptr<Checker> promptness(Court& court);

// P8, after an outage: only what failed in it is made due sooner, once the ramp is over, and what
// is made due later again is due when it was before.
std::unique_ptr<Checker> release(Court& court);

// P8, its other side after an outage: what failed in it does not wait for its backoff for long once
// the ramp is over, unless five of the released have failed.
std::unique_ptr<Checker> release_comes(Court& court);

// P9: after its circuit closed or it was resumed, an endpoint gets no more than the ramp allows,
// and never more than its rate limit.
std::unique_ptr<Checker> herd_bound(Court& court);

// P10: lanes in trouble start nothing while they hold half of the slots, and never more is on the
// wire than there are slots. How soon bystanders are served is kept for two days to be compared.
std::unique_ptr<Checker> isolation(Court& court);

// P14: one idempotency key, one message.
std::unique_ptr<Checker> idempotency(Court& court);

// P16: ids and times of the attempts of a delivery only ever grow.
std::unique_ptr<Checker> audit_grows(Court& court);

}  // namespace petrel::sim::check
