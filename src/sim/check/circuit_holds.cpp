#include <optional>
#include <vector>

#include "sim/check/checkers.h"

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

  void looked(const engine::Core* core) override {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const auto* state = core == nullptr ? nullptr : core->lane(scenario().endpoints[i].id);
      const bool is_open = state != nullptr && state->guard.breaker().state() != State::Closed;
      if (!is_open) {
        lanes_[i] = {};
      } else if (!lanes_[i].opened) {
        lanes_[i].opened = now();
      }
    }
  }

 private:
  struct Lane {
    std::optional<MonoTime> opened;
    int probes_out = 0;
  };
  std::vector<Lane> lanes_;  // By endpoint.
};

}  // namespace

std::unique_ptr<Checker> circuit_holds(Court& court) {
  return std::make_unique<CircuitHolds>(court);
}

}  // namespace petrel::sim::check
