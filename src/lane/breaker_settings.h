// BreakerSettings says when a circuit opens, and for how long.
//
// Thread: any. A value.

#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.h"

namespace petrel::lane {

struct BreakerSettings {
  std::int32_t streak_to_open = 20;  // Failures in a row …

  // … as long as the last success is at least this old. On a busy endpoint twenty failures are a
  // blip of milliseconds.
  Duration streak_grace = std::chrono::seconds(1);

  Duration window = std::chrono::seconds(60);  // Whole seconds, up to AttemptWindow::kLengthMax.
  std::int32_t window_attempts_min = 40;
  std::int32_t window_failed_percent = 50;

  // Deliveries given up within exhausted_window, with no success in that time.
  std::int32_t exhausted_to_open = 10;
  Duration exhausted_window = std::chrono::hours(24);

  // It stays open for this part of the time since it first opened, within these bounds.
  std::int32_t open_divisor = 8;
  Duration open_min = std::chrono::seconds(15);
  Duration open_max = std::chrono::minutes(10);

  // How much longer it may stay open, drawn at random, so that receivers which failed together
  // are not probed together.
  std::int32_t open_jitter_percent = 25;
};

}  // namespace petrel::lane
