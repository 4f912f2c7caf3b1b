#include "sim/ledger.h"

#include <algorithm>

#include "base/check.h"

namespace petrel::sim {

using What = Journal::What;

Ledger::Ledger(const Scenario& scenario, World& world, bool has_checkers)
    : court_{.scenario = scenario, .world = world}, world_(world), journal_(world) {
  if (has_checkers) checkers_ = make_checkers(court_);
  for (std::size_t i = 0; i < scenario.endpoints.size(); ++i) {
    endpoints_.emplace(scenario.endpoints[i].id, i);
  }
}

Track& Ledger::track_of(const model::DeliveryKey& key) {
  const auto number = static_cast<std::uint32_t>(tracks_.size());
  const auto [place, is_new] = numbers_.try_emplace(key, number);
  if (is_new) {
    Track track;
    track.number = number;
    track.key = key;
    track.endpoint = endpoints_.at(key.endpoint);
    tracks_.push_back(std::move(track));
  }
  return tracks_[place->second];
}

const Track* Ledger::find(const model::DeliveryKey& key) const {
  const auto found = numbers_.find(key);
  return found == numbers_.end() ? nullptr : &tracks_[found->second];
}

void Ledger::posted(std::size_t post) {
  journal_.add(What::Posted, Journal::kNobody, static_cast<std::int64_t>(post));
}

void Ledger::refused(std::size_t post) {
  journal_.add(What::Refused, Journal::kNobody, static_cast<std::int64_t>(post));
}

void Ledger::promised(std::size_t post, MessageId message) {
  journal_.add(What::Promised, Journal::kNobody, static_cast<std::int64_t>(post));
  ++court_.totals.messages;
  tell(&Checker::promised, post, message);
}

void Ledger::written(const store::Acceptance& acceptance) {
  for (const model::Delivery& delivery : acceptance.deliveries) {
    Track& track = track_of(delivery.key);
    track.on_disk = delivery;
    ++court_.totals.deliveries;
    journal_.add(What::Written, track.number, 0);
  }
  tell(&Checker::written, acceptance);
}

void Ledger::recorded(const model::Settlement& settlement) {
  const model::Delivery& delivery = settlement.delivery;
  Track& track = track_of(delivery.key);
  const int spent_before = track.on_disk ? track.on_disk->progress.attempts : 0;
  journal_.add(What::Recorded, track.number, static_cast<std::int64_t>(delivery.state));
  tell(&Checker::recorded, track, settlement);
  track.on_disk = delivery;
  track.known_since.reset();
  if (delivery.state == model::DeliveryState::Delivered) ++court_.totals.delivered;
  if (delivery.state == model::DeliveryState::Dead) ++court_.totals.dead;
  if (!settlement.attempt || track.trips.empty()) return;
  track.last_recorded = settlement.attempt;
  track.recorded_trip = track.trips.size() - 1;
  track.trips.back().is_recorded = true;
  track.trips.back().is_spent = delivery.progress.attempts > spent_before;
  ++track.recorded;
  track.spent += track.trips.back().is_spent ? 1 : 0;
}

void Ledger::known(const model::DeliveryKey& key) { track_of(key).known_since = world_.now(); }

void Ledger::store_failed(Fault how) {
  faults_.add(how);
  journal_.add(What::Failed, Journal::kNobody, static_cast<std::int64_t>(how));
  tell(&Checker::store_failed);
}

void Ledger::loaded(const std::vector<MessageId>& messages, Duration took) {
  for (const MessageId message : messages) tell(&Checker::loaded, message, took);
}

Ledger::TripName Ledger::sent(const model::AttemptOrder& order) {
  Track& track = track_of(order.delivery);
  Trip trip;
  trip.life = life_;
  trip.started = world_.clock().moment_of(order.started_at).value_or(world_.now());
  trip.started_wall = order.started_at;
  journal_.add(What::Sent, track.number, static_cast<std::int64_t>(track.trips.size() + 1));
  tell(&Checker::sending, track, trip);
  ++court_.totals.attempts;
  track.trips.push_back(trip);
  return {track.number, track.trips.size() - 1};
}

void Ledger::arrived(TripName name, bool is_processed) {
  journal_.add(What::Arrived, name.track, is_processed ? 1 : 0);
  tracks_[name.track].trips[name.trip].is_processed = is_processed;
}

void Ledger::ended(TripName name, const policy::Outcome& outcome, std::optional<Duration> wish) {
  Track& track = tracks_[name.track];
  journal_.add(What::Ended, name.track, outcome.way());
  Trip& trip = track.trips[name.trip];
  trip.has_ended = true;
  trip.ended = world_.now();
  trip.ended_wall = world_.clock().wall();
  trip.outcome = outcome;
  trip.wish = wish;
  trip.held_total = court_.held[track.endpoint].total;
  tell(&Checker::ended, track);
}

void Ledger::started() {
  ++life_;
  journal_.add(What::Started, Journal::kNobody, life_);
  for (Track& track : tracks_) track.known_since = world_.now();
}

void Ledger::crashed(store::Browse& disk) {
  journal_.add(What::Crashed, Journal::kNobody, life_);
  for (Track& track : tracks_) track.known_since.reset();
  tell(&Checker::crashed, tracks_, disk);
}

void Ledger::stepped(Duration by) { journal_.add(What::Stepped, Journal::kNobody, by.count()); }

void Ledger::held(std::size_t endpoint, Duration total) {
  Court::Held& held = court_.held[endpoint];
  if (held.total != total) held = {total, held.total, world_.now()};
}

void Ledger::throttle_changes(std::size_t endpoint, std::optional<int> rate) {
  std::optional<int>& now = court_.throttle_rates[endpoint];
  now = now && rate ? std::optional(std::max(*now, *rate)) : std::nullopt;
}

void Ledger::looked(const NodeView* node) {
  for (std::size_t i = 0; i < court_.lanes.size(); ++i) {
    // A lane that has had nothing to do for long is no longer there.
    court_.lanes[i] = node == nullptr ? nullptr : node->lane(court_.scenario.endpoints[i].id);
  }
  tell(&Checker::looked, node);
}

void Ledger::rested(store::Browse& disk) { tell(&Checker::rested, tracks_, disk); }

}  // namespace petrel::sim
