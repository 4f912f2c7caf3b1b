// Patience says whether a request is asked again, and after which wait.
//
//   429 with Retry-After: 7     after 7 s
//   503, no answer at all       after 0.5 s, 1 s, 2 s … 15 s
//   404, 422, a 200             never: asking again would change nothing
//
// Thread: any. A value.

#pragma once

#include <optional>

#include "base/time.h"

namespace petrel::app {

struct Patience {
  int tries_max = 1;  // Of all; 1: never again.
  Duration wait_first = std::chrono::milliseconds(500);
  Duration wait_max = std::chrono::seconds(15);
  // What a server asks for may be longer than this; then it is asked again after this.
  Duration retry_after_max = std::chrono::seconds(60);

  // `status` is 0 if there was no answer. `tries`: how many there have been, 1 or more.
  std::optional<Duration> next_wait(int tries, int status,
                                    std::optional<Duration> retry_after) const;
};

}  // namespace petrel::app
