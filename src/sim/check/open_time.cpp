#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

using State = lane::CircuitBreaker::State;
using std::chrono::minutes;
using std::chrono::seconds;

class OpenTime final : public Checker {
 public:
  explicit OpenTime(Court& court) : Checker(court), lanes_(court.scenario.endpoints.size()) {}

  void ended(const Track& track) override {
    lanes_[track.endpoint].last_outcome = track.trips.back().outcome;
  }

  void looked(const NodeView*) override {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (const engine::LaneState* state = lane_of(i)) {
        look_at(*state, lanes_[i]);
      } else {
        lanes_[i] = {};
      }
    }
  }

 private:
  struct Lane {
    bool is_known = false;  // It was closed, and not ramping, since the node started.
    State state = State::Closed;
    std::optional<MonoTime> first_opened;
    policy::Outcome last_outcome = policy::Outcome::our_fault();
  };

  void look_at(const engine::LaneState& state, Lane& lane) {
    const lane::Lane& guard = state.guard;
    const State before = std::exchange(lane.state, guard.breaker().state());
    // A pause stops a ramp, which does not finish it.
    const bool is_at_rest =
        lane.state == State::Closed && !guard.ramp_step_ends_at() && state.config.settings.may_send;
    if (is_at_rest) {
      lane.is_known = true;
      lane.first_opened.reset();
    }
    if (!lane.is_known || lane.state != State::Open || before == State::Open) return;
    if (!lane.first_opened) lane.first_opened = now();
    // A probe that was throttled waits as long as its receiver asks for.
    if (lane.last_outcome.is_status(429)) return;
    const Duration base =
        std::clamp<Duration>((now() - *lane.first_opened) / 8, seconds(15), minutes(10));
    const Duration open = guard.breaker().next_probe_at().value_or(now()) - now();
    if (open >= base && open <= base + base / 4) return;
    accuse(Property::CircuitHolds,
           fmt::format("open for {} ms, {} s after it first opened", open.count() / 1000,
                       (now() - *lane.first_opened) / seconds(1)));
  }

  std::vector<Lane> lanes_;  // By endpoint.
};

}  // namespace

std::unique_ptr<Checker> open_time(Court& court) { return std::make_unique<OpenTime>(court); }

}  // namespace petrel::sim::check
