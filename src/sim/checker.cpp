#include "sim/checker.h"

#include <algorithm>

#include "sim/check/checkers.h"

namespace petrel::sim {

void Totals::add(const Totals& other) {
  messages += other.messages;
  deliveries += other.deliveries;
  attempts += other.attempts;
  delivered += other.delivered;
  dead += other.dead;
  duplicates += other.duplicates;
  duplicates_bound += other.duplicates_bound;
  repeats_unknown += other.repeats_unknown;
  recoveries += other.recoveries;
  attempts_ramped += other.attempts_ramped;
  storm_cost_max = std::max(storm_cost_max, other.storm_cost_max);
}

std::vector<std::optional<int>> throttle_rates_of(const Scenario& scenario) {
  std::vector<std::optional<int>> rates;
  for (const EndpointPlan& plan : scenario.endpoints) rates.push_back(plan.throttle_rate);
  return rates;
}

void Court::accuse(Property property, std::string text, const Track* track) {
  world.stop();
  if (violation) return;
  violation = Violation{property, std::move(text), std::nullopt};
  if (track != nullptr) violation->delivery = track->key;
}

void Court::accuse(const judge::Accusation& accusation) {
  world.stop();
  if (violation) return;
  violation = Violation{accusation.rule, accusation.line(), std::nullopt};
  if (!accusation.endpoint || !accusation.message) return;
  violation->delivery = model::DeliveryKey{*accusation.endpoint, *accusation.message};
}

std::vector<std::unique_ptr<Checker>> make_checkers(Court& court) {
  std::vector<std::unique_ptr<Checker>> checkers;
  checkers.push_back(check::no_loss(court));
  checkers.push_back(check::delivered_is_true(court));
  checkers.push_back(check::bounded_duplicates(court));
  checkers.push_back(check::in_flight(court));
  checkers.push_back(check::circuit_holds(court));
  checkers.push_back(check::open_time(court));
  checkers.push_back(check::retry_after(court));
  checkers.push_back(check::gives_up(court));
  checkers.push_back(check::delay(court));
  checkers.push_back(check::promptness(court));
  checkers.push_back(check::release(court));
  checkers.push_back(check::release_comes(court));
  checkers.push_back(check::herd_bound(court));
  checkers.push_back(check::isolation(court));
  checkers.push_back(check::idempotency(court));
  checkers.push_back(check::audit_grows(court));
  return checkers;
}

}  // namespace petrel::sim
