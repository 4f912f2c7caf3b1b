#include "sim/totals.h"

#include <algorithm>
#include <set>

namespace petrel::sim {

void Totals::add(const Totals& other) {
  messages += other.messages;
  deliveries += other.deliveries;
  attempts += other.attempts;
  delivered += other.delivered;
  dead += other.dead;
  changed_by_tasks += other.changed_by_tasks;
  storm_cost_max = std::max(storm_cost_max, other.storm_cost_max);
}

Totals totals_of(const judge::Scene& scene) {
  Totals totals;
  std::set<MessageId> promised;  // With a key one message may be promised several times.
  for (const auto& [number, post] : scene.posts()) {
    if (post.told && post.told->status / 100 == 2) promised.insert(post.told->message);
  }
  totals.messages = promised.size();
  totals.deliveries = scene.tracks().size();
  totals.attempts = scene.requests().size();
  totals.changed_by_tasks = scene.changed_by_tasks();
  for (const auto& [name, track] : scene.tracks()) {
    if (track.on_disk.state == "delivered") ++totals.delivered;
    if (track.on_disk.state == "dead") ++totals.dead;
  }
  return totals;
}

}  // namespace petrel::sim
