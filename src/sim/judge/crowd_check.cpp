#include "sim/judge/crowd_check.h"

#include <fmt/format.h>

namespace petrel::sim::judge {

StartDelays start_delays(const Scene& scene) {
  StartDelays delays;
  for (const auto& [name, track] : scene.tracks()) {
    const Post* const post = scene.post_of(name.message);
    if (track.requests.empty() || post == nullptr || post->asked.key.empty()) continue;
    const Moment& begun = track.requests.front()->begun;
    delays[{name.endpoint, post->asked.key}] = {begun, begun.mono - track.accepted.mono};
  }
  return delays;
}

std::vector<Accusation> crowd_check(const StartDelays& alone, const StartDelays& together,
                                    Duration allowed) {
  std::vector<Accusation> accusations;
  for (const auto& [name, calm] : alone) {
    const auto crowded = together.find(name);
    const bool is_sent = crowded != together.end();
    if (is_sent && crowded->second.delay <= calm.delay + allowed) continue;
    const std::string text =
        is_sent ? fmt::format("sent {} ms later because of storms elsewhere",
                              whole_milliseconds(crowded->second.delay - calm.delay))
                : "never sent because of storms elsewhere";
    // What was never sent is missed when it went without the storms.
    const Moment at = is_sent ? crowded->second.at : calm.at;
    accusations.push_back({Rule::Unfair, at, name.second + " was " + text, name.first});
  }
  return accusations;
}

}  // namespace petrel::sim::judge
