// TaskRun carries one task out, step by step: it waits until the pace and a lane let it, reads what
// comes next, and has it written together with how far the task has come.
//
//   count what there is ─▶ ┌ wait for the pace, and for a lane that takes something
//                          │ read the next few                  (may wait for the disk)
//                          └ write them and the progress        (one commit) ─▶ the lane looks
//                          … until nothing is left ─▶ wait for the answers ─▶ finished
//
// A replay takes its endpoints in turn and passes over those that cannot take anything: paused,
// disabled, or with a circuit that is not closed. So one dead endpoint does not hold up the others.
//
// If a write fails, or the task was changed from outside (paused it, cancelled it), it reads the
// task again and goes on from what is there. Nothing in memory but the pace and the answers that it
// waits for would be missed by a restart.
//
// Thread: confined to its loop's thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/blocking_pool.h"
#include "base/clock.h"
#include "base/function.h"
#include "base/loop.h"
#include "base/result.h"
#include "model/delivery.h"
#include "model/task.h"
#include "replay/pace.h"
#include "replay/usage_count.h"
#include "replay/walk.h"
#include "store/browse.h"
#include "store/store.h"

namespace petrel::replay {

// Whether an endpoint can take something that is put back.
enum class Readiness : std::uint8_t { Ready, Blocked, Deleted };

class TaskRun : public std::enable_shared_from_this<TaskRun> {
 public:
  // What all runs work with. All of it outlives them.
  struct Parts {
    Loop& loop;
    const Clock& clock;
    store::Browse& browse;
    BlockingPool& pool;

    // Writes a step, and has the lanes whose deliveries it puts back look into the store. Answered
    // once, on any thread.
    std::function<void(store::ChangeSet, Function<void(Status)>)> commit;

    // Asks how an endpoint stands; answered once, on any thread.
    std::function<void(EndpointId, std::function<void(Readiness)>)> ask;

    // The endpoint as it is now; null if there is none.
    std::function<std::shared_ptr<const model::Endpoint>(EndpointId)> endpoint;

    // Told how many tasks are under way, whenever that has changed. May be empty.
    std::function<void(std::size_t)> count = {};

    // Told of each task that a run has brought to its end, or given up; not of one that a person
    // cancelled. Called on the loop. May be empty.
    std::function<void(const model::Task&)> ended = {};
  };

  // Legs that are under way at once.
  static constexpr std::size_t kCursorsMax = 64;

  // Deliveries of one endpoint that were put back and have not had their first attempt. At that
  // many it is passed over: a slow endpoint is not buried under what it has missed.
  static constexpr std::size_t kUnansweredMax = 1000;

  // How long it looks again after an endpoint that could not take anything, or a store that was
  // away; and how long a task that has nothing left to do waits for the last answers.
  static constexpr Duration kLookAgain = std::chrono::seconds(1);
  static constexpr Duration kLastAnswers = std::chrono::seconds(30);

  // An answer that has not come by then is not waited for any more.
  static constexpr Duration kAnswerMax = std::chrono::minutes(10);

  // What is not paced goes in commits of this size.
  static constexpr std::size_t kBatch = 100;

  // `over` is called once, when there is nothing more to do for now: the task has ended, or was
  // paused.
  TaskRun(std::shared_ptr<const Parts> parts, OrganisationId organisation, TaskId id,
          std::function<void()> over);

  // REQUIRES: it is held by a shared_ptr. Once.
  void begin() { read_task(); }

  // The task was changed: it is read again before the next step.
  void look_again() { is_stale_ = true; }

  // The first attempt of a delivery that was put back has ended, by this task or another.
  void answered(const model::DeliveryKey& delivery, bool is_good);

  // It has ended without an attempt: it was cancelled, or its time ran out.
  void unsent(const model::DeliveryKey& delivery);

  // No step begins any more.
  void stop() { is_over_ = true; }

 private:
  void read_task();
  void take_up(const Result<model::Task>& task);
  void step();
  void count_usage(const std::shared_ptr<UsageCount>& usage);
  bool count_first();
  bool open_legs();
  std::optional<std::size_t> next_endpoint(MonoTime now);
  void take_endpoint(std::size_t index);
  void read_endpoint(std::size_t index);
  void read(std::size_t index, const Result<Step>& step);
  void write(model::Task next, const Step& step);
  void written(model::Task next, const Step& step, const Status& status);
  void keep_answers(model::Task& task) const;
  void finish();
  void end();
  void fail(const Error& error);
  void drop_endpoint(EndpointId endpoint);
  bool forget(const model::DeliveryKey& delivery);
  void forget_all(const Step& step);
  bool is_full(EndpointId endpoint);
  void go_on_if_idle();
  void rest_until(MonoTime at);
  bool is_paced() const { return is_replay(task_); }
  std::size_t allowance(EndpointId endpoint) const;

  // Runs `read` where it may wait for the disk, and goes on with what it gives.
  template <typename T>
  void from_disk(std::function<Result<T>()> read, std::function<void(const Result<T>&)> then);

  // Wraps what is answered on any thread: on the loop, and not any more once it is over.
  template <typename T>
  std::function<void(const T&)> on_loop(std::function<void(const T&)> then);

  const std::shared_ptr<const Parts> parts_;  // Shared with all runs; a late answer finds it.
  const OrganisationId organisation_;
  const TaskId id_;
  std::function<void()> over_;
  std::unique_ptr<LoopTimer> timer_;

  model::Task task_;  // As it was last read or written; the cursors may be further.
  std::optional<Pace> pace_;
  std::map<EndpointId, MonoTime> still_;  // Endpoints that could not take anything, and until when
                                          // they are not asked again.
  std::size_t turn_ = 0;                  // Which cursor is next.
  Count count_;
  std::map<EndpointId, std::unordered_map<MessageId, MonoTime>> unanswered_;  // Since when.
  MonoTime last_released_;
  bool is_stale_ = false;
  bool is_busy_ = true;  // Something is under way that will go on by itself.
  bool is_over_ = false;
};

}  // namespace petrel::replay
