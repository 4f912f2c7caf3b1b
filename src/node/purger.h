// Purger has the store drop what is past its retention, in the background: one sweep of small steps
// every so often, with a pause behind each step that is longer than the step was, so that
// deliveries have the store to themselves most of the time.
//
//   a sweep every thirtieth of the shortest period of all applications, from 1 to 5 minutes
//
// What has ended is therefore dropped within minutes after its period, or somewhat later if there
// is much of it. It never drops what the store has not found past its retention itself.
//
// Thread: confined to the control loop, or while that does not turn.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/alarms.h"
#include "base/clock.h"
#include "base/loop.h"
#include "model/retention.h"
#include "node/seams.h"
#include "store/purge.h"

namespace petrel::node {

class Purger {
 public:
  static constexpr Duration kSweepMin = std::chrono::minutes(1);
  static constexpr Duration kSweepMax = std::chrono::minutes(5);

  // Behind a step: at least, and so many times as long as the step took.
  static constexpr Duration kPauseMin = std::chrono::milliseconds(2);
  static constexpr int kPauseFactor = 3;

  // Behind a step that the store could not make.
  static constexpr Duration kTryAgain = std::chrono::seconds(5);

  struct Parts {
    const Seams& seams;
    Loop& control;
    const model::RetentionSettings& server;  // Outlives it.
  };

  explicit Purger(const Parts& parts) : parts_(parts), alarms_(parts.control) {}
  Purger(const Purger&) = delete;
  Purger& operator=(const Purger&) = delete;

  // The first sweep begins at once.
  void start();

  // Begins no further step.
  void stop() { is_stopped_ = true; }

 private:
  void sweep();
  void step();
  void stepped(const Result<store::Purged>& purged);
  void count(const store::Purged& purged);
  void end_sweep();
  std::shared_ptr<const store::RetentionRules> rules() const;
  void after(Duration pause, void (Purger::*act)());

  const Parts parts_;
  store::PurgeOrder order_;
  std::uint64_t rules_edition_ = 0;  // The catalogue's, of the rules in `order_`.
  MonoTime step_began_{};
  bool is_stopped_ = false;
  Alarms alarms_;
};

}  // namespace petrel::node
