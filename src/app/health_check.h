// HealthCheck finds out how the server is, by having the store show that it takes writes and by
// looking which loops turn.
//
// It answers within kPatience, whatever the store does: a store that does not answer is not well.
// At most one question is with the store at a time; others wait for its answer too.
// A good answer counts for kFresh, so that asking often costs few writes.
//
// Thread: confined to one loop. Must outlive the store's last answer.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/http/server_health.h"
#include "app/heartbeats.h"
#include "base/clock.h"
#include "base/loop.h"

namespace petrel::app {

// How the store is, as it says once it has shown that it takes writes, or has failed to.
struct StoreState {
  bool takes_writes = true;
  std::string why_not = {};        // If it does not.
  std::uint64_t damage_total = 0;  // Places in which it was found damaged.

  // The first of them, by the names of files and records.
  static constexpr std::size_t kNamedMax = 10;
  std::vector<std::string> damaged = {};
};

class HealthCheck {
 public:
  static constexpr Duration kPatience = std::chrono::seconds(2);
  static constexpr Duration kFresh = std::chrono::seconds(1);

  using Done = std::function<void(const api::ServerHealth&)>;

  // Has the store show itself. Answers on any thread, or never if the disk hangs.
  using Prove = std::function<void(std::function<void(StoreState)>)>;

  // What else an operator should know: each a sentence that does not make the server unwell.
  using Remarks = std::function<std::vector<std::string>()>;

  // All of them outlive it.
  HealthCheck(Loop& loop, const Clock& clock, const Heartbeats& beats, Prove prove,
              Remarks remarks = nullptr);
  HealthCheck(const HealthCheck&) = delete;
  HealthCheck& operator=(const HealthCheck&) = delete;

  void ask(Done done);

 private:
  void answer(const StoreState& state);
  void give_up();
  void tell(api::ServerHealth health);

  Loop& loop_;
  const Clock& clock_;
  const Heartbeats& beats_;
  const Prove prove_;
  const Remarks remarks_;  // May be empty.
  std::unique_ptr<LoopTimer> timer_;
  std::optional<MonoTime> asked_at_;  // Set while the store has a question.
  std::optional<MonoTime> well_at_;   // When the store last was well without a remark.
  std::vector<Done> waiting_;
};

}  // namespace petrel::app
