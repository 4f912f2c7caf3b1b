#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sim/check/bounds.h"
#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

class Delay final : public Checker {
 public:
  explicit Delay(Court& court) : Checker(court), is_open_(court.scenario.endpoints.size()) {}

  void recorded(const Track& track, const model::Settlement& settlement) override {
    if (!settlement.delivery.is_live() || !settlement.attempt || track.trips.empty()) return;
    const Trip& trip = track.trips.back();
    const int failure = track.spent + 1;
    const WallTime due_at = settlement.delivery.due_at;
    if (settlement.delivery.progress.attempts == track.spent) return check_stays(track, due_at);
    const DelayBounds bounds = delay_bounds(*plan_of(track).policy, failure, trip);
    const Duration delay = due_at - trip.ended_wall;
    const bool is_short = delay < bounds.shortest || due_at < time_before_release(track, trip);
    const bool is_long = delay > bounds.longest && due_at > time_before_release(track, trip);
    if (!is_short && !is_long) return;
    accuse(Property::Delay,
           fmt::format("due {} us after failure {}, which is not within {} … {} us", delay.count(),
                       failure, bounds.shortest.count(), bounds.longest.count()),
           &track);
  }

  void sending(const Track& track, const Trip& trip) override {
    if (!track.recorded_trip || !track.on_disk) return;
    // A restart goes by the wall clock, which may have been stepped forward meanwhile.
    const MonoTime due = clock().earliest_expected(track.on_disk->due_at, due_since(track));
    if (trip.started >= due) return;
    if (is_open_[track.endpoint]) return;  // A probe may be the earliest that waits.
    accuse(Property::Delay,
           fmt::format("started {} us before it was due", (due - trip.started).count()), &track);
  }

  // What was released and failed is due no earlier than it was before.
  static WallTime time_before_release(const Track& track, const Trip& trip) {
    const auto& next = track.on_disk->next;
    const bool was_released = next && next->released_from && *next->released_from > trip.ended_wall;
    return was_released ? *next->released_from : WallTime::min();
  }

  // After a probe before its time it is due when it was, unless the receiver asks for more.
  void check_stays(const Track& track, WallTime due_at) {
    const Trip& trip = track.trips.back();
    const WallTime granted = trip.ended_wall + granted_wait(*plan_of(track).policy, trip);
    if (due_at == std::max(track.on_disk->due_at, granted)) return;
    accuse(Property::Delay, "a probe before its time changed when it is due", &track);
  }

  void looked(const NodeView* node) override {
    for (std::size_t i = 0; i < is_open_.size(); ++i) {
      const auto* state = node == nullptr ? nullptr : node->lane(scenario().endpoints[i].id);
      is_open_[i] =
          state != nullptr && state->guard.breaker().state() != lane::CircuitBreaker::State::Closed;
    }
  }

 private:
  std::vector<bool> is_open_;  // By endpoint: its circuit is not closed.
};

}  // namespace

std::unique_ptr<Checker> delay(Court& court) { return std::make_unique<Delay>(court); }

}  // namespace petrel::sim::check
