// Questions that several accusers ask of the scene.
//
// Thread: any.

#pragma once

#include <optional>
#include <vector>

#include "sim/judge/policy_reading.h"
#include "sim/judge/scene.h"

namespace petrel::sim::judge {

// The policies that may have held for an endpoint at some moment in between, each once.
std::vector<Policy> policies_between(const Scene& scene, EndpointId endpoint, MonoTime from,
                                     MonoTime to);

// Whether the node was told of a success, by every policy that may have held then, or by some.
bool is_success_by_all(const Scene& scene, const Request& request);
bool is_success_by_some(const Scene& scene, const Request& request);

// The record that stood when the request began stands still: nobody else wrote it meanwhile.
bool is_as_it_began(const Track& track, const Request& request);

// Whether somebody asked for such an act on the delivery since then.
bool was_asked_since(const Scene& scene, Act act, const DeliveryName& name, MonoTime since);

// Whether it began before the delivery was due: for sure, or perhaps (where the clock was set).
struct Early {
  bool surely = false;
  bool perhaps = false;
};
// When the producer wants it sent, at the earliest. While the producer has no answer yet, what the
// intake wrote counts.
std::optional<WallTime> deliver_at(const Scene& scene, const Track& track);

Early was_early(const Scene& scene, const Track& track, const Request& request);

}  // namespace petrel::sim::judge
