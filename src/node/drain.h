// Drain stops a node in order:
//
//   tasks stop ─▶ shards start nothing more, what is in flight ends and is settled and told
//      ─▶ at `grace` what is still in flight is cancelled ─▶ at most `last_commit` more
//      ─▶ nothing is told any more ─▶ drained
//
// Thread: begin() on any; the rest on the control loop.

#pragma once

#include "base/alarms.h"
#include "base/clock.h"
#include "base/function.h"
#include "base/loop.h"
#include "node/lane_mail.h"
#include "node/tasks.h"

namespace petrel::node {

class Drain {
 public:
  struct Parts {
    Loop& control;
    const Clock& clock;
    LaneMail& lanes;
    Tasks& tasks;
    Duration last_commit;
  };

  explicit Drain(const Parts& parts) : parts_(parts), alarms_(parts.control) {}
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;

  // Once.
  void begin(Duration grace, Function<void()> drained);

  // On the control loop.
  bool has_begun() const { return has_begun_; }

 private:
  void start(Duration grace);
  void cancel();
  void stop_notices();

  const Parts parts_;
  Alarms alarms_;
  Function<void()> drained_;
  bool has_begun_ = false;
  bool is_over_ = false;  // All is settled, or the time is over.
};

}  // namespace petrel::node
