// Alarms are things to be done later on a loop, each once, for callers that keep no
// timer for each. With the Alarms goes all that has not happened yet.
//
// Thread: confined to the loop's thread.

#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/function.h"
#include "base/loop.h"

namespace petrel {

class Alarms {
 public:
  explicit Alarms(Loop& loop) : loop_(loop) {}
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;

  void at(MonoTime time, Function<void()> action) {
    const std::uint64_t number = next_++;
    std::unique_ptr<LoopTimer>& timer = timers_[number];
    timer = loop_.make_timer();
    timer->set(time, [this, number, action = std::move(action)] {
      const auto fired = timers_.extract(number);  // Lives to the end of the action.
      action();
    });
  }

 private:
  Loop& loop_;
  std::unordered_map<std::uint64_t, std::unique_ptr<LoopTimer>> timers_;
  std::uint64_t next_ = 0;
};

}  // namespace petrel
