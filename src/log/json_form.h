// The log's lines as JSON, one object per line:
//
//   {"time":"2026-03-09T14:05:06.250000Z","level":"warn","kind":"circuit.opened",
//    "message":"nothing is sent to …","endpointId":"ep_…","why":"20 failures in a row"}
//
// Thread: any.

#pragma once

#include <string>

#include "log/line.h"

namespace petrel::log {

// With its newline.
std::string to_json(const Line& line);

}  // namespace petrel::log
