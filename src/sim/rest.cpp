#include "sim/rest.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/judge/verdict.h"

namespace petrel::sim {
namespace {

using judge::Rule;

// A circuit may have to be probed once more, and a ramp to run to its end.
constexpr Duration kGrace = std::chrono::minutes(45);

// What one delivery may keep the others waiting.
constexpr Duration kTurn = std::chrono::seconds(1);

// Until when the receiver asked for rest, as far as any policy of its endpoint grants that.
MonoTime rests_until(const judge::Scene& scene, const judge::Request& request) {
  if (!request.reply) return {};
  const auto wish = judge::wish_of(*request.reply, request.replied.wall);
  if (!wish) return {};
  Duration cap{};
  for (const judge::Possible* const each :
       scene.catalogue().between(request.sent.endpoint, request.replied.mono, scene.now().mono)) {
    cap = std::max(cap, each->settings.policy.retry_after_cap);
  }
  return request.replied.mono + std::min(*wish, cap);
}

}  // namespace

MonoTime rest_bound(const judge::Scene& scene, const judge::Moment& now) {
  MonoTime last = now.mono;
  for (const auto& [number, request] : scene.requests()) {
    last = std::max(last, rests_until(scene, request));
  }
  Duration backlog{};
  for (const auto& [name, track] : scene.tracks()) {
    if (!track.is_live()) continue;
    backlog += kTurn;
    last = std::max(last, now.mono + (track.on_disk.due_at - now.wall));
  }
  return last + backlog + kGrace;
}

std::vector<judge::Accusation> left_over(const judge::Scene& scene, const Rest& rest) {
  const judge::Moment now = rest.now;
  if (rest.is_spinning) return {{Rule::Restless, now, "the node goes round in a circle"}};
  std::vector<judge::Accusation> found;
  if (!rest.are_producers_done) {
    found.push_back({Rule::Lost, now, "a producer is never told that its message was accepted"});
  }
  for (const auto& [name, track] : scene.tracks()) {
    if (!track.is_live()) continue;
    found.push_back({Rule::Lost, now,
                     fmt::format("is still {} long after all faults", track.on_disk.state),
                     name.endpoint, name.message});
  }
  if (rest.counts.out > 0 || rest.counts.unsettled > 0) {
    found.push_back({Rule::Lost, now,
                     fmt::format("{} in flight and {} unsettled long after all faults",
                                 rest.counts.out, rest.counts.unsettled)});
  }
  return found;
}

}  // namespace petrel::sim
