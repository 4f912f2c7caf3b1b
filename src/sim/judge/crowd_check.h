// Whether storms elsewhere make bystanders wait: the same day is lived through twice, once alone
// and once with receivers that hang, and the starts of the bystanders' deliveries are compared.
//
// Thread: any.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "sim/judge/accusation.h"
#include "sim/judge/scene.h"

namespace petrel::sim::judge {

// When a delivery was first sent, and how long after it was written.
struct Start {
  Moment at;
  Duration delay{};
};

// By endpoint and the idempotency key of its message, which is the same both times.
using StartDelays = std::map<std::pair<EndpointId, std::string>, Start>;

StartDelays start_delays(const Scene& scene);

// One accusation for each delivery that was sent more than `allowed` later with the storms than
// alone, or not at all.
std::vector<Accusation> crowd_check(const StartDelays& alone, const StartDelays& together,
                                    Duration allowed);

}  // namespace petrel::sim::judge
