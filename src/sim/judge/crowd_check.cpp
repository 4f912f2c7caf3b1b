#include "sim/judge/crowd_check.h"

#include <fmt/format.h>

namespace petrel::sim::judge {

StartDelays start_delays(const Scene& scene) {
  StartDelays delays;
  for (const auto& [name, track] : scene.tracks()) {
    const Post* const post = scene.post_of(name.message);
    if (track.requests.empty() || post == nullptr || post->asked.key.empty()) continue;
    delays[{name.endpoint, post->asked.key}] =
        track.requests.front()->begun.mono - track.accepted.mono;
  }
  return delays;
}

std::vector<Accusation> crowd_check(const StartDelays& alone, const StartDelays& together,
                                    Duration allowed) {
  std::vector<Accusation> accusations;
  for (const auto& [name, delay] : alone) {
    const auto crowded = together.find(name);
    if (crowded != together.end() && crowded->second <= delay + allowed) continue;
    const std::string text = crowded == together.end()
                                 ? "never sent because of storms elsewhere"
                                 : fmt::format("sent {} ms later because of storms elsewhere",
                                               whole_milliseconds(crowded->second - delay));
    accusations.push_back({Rule::Unfair, {}, name.second + " was " + text, name.first});
  }
  return accusations;
}

}  // namespace petrel::sim::judge
