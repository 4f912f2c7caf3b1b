// Tasks carries out, on the control loop, what goes on after its request: it wires the Replayer to
// the lanes and to the changes.
//
// Thread: start, stop and destruction on the control loop, or while it does not turn; the rest on
// any.

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "base/loop.h"
#include "base/mailbox.h"
#include "model/delivery.h"
#include "node/changes.h"
#include "node/lane_directory.h"
#include "node/lane_mail.h"
#include "node/seams.h"
#include "node/task_waker.h"
#include "replay/replayer.h"

namespace petrel::node {

class Tasks final : public TaskWaker {
 public:
  struct Parts {
    const Seams& seams;
    Loop& control;
    LaneDirectory& lanes;
    LaneMail& mail;
  };

  explicit Tasks(const Parts& parts);
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  // Takes up what is under way in the store; again after the store was away.
  void start(Changes& changes);

  // Nothing begins any more.
  void stop();

  // How a delivery that was put back fared: see ShardEvents.
  void answered(const model::DeliveryKey& delivery, std::optional<bool> is_good);

  void wake(OrganisationId organisation, TaskId task) override;
  std::size_t under_way() const override { return under_way_; }

 private:
  struct Answer {
    model::DeliveryKey delivery;
    std::optional<bool> is_good;
  };

  replay::TaskRun::Parts ports(Changes& changes);
  void ask_readiness(EndpointId endpoint, std::function<void(replay::Readiness)> answer);
  void read(const std::vector<Answer>& answers);

  const Parts parts_;
  std::atomic<std::size_t> under_way_ = 0;
  std::unique_ptr<replay::Replayer> replayer_;
  Mailbox<Answer> answers_;
};

}  // namespace petrel::node
