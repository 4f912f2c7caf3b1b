// The ramp of an endpoint that was resumed while it had no lane, or shortly before the process
// ended.
//
// The state of a lane is kept with every attempt that it settles (store/kept_lane.h). A ramp that
// began with a resume is on no record until the first attempt after it has ended; without more, a
// crash in between would let the whole backlog go at once.
//
// Thread: any.

#pragma once

#include <optional>

#include "base/time.h"
#include "model/endpoint.h"
#include "store/kept_lane.h"

namespace petrel::engine {

// `kept`, or a lane at ease, at the beginning of a ramp; or in the one that it is in already.
store::KeptLane resumed(std::optional<store::KeptLane> kept, WallTime now);

// For a process that starts: `kept`, if it knows of the last resume, else the same, resumed.
//
// When an endpoint was resumed is not recorded, but a resume is a change to it, and so not later
// than the last one. If that was something else, the ramp is one too many, and does no harm.
std::optional<store::KeptLane> with_ramp_of_resume(std::optional<store::KeptLane> kept,
                                                   const model::Endpoint& endpoint, WallTime now);

}  // namespace petrel::engine
