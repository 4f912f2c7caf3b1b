// Mailbox carries mail from any thread to a loop: what is sent before the loop comes to read is
// read at once, in the order in which it was sent. However much is sent, the loop is woken once.
//
// Thread: send() from any; it is read on the loop. Construction and destruction while nothing sends
// and the loop does not turn, or on the loop.

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/function.h"
#include "base/guarded.h"
#include "base/loop.h"

namespace petrel {

template <typename Mail>
class Mailbox {
 public:
  using Read = Function<void(std::vector<Mail>)>;

  Mailbox(Loop& loop, Read read)
      : loop_(loop), read_(std::make_shared<Read>(std::move(read))), waiting_() {}

  ~Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void send(Mail mail) {
    const bool is_first = waiting_.with([&](std::vector<Mail>& waiting) {
      waiting.push_back(std::move(mail));
      return waiting.size() == 1;
    });
    if (!is_first) return;
    // What is still queued on the loop when the mailbox goes is not read.
    loop_.post([this, alive = std::weak_ptr<Read>(read_)] {
      if (const auto read = alive.lock()) (*read)(take());
    });
  }

 private:
  std::vector<Mail> take() {
    return waiting_.with([](std::vector<Mail>& waiting) { return std::exchange(waiting, {}); });
  }

  Loop& loop_;
  const std::shared_ptr<Read> read_;
  Guarded<std::vector<Mail>> waiting_;
};

}  // namespace petrel
