#include "app/client/patience.h"

#include <algorithm>

namespace petrel::app {
namespace {

bool is_passing(int status) {
  return status == 0 || status == 408 || status == 429 || (status >= 500 && status != 501);
}

}  // namespace

std::optional<Duration> Patience::next_wait(int tries, int status,
                                            std::optional<Duration> retry_after) const {
  if (tries >= tries_max || !is_passing(status)) return std::nullopt;
  if (retry_after) return std::clamp(*retry_after, Duration::zero(), retry_after_max);
  Duration wait = wait_first;
  for (int i = 1; i < tries && wait < wait_max; ++i) wait *= 2;
  return std::min(wait, wait_max);
}

}  // namespace petrel::app
