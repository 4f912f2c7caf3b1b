// Coincidences are what hardly ever comes together in a day by itself: an authority that more
// endpoints share than it may have requests in flight, a producer that repeats one message for
// minutes, a line of endpoints that wait for a rate when it is raised. A few days have one.
//
// Each is drawn from dice of its own: a day without it is as it would be if it were not there.
//
// Thread: any.

#pragma once

#include "sim/scenario.h"

namespace petrel::sim {

void add_coincidences(Scenario& scenario);

}  // namespace petrel::sim
