#include "sim/judge/questions.h"

#include <algorithm>

#include "sim/judge/verdict.h"

namespace petrel::sim::judge {

std::vector<Policy> policies_between(const Scene& scene, EndpointId endpoint, MonoTime from,
                                     MonoTime to) {
  std::vector<Policy> found;
  for (const Possible* const each : scene.catalogue().between(endpoint, from, to)) {
    const Policy& policy = each->settings.policy;
    if (std::count(found.begin(), found.end(), policy) == 0) found.push_back(policy);
  }
  if (found.empty()) found.push_back(preset("standard-webhooks"));
  return found;
}

bool is_success_by_all(const Scene& scene, const Request& request) {
  if (!request.reply) return false;
  const auto policies =
      policies_between(scene, request.sent.endpoint, request.replied.mono, scene.now().mono);
  return std::all_of(policies.begin(), policies.end(), [&](const Policy& policy) {
    return is_success(policy, request.reply->kind, request.reply->status);
  });
}

bool is_success_by_some(const Scene& scene, const Request& request) {
  if (!request.reply) return false;
  const auto policies =
      policies_between(scene, request.sent.endpoint, request.replied.mono, scene.now().mono);
  return std::any_of(policies.begin(), policies.end(), [&](const Policy& policy) {
    return is_success(policy, request.reply->kind, request.reply->status);
  });
}

bool is_as_it_began(const Track& track, const Request& request) {
  return track.written.mono <= request.begun.mono;
}

bool was_asked_since(const Scene& scene, Act act, const DeliveryName& name, MonoTime since) {
  const auto [first, last] = scene.acts_on(name.message);
  return std::any_of(first, last, [&](const auto& each) {
    const Scene::ActOnMessage& one = each.second;
    return one.act == act && one.endpoint == name.endpoint && one.at >= since;
  });
}

std::optional<WallTime> deliver_at(const Scene& scene, const Track& track) {
  const Post* const post = scene.post_of(track.name.message);
  return post != nullptr && post->deliver_at ? post->deliver_at : track.deliver_at;
}

Early was_early(const Scene& scene, const Track& track, const Request& request) {
  const WallTime due = track.on_disk.due_at;
  const MonoTime since = track.due_since;
  return {.surely = request.begun.mono < scene.clocks().earliest(due, since),
          .perhaps = request.begun.mono < scene.clocks().latest(due, since)};
}

}  // namespace petrel::sim::judge
