#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

using State = lane::CircuitBreaker::State;
using std::chrono::seconds;

constexpr Duration kBeforeOpening = seconds(60);

class ReleaseChecker final : public Checker {
 public:
  explicit ReleaseChecker(Court& court) : Checker(court), lanes_(court.scenario.endpoints.size()) {}

  void recorded(const Track& track, const model::Settlement& settlement) override {
    if (settlement.attempt || !settlement.delivery.is_live() || !track.on_disk) return;
    const model::Delivery& before = *track.on_disk;
    const model::Delivery& after = settlement.delivery;
    if (after.due_at == before.due_at) return;
    if (after.progress != before.progress || after.state != before.state) {
      accuse(Property::Delay, "more than the due time changed without an attempt", &track);
    }
    if (after.due_at < before.due_at) return check_sooner(track);
    const auto& next = before.next;
    if (next && next->released_from == after.due_at) return;
    accuse(Property::Delay, "due later, and not when it was before its release", &track);
  }

  void looked(const NodeView*) override {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (const engine::LaneState* state = lane_of(i)) {
        look_at(state->guard, lanes_[i]);
      } else {
        lanes_[i] = {};
      }
    }
  }

 private:
  struct Lane {
    bool is_known = false;  // It was closed, without an outage behind it, since the node started.
    bool is_closed = true;
    bool is_inherited = false;       // Its last outage began in an earlier life.
    std::optional<MonoTime> opened;  // First, in the outage.
    std::optional<MonoTime> closed;  // Last.
  };

  void check_sooner(const Track& track) {
    const Lane& lane = lanes_[track.endpoint];
    if (!lane.is_known || lane.is_inherited) return;
    if (!lane.opened || !lane.closed || !track.recorded_trip) {
      return accuse(Property::Delay, "due sooner without an outage", &track);
    }
    // The wall clock is what the records have.
    if (clock().steps() > 0) return;
    const Trip& last = track.trips[*track.recorded_trip];
    if (last.ended >= *lane.opened - kBeforeOpening && last.ended <= *lane.closed) return;
    accuse(Property::Delay, "due sooner, but it did not fail in the outage", &track);
  }

  void look_at(const lane::Lane& guard, Lane& lane) {
    const bool is_closed = guard.breaker().state() == State::Closed;
    const bool was_closed = std::exchange(lane.is_closed, is_closed);
    // What was released may be written a moment after the outage is done with.
    if (is_closed && !guard.has_outage() && !lane.is_known) lane.is_known = true;
    // An outage that is not released yet goes on when the circuit opens again.
    if (was_closed && !is_closed && !guard.has_outage()) lane.opened = now();
    lane.is_inherited = !lane.opened && (lane.is_inherited || guard.has_outage());
    if (!was_closed && is_closed) lane.closed = now();
  }

  std::vector<Lane> lanes_;  // By endpoint.
};

}  // namespace

std::unique_ptr<Checker> release(Court& court) { return std::make_unique<ReleaseChecker>(court); }

}  // namespace petrel::sim::check
