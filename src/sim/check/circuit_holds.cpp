#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/check/checkers.h"
#include "store/kept_lane.h"

namespace petrel::sim::check {
namespace {

using State = lane::CircuitBreaker::State;

class CircuitHolds final : public Checker {
 public:
  explicit CircuitHolds(Court& court) : Checker(court), lanes_(court.scenario.endpoints.size()) {}

  void sending(const Track& track, const Trip& trip) override {
    Lane& lane = lanes_[track.endpoint];
    // What left the engine before the circuit opened may still reach the wire.
    if (!lane.opened || trip.started <= *lane.opened) return;
    if (++lane.probes_out <= 1) return;
    accuse(Property::CircuitHolds, "a second attempt while the circuit is not closed", &track);
  }

  void ended(const Track& track) override {
    Lane& lane = lanes_[track.endpoint];
    const Trip& trip = track.trips.back();
    if (lane.opened && trip.started > *lane.opened) --lane.probes_out;
  }

  void crashed(const std::vector<Track>&, store::Browse& disk) override {
    was_open_.clear();
    const store::Browse::KeptLanes lanes = disk.kept_lanes().value();
    for (const auto& [endpoint, bytes] : lanes) {
      const store::KeptLane kept = store::decode_kept_lane(bytes).value();
      if (kept.snapshot.breaker.state != State::Closed) was_open_.insert(endpoint);
    }
  }

  void looked(const NodeView* node) override {
    if (node != nullptr) check_restart(*node);
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const engine::LaneState* state = lane_of(i);
      const bool is_open = state != nullptr && state->guard.breaker().state() != State::Closed;
      if (!is_open) {
        lanes_[i] = {};
      } else if (!lanes_[i].opened) {
        lanes_[i].opened = now();
      }
    }
  }

 private:
  // A circuit that was open on disk when the node died is open when its lane is there again.
  void check_restart(const NodeView& node) {
    std::erase_if(was_open_, [&](const EndpointId& endpoint) {
      const engine::LaneState* state = node.lane(endpoint);
      if (state != nullptr && state->guard.breaker().state() == State::Closed) {
        accuse(Property::CircuitHolds, "a circuit that was open is closed after a restart");
      }
      return state != nullptr;
    });
  }

  struct Lane {
    std::optional<MonoTime> opened;
    int probes_out = 0;
  };
  std::vector<Lane> lanes_;        // By endpoint.
  std::set<EndpointId> was_open_;  // On disk, when the node last died.
};

}  // namespace

std::unique_ptr<Checker> circuit_holds(Court& court) {
  return std::make_unique<CircuitHolds>(court);
}

}  // namespace petrel::sim::check
