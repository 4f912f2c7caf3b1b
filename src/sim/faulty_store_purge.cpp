// How the simulated store purges, and how it finds out what is gone.

#include <algorithm>

#include "sim/faulty_store.h"

namespace petrel::sim {
namespace {

constexpr Duration kTakes = std::chrono::milliseconds(1);

Error away() { return unavailable("the simulated disk does not answer"); }

std::shared_ptr<const store::RetentionRules> shortened(const store::RetentionRules& rules) {
  const auto shorten = [](model::Retention& retention) {
    retention.ended -= retention.ended / 10;
    retention.payloads -= retention.payloads / 10;
    retention.dead_letters -= retention.dead_letters / 10;
  };
  auto mutated = std::make_shared<store::RetentionRules>(rules);
  shorten(mutated->others);
  for (auto& [application, retention] : mutated->own) shorten(retention);
  return mutated;
}

}  // namespace

void FaultyStore::purge(store::PurgeOrder order, PurgeDone done) {
  if (mutant_ == Mutant::NeverPurges) return;
  if (mutant_ == Mutant::PurgesTooSoon) order.rules = shortened(*order.rules);
  auto shared = std::make_shared<PurgeDone>(std::move(done));
  world_.after(kTakes, [this, life = life_, order = std::move(order), shared] {
    if (life == life_) write_purge(order, shared);
  });
}

void FaultyStore::write_purge(const store::PurgeOrder& order,
                              const std::shared_ptr<PurgeDone>& done) {
  const auto answer = [&](const Result<store::Purged>& purged) {
    world_.after(kTakes, [life = life_, this, done, purged] {
      if (life == life_) (*done)(purged);
    });
  };
  const bool is_away = is_stalled() || world_.now() < refused_until_;
  if (is_away || purge_dice_.chance(trouble_.fails)) return answer(away());
  Result<store::Purged> result = away();
  disk_.store().purge(order, [&](const Result<store::Purged>& purged) { result = purged; });
  if (mutant_ == Mutant::DropsKeptPayloads) drop_kept_payload();
  const bool has_dropped =
      mutant_ == Mutant::DropsKeptPayloads || !result.ok() || result->is_anything();
  if (has_dropped) look_for_dropped();
  // Written, and nobody hears of it.
  if (purge_dice_.chance(trouble_.commit_unknown)) result = away();
  answer(result);
}

// Tells of what was there and is not any more.
void FaultyStore::look_for_dropped() {
  const judge::Scene& scene = witness_.judge().scene();
  const std::set<EndpointId> endpoints(scene.catalogue().endpoints().begin(),
                                       scene.catalogue().endpoints().end());
  for (auto known = known_.begin(); known != known_.end();) {
    const auto [application, message] = *known;
    for (const EndpointId& endpoint : endpoints) {
      const judge::DeliveryName name{endpoint, message};
      if (scene.track(name) == nullptr || scene.is_dropped(name)) continue;
      if (platters_.delivery({endpoint, message}).ok()) continue;
      witness_.dropped({.application = application, .endpoint = endpoint, .message = message});
    }
    if (!platters_.message(application, message).ok()) {
      witness_.dropped({.application = application, .message = message});
      known = known_.erase(known);
      continue;
    }
    const auto payload = platters_.payload(message);
    if (payload.ok() && !*payload && !scene.is_payload_gone(message)) {
      witness_.payload_gone(
          {.application = application, .message = message, .by = judge::By::Upkeep});
    }
    ++known;
  }
}

// Of some dead letter.
void FaultyStore::drop_kept_payload() {
  for (const auto& [application, message] : known_) {
    const auto deliveries = platters_.deliveries_of_message(message);
    const bool is_dead = deliveries.ok() &&
                         std::any_of(deliveries->begin(), deliveries->end(), [](const auto& each) {
                           return each.state == model::DeliveryState::Dead;
                         });
    if (!is_dead || !purge_dice_.chance(0.1)) continue;
    disk_.store().change({.changes = {store::ExpungePayload{application, message}}},
                         [](const Status&) {});
    return;
  }
}

}  // namespace petrel::sim
