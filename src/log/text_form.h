// The log's lines for people, and for grep:
//
//   2026-03-09T14:05:06.250000Z warn  circuit.opened: nothing is sent …  endpointId=ep_… why="20 …"
//
// A value with spaces, quotes or nothing in it is in quotes, escaped as in JSON. Whatever a line is
// about, it is one line, and holds no byte that steers a terminal but its own colours.
//
// Thread: any.

#pragma once

#include <string>

#include "log/line.h"

namespace petrel::log {

enum class Paint { None, Colours };

// With its newline.
std::string to_text(const Line& line, Paint paint);

}  // namespace petrel::log
