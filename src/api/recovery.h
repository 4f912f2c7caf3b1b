// Recovery puts the dead letters of one endpoint back on their way: those that died in a window of
// time, oldest first, batch by batch.
//
//   read 100 dead letters ─▶ store.settle ─▶ on disk ─▶ nudge the lane ─▶ the next 100 …
//
// Each batch is durable before the next is read. A delivery that dies again meanwhile is not taken
// twice: its death lies behind the window. One whose payload is gone stays dead.
//
// It lives in memory: a restart ends it, and what it has not reached stays among the dead letters.
//
// Thread: safe. It runs where `run_blocking` and the store's answers run, one step at a time, and
// keeps itself alive until its end.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "store/browse.h"
#include "store/store.h"

namespace petrel::api {

struct RecoveryWindow {
  ApplicationId application;
  EndpointId endpoint;
  WallTime since;  // The first moment of it.
  WallTime until;  // The first moment behind it.
};

// How far it has come.
struct RecoveryProgress {
  std::size_t revived = 0;
  bool is_done = false;
};

class Recovery : public std::enable_shared_from_this<Recovery> {
 public:
  static constexpr std::size_t kBatch = 100;

  struct Parts {
    store::Store& store;
    store::Browse& browse;
    const Clock& clock;
    std::function<void(std::function<void()>)> run_blocking;
    std::function<void(EndpointId)> nudge;

    // Told after each batch, the last time with `is_done` or with the error that ended it.
    std::function<void(const Result<RecoveryProgress>&)> on_batch;
  };

  Recovery(Parts parts, const RecoveryWindow& window);

  // REQUIRES: it is held by a shared_ptr. Once.
  void start();

 private:
  void step();
  Result<std::vector<model::Settlement>> next_batch();
  void settled(std::size_t count, const Status& status);

  const Parts parts_;
  const RecoveryWindow window_;
  std::optional<store::DeadPosition> after_;
  RecoveryProgress progress_;
  bool has_more_ = true;
};

}  // namespace petrel::api
