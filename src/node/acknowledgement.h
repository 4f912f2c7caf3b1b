// Acknowledgement is answered once all who were asked to take something over have done so.
//
//   auto applied = Acknowledgement::begin(control, [done] { … });
//   mail(LaneChanged{id, applied->another()});
//   applied->begun();      all mail is out; `done` comes when the last of it is acknowledged
//
// Whoever dies without acknowledging leaves it unanswered, as the process that asked has died too.
//
// Thread: safe; `done` comes on the loop, also if there was nobody to ask.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/function.h"
#include "base/loop.h"

namespace petrel::node {

class Acknowledgement : public std::enable_shared_from_this<Acknowledgement> {
 public:
  static std::shared_ptr<Acknowledgement> begin(Loop& loop, Function<void()> done) {
    return std::shared_ptr<Acknowledgement>(new Acknowledgement(loop, std::move(done)));
  }

  // For one more who is asked.
  std::shared_ptr<Acknowledgement> another() {
    ++left_;
    return shared_from_this();
  }

  // By each who was asked, once.
  void acknowledge() {
    if (--left_ == 0) loop_.post(std::move(done_));
  }

  // By the one who asks, when all are asked.
  void begun() { acknowledge(); }

 private:
  Acknowledgement(Loop& loop, Function<void()> done) : loop_(loop), done_(std::move(done)) {}

  Loop& loop_;
  Function<void()> done_;
  std::atomic<std::size_t> left_ = 1;  // The one who asks is among them.
};

using Applied = std::shared_ptr<Acknowledgement>;

}  // namespace petrel::node
