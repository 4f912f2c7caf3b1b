#include "node/purger.h"

#include <algorithm>
#include <utility>

namespace petrel::node {
namespace {

using store::Purged;
using store::RetentionRules;

Duration shortest_of(const RetentionRules& rules) {
  Duration shortest = rules.others.shortest();
  for (const auto& [application, retention] : rules.own) {
    shortest = std::min(shortest, retention.shortest());
  }
  return shortest;
}

}  // namespace

void Purger::start() { sweep(); }

void Purger::sweep() {
  order_ = {.rules = order_.rules, .begun_at = parts_.seams.clock.wall()};
  step();
}

std::shared_ptr<const RetentionRules> Purger::rules() const {
  auto rules = std::make_shared<RetentionRules>();
  rules->others = model::retention_of({}, parts_.server);
  for (const auto& [application, settings] : parts_.seams.catalogue.retentions()) {
    rules->own.emplace(application, model::retention_of(settings, parts_.server));
  }
  return rules;
}

void Purger::step() {
  if (is_stopped_) return;
  // A period that somebody raised amid a sweep holds from the next step on.
  const std::uint64_t edition = parts_.seams.catalogue.retention_edition();
  if (!order_.rules || std::exchange(rules_edition_, edition) != edition) order_.rules = rules();
  step_began_ = parts_.seams.clock.mono();
  parts_.seams.store.purge(order_, [this](Result<Purged> purged) {
    parts_.control.post([this, purged = std::move(purged)] { stepped(purged); });
  });
}

void Purger::stepped(const Result<Purged>& purged) {
  if (!purged.ok()) return after(kTryAgain, &Purger::step);
  count(*purged);
  order_.from = purged->next;
  if (!order_.from) return end_sweep();
  const Duration took = parts_.seams.clock.mono() - step_began_;
  after(std::max<Duration>(took * kPauseFactor, kPauseMin), &Purger::step);
}

void Purger::count(const Purged& purged) {
  const metric::Metrics::Retention& counts = parts_.seams.metrics.retention();
  counts.messages.add(purged.messages);
  counts.payloads.add(purged.payloads);
  counts.deliveries.add(purged.deliveries);
  counts.attempts.add(purged.attempts);
  counts.payload_bytes.add(purged.payload_bytes);
  if (!purged.kept) return;
  counts.kept_messages.set(static_cast<std::int64_t>(purged.kept->messages));
  counts.kept_payloads.set(static_cast<std::int64_t>(purged.kept->payloads));
  counts.kept_payload_bytes.set(static_cast<std::int64_t>(purged.kept->payload_bytes));
}

void Purger::end_sweep() {
  after(std::clamp<Duration>(shortest_of(*order_.rules) / 30, kSweepMin, kSweepMax),
        &Purger::sweep);
}

void Purger::after(Duration pause, void (Purger::*act)()) {
  if (is_stopped_) return;
  alarms_.at(parts_.seams.clock.mono() + pause, [this, act] { (this->*act)(); });
}

}  // namespace petrel::node
