// ReplayAudit watches over P13 from outside: it sees what is written to the disk and by whom, and
// works out for itself what a task was about and what its pacing allows.
//
//   rate      What one task puts back fits into a bucket that leaks at its rate. By the moment at
//             which it was handed over the bucket holds a second's worth (or one, if that is more)
//             and the one that is due: so much a task that was held up may catch up with. On disk
//             it arrives later, each write in its own time, but the next is not begun before: so
//             there one batch more may come together. A ramp has the bucket of its ceiling, which
//             may be caught doubling; in its first minute that of the rate where it began. A wall
//             clock that is set forward hides from the next start how long it had to wait: one more
//             for each time.
//   standing  After an endpoint stops taking anything, each task puts back at most one step: the
//             one whose question had been answered before.
//   once      No task changes a delivery twice, and `done` counts those, and those that somebody
//             else was just faster with.
//   skipped   A finished task has changed everything that fitted when it was created, but for what
//             others changed since, what has no payload any more, and deleted endpoints.
//   word      Only a person takes a task out of Paused, nobody out of an end, and progress never
//             goes back.
//
// Thread: confined.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "replay/task_run.h"
#include "sim/replay_disk.h"
#include "sim/replay_lanes.h"
#include "sim/replay_log.h"
#include "sim/replay_mutant.h"

namespace petrel::sim {

// What runs into it must never stand higher than its size.
class LeakyBucket {
 public:
  LeakyBucket(double per_minute, double size) : per_minute_(per_minute), size_(size) {}

  void widen() { size_ += 1; }

  // Whether it holds.
  bool add(MonoTime at, std::size_t count);

 private:
  double per_minute_;
  double size_;
  double level_ = 0;
  MonoTime last_{};
};

struct ReplayTotals {
  std::uint64_t tasks = 0;
  std::uint64_t finished = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t put_back = 0;
  std::uint64_t discarded = 0;
  std::uint64_t skipped = 0;
  std::uint64_t overtaken = 0;   // Somebody else was faster.
  std::uint64_t late_steps = 0;  // Put back after an endpoint had stopped.
  std::uint64_t crashes = 0;

  void add(const ReplayTotals& other);
};

class ReplayAudit {
 public:
  ReplayAudit(World& world, ReplayLog& log) : world_(world), log_(log) {}

  // REQUIRES: before anything is written.
  void look_at(ReplayDisk& disk, ReplayLanes& lanes);

  void seen(const ReplayWrite& write);
  void stopped(EndpointId endpoint);
  void stepped(Duration by);
  void crashed() { ++totals_.crashes; }

  // When all that can end must have.
  void rested(OrganisationId organisation);

  // The world stops at the first one.
  void accuse(ReplayPromise promise, std::string text);
  const std::optional<ReplayViolation>& violation() const { return violation_; }
  const ReplayTotals& totals() const { return totals_; }

 private:
  // What is known of a task.
  struct File {
    model::Task made;
    LeakyBucket on_hand_over;
    LeakyBucket on_disk;
    LeakyBucket first_minute;
    std::size_t batch_max;
    std::set<model::DeliveryKey> meant = {};    // When it was created.
    std::set<model::DeliveryKey> moved = {};    // By others, since.
    std::set<model::DeliveryKey> changed = {};  // By it.
    std::map<EndpointId, int> late = {};        // Steps since the endpoint stopped.
    std::uint64_t overtaken = 0;
    bool has_ended = false;
  };

  void open(const model::Task& task);
  void worked(File& file, const ReplayWrite& write);
  void check_rate(File& file, const ReplayWrite& write);
  void check_standing(File& file, const ReplayWrite& write);
  void check_word(const ReplayWrite& write);
  void check_end(File& file, const model::Task& task);
  void check_sums(const File& file, const model::Task& task);

  World& world_;
  ReplayLog& log_;
  ReplayDisk* disk_ = nullptr;
  ReplayLanes* lanes_ = nullptr;
  std::map<TaskId, File> files_;
  ReplayTotals totals_;
  std::optional<ReplayViolation> violation_;
};

}  // namespace petrel::sim
