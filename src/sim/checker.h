// Checker watches over one promise. It sees what happens outside the engine, and sometimes looks at
// the engine's lanes, but never asks the engine whether it did well.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core.h"
#include "model/settlement.h"
#include "sim/node_view.h"
#include "sim/property.h"
#include "sim/scenario.h"
#include "sim/track.h"
#include "sim/world.h"
#include "store/browse.h"
#include "store/store.h"

namespace petrel::sim {

// What a run has lived through, in figures.
struct Totals {
  std::uint64_t messages = 0;    // Promised to their producers.
  std::uint64_t deliveries = 0;  // On disk.
  std::uint64_t attempts = 0;    // On the wire.
  std::uint64_t delivered = 0;
  std::uint64_t dead = 0;

  std::uint64_t duplicates = 0;        // Sent again after a success that we had seen.
  std::uint64_t duplicates_bound = 0;  // In flight at crashes.
  std::uint64_t repeats_unknown = 0;   // Sent again after a success that we had not seen.

  std::uint64_t recoveries = 0;       // A circuit closed, or an endpoint was resumed.
  std::uint64_t attempts_ramped = 0;  // Sent while the bound on a herd was held against them.

  Duration storm_cost_max{};  // The most that storms elsewhere added to a bystander's start.

  void add(const Totals& other);
};

// How long after it was written each delivery to a bystander was first sent, by post and endpoint.
using StartDelays = std::map<std::pair<std::size_t, std::size_t>, Duration>;

std::vector<std::optional<int>> throttle_rates_of(const Scenario& scenario);

// What all checkers share, and what operators have set meanwhile.
struct Court {
  const Scenario& scenario;
  World& world;
  Totals totals = {};

  // For how long endpoints were kept from sending, on disk: in all, and before the last change.
  struct Held {
    Duration total{};
    Duration before{};
    MonoTime since{};
  };
  std::vector<Held> held = std::vector<Held>(scenario.endpoints.size());
  std::vector<std::optional<int>> throttle_rates = throttle_rates_of(scenario);

  StartDelays start_delays = {};

  // The engine's, by endpoint. Null while the node is down.
  std::vector<const engine::LaneState*> lanes =
      std::vector<const engine::LaneState*>(scenario.endpoints.size());

  std::optional<Violation> violation = std::nullopt;  // The first one; the world stops at it.

  void accuse(Property property, std::string text, const Track* track = nullptr);
  void accuse(const judge::Accusation& accusation);
};

class Checker {
 public:
  explicit Checker(Court& court) : court_(court) {}
  virtual ~Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // A message is on disk.
  virtual void written(const store::Acceptance&) {}

  // A producer was told that its post was accepted as this message.
  virtual void promised(std::size_t /*post*/, MessageId) {}

  // A request is about to go on the wire. The trip is not yet among those of the track.
  virtual void sending(const Track&, const Trip&) {}

  // The engine is told what came of the track's last trip.
  virtual void ended(const Track&) {}

  // A settlement is on disk. The track is as it was before.
  virtual void recorded(const Track&, const model::Settlement&) {}

  // The node has died; what was on its way to disk is there or lost by now.
  virtual void crashed(const std::vector<Track>&, store::Browse&) {}

  // A payload is handed to the engine, which had to wait for it.
  virtual void loaded(MessageId, Duration /*took*/) {}

  // The store did not do as it was asked.
  virtual void store_failed() {}

  // After everything that happens. Null while the node is down.
  virtual void looked(const NodeView*) {}

  // Faults have stopped and nothing happens any more.
  virtual void rested(const std::vector<Track>&, store::Browse&) {}

 protected:
  // Since when the due time on disk holds, at the earliest: what an early probe met left it as some
  // attempt before had it.
  //
  // REQUIRES: an attempt is recorded.
  static MonoTime due_since(const Track& track) {
    const auto& next = track.on_disk->next;
    const bool is_older = next && next->basis == model::NextBasis::Probe;
    return is_older ? MonoTime{} : track.trips[*track.recorded_trip].ended;
  }

  const Scenario& scenario() const { return court_.scenario; }
  const EndpointPlan& plan_of(const Track& track) const {
    return court_.scenario.endpoints[track.endpoint];
  }
  const Court::Held& held_of(const Track& track) const { return court_.held[track.endpoint]; }
  Duration held_total_of(const Track& track) const { return held_of(track).total; }
  std::optional<int> throttle_rate(std::size_t endpoint) const {
    return court_.throttle_rates[endpoint];
  }
  const VirtualClock& clock() const { return court_.world.clock(); }
  const engine::LaneState* lane_of(std::size_t endpoint) const { return court_.lanes[endpoint]; }
  MonoTime now() const { return court_.world.now(); }
  StartDelays& start_delays() { return court_.start_delays; }
  Totals& totals() { return court_.totals; }

  void accuse(Property property, std::string text, const Track* track = nullptr) {
    court_.accuse(property, std::move(text), track);
  }

 private:
  Court& court_;
};

std::vector<std::unique_ptr<Checker>> make_checkers(Court& court);

}  // namespace petrel::sim
