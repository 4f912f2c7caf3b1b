// Evidence as a line that a person can read, to find out how an accusation came about.
//
// Thread: any.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "sim/judge/evidence.h"

namespace petrel::sim::judge {

// "change endpoint".
std::string_view to_string(Act act);

// Without an end of line.
std::string to_line(const Evidence& evidence);

// Which endpoint and message it is about. Empty if it is about all of them.
struct About {
  std::optional<EndpointId> endpoint = std::nullopt;
  std::optional<MessageId> message = std::nullopt;
};
About about(const Evidence& evidence);

}  // namespace petrel::sim::judge
