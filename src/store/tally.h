// Tallies say how many deliveries of an endpoint are in which state, and how its attempts ended
// hour by hour, without walking over them. They are exact: each changes in the commit that changes
// what it counts.
//
// Thread: any. Values.

#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "policy/decision.h"
#include "policy/outcome.h"

namespace petrel::store {

inline constexpr std::size_t kDeadReasons =
    static_cast<std::size_t>(policy::DeadReason::Blocked) + 1;

struct EndpointTally {
  std::uint64_t live_fresh = 0;                    // Pending.
  std::uint64_t live_retry = 0;                    // Retrying.
  std::array<std::uint64_t, kDeadReasons> dead{};  // By policy::DeadReason.

  std::uint64_t dead_of(policy::DeadReason reason) const {
    return dead[static_cast<std::size_t>(reason)];
  }

  std::uint64_t dead_total() const {
    std::uint64_t total = 0;
    for (const std::uint64_t count : dead) total += count;
    return total;
  }

  EndpointTally& operator+=(const EndpointTally& other) {
    live_fresh += other.live_fresh;
    live_retry += other.live_retry;
    for (std::size_t i = 0; i < kDeadReasons; ++i) dead[i] += other.dead[i];
    return *this;
  }

  friend bool operator==(const EndpointTally&, const EndpointTally&) = default;
};

// The live deliveries of one endpoint.
struct QueueDepth {
  EndpointId endpoint;
  std::uint64_t fresh = 0;
  std::uint64_t retry = 0;

  std::uint64_t total() const { return fresh + retry; }

  friend bool operator==(const QueueDepth&, const QueueDepth&) = default;
};

// The deepest of many queues, whose number is bounded however many are added.
class DeepestQueues {
 public:
  explicit DeepestQueues(std::size_t most) : most_(most) {}

  void add(const QueueDepth& queue) {
    queues_.push_back(queue);
    if (queues_.size() > 2 * most_ + kSlack) cut();
  }

  // The deepest first; of those that are as deep, by id.
  std::vector<QueueDepth> take() {
    cut();
    return std::move(queues_);
  }

 private:
  static constexpr std::size_t kSlack = 64;

  void cut() {
    const auto is_deeper = [](const QueueDepth& a, const QueueDepth& b) {
      return a.total() != b.total() ? a.total() > b.total() : a.endpoint < b.endpoint;
    };
    std::sort(queues_.begin(), queues_.end(), is_deeper);
    if (queues_.size() > most_) queues_.resize(most_);
  }

  std::size_t most_;
  std::vector<QueueDepth> queues_;
};

// How long the numbers of an hour are kept, whatever becomes of the attempts that they count.
inline constexpr Duration kHoursKept = std::chrono::days(90);

// The attempts whose ids are of this hour.
struct HourTally {
  WallTime hour;              // When it began.
  std::uint64_t success = 0;  // Answered with a 2xx.
  std::uint64_t failed = 0;

  friend bool operator==(const HourTally&, const HourTally&) = default;
};

inline WallTime hour_of(WallTime moment) {
  return std::chrono::time_point_cast<Duration>(std::chrono::floor<std::chrono::hours>(moment));
}

inline bool is_success(const policy::Outcome& outcome) {
  return outcome.is_answer() && outcome.status() / 100 == 2;
}

}  // namespace petrel::store
