// SimLoop is the event loop of one life of a simulated process. When that life ends, whatever was
// posted or timed on it never happens.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <memory>

#include "base/loop.h"
#include "sim/world.h"

namespace petrel::sim {

// Ways in which a loop's timers can be wrong, to see whether anybody notices.
struct TimerDefects {
  Duration lag{};
  int forget_every = 0;            // Of so many settings one is forgotten; 0 for none.
  Duration far = Duration::max();  // What is so far away …
  Duration far_lag{};              // … comes that much late.
  Duration polls_every{};          // It turns that often for nothing; zero for never.
};

class SimLoop final : public Loop {
 public:
  explicit SimLoop(World& world, const TimerDefects& defects = {})
      : world_(world), defects_(defects), life_(std::make_shared<Life>()) {
    if (defects.polls_every > Duration::zero()) poll(world, life_, defects.polls_every);
  }
  ~SimLoop() override { life_->is_over = true; }
  SimLoop(const SimLoop&) = delete;
  SimLoop& operator=(const SimLoop&) = delete;

  void post(Function<void()> action) override;
  std::unique_ptr<LoopTimer> make_timer() override;

  // How often something was done on it.
  std::uint64_t turns() const { return life_->turns; }

 private:
  class Timer;

  // Shared with what is planned in the world.
  struct Life {
    bool is_over = false;
    std::uint64_t turns = 0;
  };

  static void poll(World& world, const std::shared_ptr<Life>& life, Duration every);

  World& world_;
  TimerDefects defects_;
  std::shared_ptr<Life> life_;
};

}  // namespace petrel::sim
