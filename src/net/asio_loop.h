// AsioLoop is a Loop on an Asio event loop: one thread of its own, named, that turns it.
//
// Thread: safe.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "base/clock.h"
#include "base/loop.h"

namespace petrel::net {

class AsioLoop final : public Loop {
 public:
  // The thread starts at once. `clock` says what the timers' moments mean, and outlives the loop.
  AsioLoop(std::string name, const Clock& clock);

  // Stops.
  ~AsioLoop() override;

  void post(Function<void()> action) override;
  std::unique_ptr<LoopTimer> make_timer() override;

  // Does it on the loop's thread and waits until it is done.
  //
  // REQUIRES: not called from the loop's own thread.
  void run_and_wait(const std::function<void()>& action);

  // Nothing more is done after what is being done now, which is waited for. What is queued stays
  // there until the loop goes. Legal twice.
  //
  // REQUIRES: not called from the loop's own thread.
  void stop();

  boost::asio::io_context& context() { return context_; }

 private:
  const Clock& clock_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;
};

}  // namespace petrel::net
