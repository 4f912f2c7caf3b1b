// ReplayNode is a process that carries tasks out and dies: the real Replayer, on a loop that is
// sometimes busy and with reads that take their time. All that it finds when it starts again is on
// disk.
//
// Thread: confined.

#pragma once

#include <functional>
#include <memory>

#include "base/blocking_pool.h"
#include "base/function.h"
#include "base/loop.h"
#include "replay/replayer.h"
#include "sim/dice.h"
#include "sim/replay_disk.h"
#include "sim/replay_lanes.h"
#include "sim/replay_log.h"

namespace petrel::sim {

class ReplayNode final : private BlockingPool {
 public:
  struct Parts {
    World& world;
    ReplayDisk& disk;
    ReplayLog& log;
    ReplayMutant mutant = ReplayMutant::None;
  };

  ReplayNode(const Parts& parts, std::uint64_t seed);
  ~ReplayNode() override;
  ReplayNode(const ReplayNode&) = delete;
  ReplayNode& operator=(const ReplayNode&) = delete;

  // REQUIRES: before it starts.
  void set_lanes(ReplayLanes& lanes) { lanes_ = &lanes; }

  // Each legal twice.
  void start();
  void crash();

  bool is_up() const { return replayer_ != nullptr; }
  std::size_t under_way() const { return is_up() ? replayer_->under_way() : 0; }

  void wake(const model::Task& task);
  void answered(const model::DeliveryKey& delivery, bool is_good);

  // Reads from the disk, some time later; never if the process dies before.
  void read(Function<void()> reading) { static_cast<void>(run(std::move(reading))); }

 private:
  bool run(Function<void()> reading) override;
  void commit(store::ChangeSet set, Function<void(Status)> done);
  void ask(EndpointId id, std::function<void(replay::Standing)> answer);
  void later(Duration delay, Function<void()> action);
  Duration moment();

  World& world_;
  ReplayDisk& disk_;
  ReplayLog& log_;
  ReplayMutant mutant_;
  Dice dice_;
  ReplayLanes* lanes_ = nullptr;
  int life_ = 0;
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<replay::Replayer> replayer_;
};

}  // namespace petrel::sim
