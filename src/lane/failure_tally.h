// FailureTally keeps count of what speaks against a receiver, and says when it is enough to open
// the circuit.
//
// Three things do: failures in a row, the share of failures among the attempts of a window, and
// deliveries that were given up while there was no success for a day. BreakerSettings has the
// figures.
//
// Time is handed in, never read, and must not go back between calls.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "lane/attempt_window.h"
#include "lane/breaker_settings.h"
#include "lane/rate.h"

namespace petrel::lane {

class FailureTally {
 public:
  // What is kept over a restart. The window is not: it would be stale.
  struct Snapshot {
    std::int32_t streak = 0;
    std::vector<Duration> exhausted_ago;  // Oldest first.
    std::optional<Duration> last_success_ago;

    friend bool operator==(const Snapshot&, const Snapshot&) = default;
  };

  // REQUIRES: the figures that open the circuit are >= 1 (streak_grace may be 0),
  // window_failed_percent <= 100 and exhausted_to_open <= 1000.
  explicit FailureTally(const BreakerSettings& settings);

  // Takes over changed settings. A window of another length starts over.
  void configure(const BreakerSettings& settings);

  void count_success(MonoTime now);

  // An answer that is no success: it ends a streak, but grants no grace and redeems no delivery
  // that was given up.
  void count_reachable(MonoTime now);

  void count_failure(MonoTime now);
  void count_exhausted(MonoTime now);

  // Why the circuit should open, in plain words: "20 failures in a row". Empty if it should not.
  std::string reason_to_open(MonoTime now) const;

  // Attempts ended lately. Empty if there were none.
  std::optional<Rate> rate(MonoTime now) const { return window_.rate(now); }

  // Starts over, and gives the memory back. The last success stays known.
  void clear();

  // Empty if none is known of.
  std::optional<MonoTime> last_success() const { return last_success_; }

  // No failure since the last success, and none given up.
  bool is_clean() const { return streak_ == 0 && exhausted_.empty(); }

  Snapshot snapshot(MonoTime now) const;
  void restore(const Snapshot& snapshot, MonoTime now);

 private:
  static void check(const BreakerSettings& settings);
  bool is_streak_enough(MonoTime now) const;
  bool is_share_enough(const AttemptWindow::Totals& seen) const;
  bool was_success_within(Duration time, MonoTime now) const;
  std::int32_t exhausted_within_window(MonoTime now) const;

  // Only the figures that open the circuit are read.
  BreakerSettings settings_;
  std::int32_t streak_ = 0;
  std::optional<MonoTime> last_success_;
  AttemptWindow window_;
  std::vector<MonoTime> exhausted_;  // The last of them, since the last success, oldest first.
};

}  // namespace petrel::lane
