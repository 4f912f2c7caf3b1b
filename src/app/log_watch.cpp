#include "app/log_watch.h"

#include <utility>

namespace petrel::app {

LogWatch::LogWatch(const Parts& parts)
    : parts_(parts),
      dropped_(parts.registry.counter("petrel_log_lines_dropped_total",
                                      "Lines of the log that stderr did not take.")),
      left_out_(parts.registry.counter("petrel_log_lines_left_out_total",
                                       "Lines of the log that were too many of their kind.")),
      timer_(parts.loop.make_timer()) {
  look();
}

void LogWatch::look() {
  const std::uint64_t dropped = parts_.log.dropped();
  const std::uint64_t left_out = parts_.log.left_out();
  dropped_.add(dropped - std::exchange(dropped_seen_, dropped));
  left_out_.add(left_out - std::exchange(left_out_seen_, left_out));
  parts_.log.look();
  timer_->set(parts_.clock.mono() + kLookEvery, [this] { look(); });
}

}  // namespace petrel::app
