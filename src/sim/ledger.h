// Ledger keeps the tracks of all deliveries, from what the simulated store, wire and producers
// report to it, and shows every step to the checkers.
//
// Thread: confined.

#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/checker.h"
#include "sim/fault.h"
#include "sim/journal.h"
#include "sim/track.h"

namespace petrel::sim {

class Ledger {
 public:
  Ledger(const Scenario& scenario, World& world, bool has_checkers = true);

  void happened(Fault fault) { faults_.add(fault); }

  // What a producer does and is told.
  void posted(std::size_t post);
  void refused(std::size_t post);
  void promised(std::size_t post, MessageId message);

  // What the store does.
  void written(const store::Acceptance& acceptance);
  void recorded(const model::Settlement& settlement);
  void known(const model::DeliveryKey& key);
  void loaded(const std::vector<MessageId>& messages, Duration took);
  void store_failed(Fault how);

  // What the wire does. The number that sent() gives names the trip to the others.
  struct TripName {
    std::uint32_t track = 0;
    std::size_t trip = 0;
  };
  TripName sent(const model::AttemptOrder& order);
  void arrived(TripName name, bool is_processed);
  void ended(TripName name, const policy::Outcome& outcome, std::optional<Duration> wish);

  // What happens to the node.
  void started();
  void crashed(store::Browse& disk);
  void stepped(Duration by);
  void held(std::size_t endpoint, Duration total);
  void throttled(std::size_t endpoint, std::optional<int> rate) {
    court_.throttle_rates[endpoint] = rate;
  }

  // Somebody has asked for another rate. Until it is done both hold, so that the higher one counts.
  void throttle_changes(std::size_t endpoint, std::optional<int> rate);
  void looked(const NodeView* node);
  void rested(store::Browse& disk);

  const std::vector<Track>& tracks() const { return tracks_; }
  const Track* find(const model::DeliveryKey& key) const;
  Court& court() { return court_; }
  const Journal& journal() const { return journal_; }
  const FaultCounts& faults() const { return faults_; }

 private:
  Track& track_of(const model::DeliveryKey& key);

  template <typename... Parameters, typename... Arguments>
  void tell(void (Checker::*what)(Parameters...), Arguments&&... arguments) {
    for (const auto& checker : checkers_) ((*checker).*what)(arguments...);
  }

  Court court_;
  World& world_;
  Journal journal_;
  FaultCounts faults_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  std::unordered_map<EndpointId, std::size_t> endpoints_;
  std::unordered_map<model::DeliveryKey, std::uint32_t> numbers_;
  std::vector<Track> tracks_;
  int life_ = 0;
};

}  // namespace petrel::sim
