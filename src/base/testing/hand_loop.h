// HandLoop is an event loop that a test turns by hand, on a clock that it moves by hand.
//
//   HandClock clock(kWallStart, kMonoStart);
//   HandLoop loop(clock);
//   loop.run();                    does what was posted, and what is due
//   loop.run_for(clock, hour);     an hour passes, from timer to timer
//
// Thread: confined.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/loop.h"

namespace petrel {

class HandClock final : public Clock {
 public:
  HandClock(WallTime wall, MonoTime mono) : wall_(wall), mono_(mono) {}

  WallTime wall() const override { return wall_ + time + step; }
  MonoTime mono() const override { return mono_ + time; }

  Duration time{};  // Since the start.
  Duration step{};  // By which the wall clock was set.

 private:
  WallTime wall_;
  MonoTime mono_;
};

class HandLoop final : public Loop {
 public:
  explicit HandLoop(const Clock& clock) : clock_(clock) {}

  void post(Function<void()> action) override { actions_.push_back(std::move(action)); }
  std::unique_ptr<LoopTimer> make_timer() override { return std::make_unique<Timer>(timers_); }

  void run() {
    do {
      fire_timers();
      while (!actions_.empty()) {
        const auto action = std::move(actions_.front());
        actions_.pop_front();
        action();
      }
    } while (is_timer_due());
  }

  void run_for(HandClock& clock, Duration length) {
    const MonoTime end = clock.mono() + length;
    run();
    for (std::optional<MonoTime> next = first_timer(); next && *next <= end; next = first_timer()) {
      clock.time += *next - clock.mono();
      run();
    }
    clock.time += end - clock.mono();
  }

  std::size_t posted() const { return actions_.size(); }

  // Forgets what was posted.
  void clear() { actions_.clear(); }

 private:
  class Timer;
  using Timers = std::set<Timer*>;

  class Timer final : public LoopTimer {
   public:
    explicit Timer(Timers& timers) : timers_(timers) { timers_.insert(this); }
    ~Timer() override { timers_.erase(this); }

    void set(MonoTime at, Function<void()> action) override {
      at_ = at;
      action_ = std::move(action);
    }
    void cancel() override { at_.reset(); }

    std::optional<MonoTime> at() const { return at_; }
    bool is_due(MonoTime now) const { return at_ && *at_ <= now; }

    // Its action may set it again, or destroy it.
    void fire() {
      at_.reset();
      const auto action = std::move(action_);
      action();
    }

   private:
    Timers& timers_;
    std::optional<MonoTime> at_;
    Function<void()> action_;
  };

  std::optional<MonoTime> first_timer() const {
    std::optional<MonoTime> first;
    for (const Timer* timer : timers_) {
      if (timer->at() && (!first || *timer->at() < *first)) first = timer->at();
    }
    return first;
  }

  bool is_timer_due() const {
    const std::optional<MonoTime> first = first_timer();
    return first && *first <= clock_.mono();
  }

  void fire_timers() {
    for (Timer* timer : Timers(timers_)) {
      if (timers_.contains(timer) && timer->is_due(clock_.mono())) timer->fire();
    }
  }

  const Clock& clock_;
  std::deque<Function<void()>> actions_;
  Timers timers_;
};

}  // namespace petrel
