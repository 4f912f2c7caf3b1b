// Arrivals are the messages of a scenario: which endpoint each is for, and when it comes.
//
// The moments are drawn evenly over the span, which is what a Poisson process looks like to one who
// knows how many came. With batches it is the batches that are drawn so. The same seed gives the
// same arrivals, whatever the policy: all policies are put to the same test.
//
// Thread: any.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "storm/scenario.h"

namespace petrel::storm {

enum class Party : std::uint8_t {
  Stricken,   // The endpoint whose receiver has the outage.
  Neighbour,  // The healthy one beside it.
};

struct Arrival {
  Duration at;  // Since the start.
  Party party = Party::Stricken;

  friend bool operator==(const Arrival&, const Arrival&) = default;
};

// By time. As many for the neighbour as for the stricken endpoint.
std::vector<Arrival> draw_arrivals(const Scenario& scenario);

// The id of the arrival at this place in the list, and the place that an id was made from. Ids sort
// by time, then by place.
MessageId message_id(std::size_t place, WallTime accepted_at);
std::size_t place_of(const MessageId& message);

}  // namespace petrel::storm
