// DrivenOutage is a DrivenCore with one endpoint whose receiver goes away and comes back, step by
// step, for tests of what happens around it.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/testing/driven_core.h"

namespace petrel::engine {

inline policy::RetryPolicy one_hour() {
  policy::RetryPolicy policy = ten_seconds();
  policy.backoff.delay_base = std::chrono::hours(1);
  policy.give_up_after = std::chrono::hours(100);
  return policy;
}

// One endpoint whose failures wait for an hour.
class DrivenOutage {
 public:
  explicit DrivenOutage(lane::LaneSettings settings = {.in_flight_max = 1}) {
    config_.policy = std::make_shared<policy::RetryPolicy>(one_hour());
    config_.settings = settings;
    shard.core.configure(config_, shard.now);
  }

  void configure(const lane::LaneSettings& settings) {
    config_.settings = settings;
    shard.core.configure(config_, shard.now);
    shard.step();
  }

  const LaneState& lane() const { return *shard.core.lane(endpoint_id(1)); }
  lane::CircuitBreaker::State circuit() const { return lane().guard.breaker().state(); }

  // Messages 1 to 20 fail, which opens the circuit. The first `wishing` answers have this
  // Retry-After.
  void open(int wishing = 0, const std::string& retry_after = {}) {
    for (int n = 1; n <= 20; ++n) shard.accept(n);
    shard.step();
    for (int n = 1; n <= 20 && !shard.out.empty(); ++n) {
      model::AttemptResult failed = DrivenCore::answered(500);
      if (n <= wishing) failed.retry_after = retry_after;
      shard.end(n, failed);
    }
    ASSERT_EQ(circuit(), lane::CircuitBreaker::State::Open);
  }

  // The probe is message 21.
  void close() {
    shard.accept(21);
    shard.pass(std::chrono::seconds(19));
    shard.end(21, 200);
    ASSERT_EQ(circuit(), lane::CircuitBreaker::State::Closed);
    shard.sent.clear();
  }

  void end_ramp() {
    shard.pass(std::chrono::seconds(5));
    ASSERT_FALSE(lane().guard.ramp_step_ends_at());
  }

  // What went out, one after the other, each answered so.
  std::vector<int> drain(int status) {
    std::vector<int> sent;
    for (int i = 0; i < 100 && !shard.out.empty(); ++i) {
      sent.push_back(DrivenCore::number_of(shard.out.begin()->second.order.delivery.message));
      shard.end(sent.back(), status);
    }
    return sent;
  }

  WallTime due_of(int message) const {
    for (const auto& [place, delivery] : shard.live) {
      if (delivery.key.message == message_id(message)) return delivery.due_at;
    }
    return {};
  }

  DrivenCore shard;

 private:
  LaneConfig config_ = lane_config(1);
};

// Messages `first` to `last` fail in the outage, too, and are due in two hours.
inline void keep_failed(DrivenOutage& outage, int first, int last) {
  for (int n = first; n <= last; ++n) {
    model::Delivery waits = retrying(n, std::chrono::hours(2));
    waits.updated_at = outage.shard.now.wall;
    waits.next = model::Next{};
    outage.shard.keep(waits);
  }
}

}  // namespace petrel::engine
