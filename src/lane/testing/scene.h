// Scene is a lane that a test drives by hand: the time, and the attempts in flight.

#pragma once

#include <chrono>
#include <deque>

#include <gtest/gtest.h>

#include "lane/lane.h"

namespace petrel::lane {

using AttemptReport = Lane::AttemptReport;
using State = CircuitBreaker::State;

inline constexpr MonoTime kStart = MonoTime(std::chrono::seconds(1'000));

inline AttemptReport success() {
  return {.outcome = policy::Outcome::answered(200), .is_success = true};
}
inline AttemptReport answered(int status) { return {.outcome = policy::Outcome::answered(status)}; }
inline AttemptReport timed_out() {
  return {.outcome = policy::Outcome::failed(policy::FailureKind::Timeout)};
}
inline AttemptReport our_fault() { return {.outcome = policy::Outcome::our_fault()}; }

inline AttemptReport permanent() {
  AttemptReport report = answered(400);
  report.is_permanent = true;
  return report;
}

inline AttemptReport asking_to_wait(int status, MonoTime until) {
  AttemptReport report = answered(status);
  report.held_until = until;
  return report;
}

// A lane, the time, and the attempts in flight.
struct Scene {
  explicit Scene(const LaneSettings& settings = {}) : lane(settings, kStart) {}

  bool start() {
    const auto ticket = lane.try_start(now);
    if (ticket) out.push_back(*ticket);
    return ticket.has_value();
  }

  // The attempt that is out longest.
  void end(const AttemptReport& report) {
    lane.settle(out.front(), report, now, random);
    out.pop_front();
  }

  void attempt(const AttemptReport& report) {
    ASSERT_TRUE(start());
    end(report);
  }

  void attempt_times(int times, const AttemptReport& report) {
    for (int i = 0; i < times; ++i) attempt(report);
  }

  void open_circuit() {
    attempt_times(20, answered(500));
    ASSERT_EQ(lane.breaker().state(), State::Open);
  }

  void start_probe() {
    now = *lane.next_at(now);
    ASSERT_TRUE(start());
    ASSERT_EQ(lane.breaker().state(), State::HalfOpen);
  }

  // Open, and closed again by its probe.
  void recover() {
    open_circuit();
    start_probe();
    end(success());
    ASSERT_EQ(lane.breaker().state(), State::Closed);
  }

  void configure(const LaneSettings& settings) { lane.configure(settings, now); }
  std::string explain() const { return lane.explain(now); }

  MonoTime now = kStart;
  Random random{7};
  Lane lane;
  std::deque<Lane::Ticket> out;
};

}  // namespace petrel::lane
