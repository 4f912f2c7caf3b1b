#include <algorithm>

#include <fmt/format.h>

#include "sim/judge/accusers.h"

namespace petrel::sim::judge {
namespace {

class Lost final : public Accuser {
 public:
  using Accuser::Accuser;

  void told(const Told& told, const Asked& asked) override {
    if (asked.act != Act::Post || told.status / 100 != 2) return;
    // With the same key it is the same message, and its endpoints are those of the first time.
    if (scene().post_of(told.message) != &scene().posts().at(told.number)) return;
    const Post& post = scene().posts().at(told.number);
    for (const EndpointId endpoint : catalogue().endpoints_of(asked.application)) {
      check(post, {endpoint, told.message});
    }
    for (const EndpointId endpoint : catalogue().endpoints()) {
      const DeliveryName name{endpoint, told.message};
      const bool is_of_other = catalogue().application_of(endpoint) != asked.application;
      if (!is_of_other || scene().track(name) == nullptr) continue;
      accuse(Rule::Unwanted, name, "a delivery for an endpoint of another application");
    }
  }

  void rested(const Dump&) override {
    for (const auto& [name, track] : scene().tracks()) {
      if (!track.is_live() || !catalogue().must_send(name.endpoint, now())) continue;
      if (track.on_disk.due_at > scene().now().wall) continue;
      accuse(Rule::Lost, name,
             fmt::format("is {} and due, and nothing happens any more", track.on_disk.state));
    }
  }

 private:
  void check(const Post& post, const DeliveryName& name) {
    const Track* const track = scene().track(name);
    const bool is_accepted = track != nullptr && track->on_disk.by == By::Intake;
    if (track != nullptr && !is_accepted) return;
    if (fits(post, name, is_accepted, post.at.mono)) return;
    if (fits(post, name, is_accepted, first_posted(post))) return;
    if (is_accepted) {
      accuse(Rule::Unwanted, name, "a delivery for an endpoint that did not want the message");
    } else {
      accuse(Rule::Lost, name,
             fmt::format("the producer was told {} and there is no delivery for this endpoint",
                         post.told->status));
    }
  }

  // Whether some reading of the catalogue since `from` explains that there is a delivery, or none.
  bool fits(const Post& post, const DeliveryName& name, bool is_accepted, MonoTime from) const {
    // A change at the very moment of the request may have come before it or after.
    const auto readings = catalogue().between(name.endpoint, from - Duration(1), now());
    return std::any_of(readings.begin(), readings.end(), [&](const Possible* each) {
      const bool wants = each->exists && each->settings.wants(post.event_type, post.channels);
      return wants == is_accepted;
    });
  }

  // A post with the same key that nobody answered, or only with Unavailable, may be the one that
  // made the message.
  MonoTime first_posted(const Post& post) const {
    MonoTime first = post.at.mono;
    if (post.asked.key.empty()) return first;
    for (const auto& [number, each] : scene().posts()) {
      const bool is_same =
          each.asked.key == post.asked.key && each.asked.application == post.asked.application;
      if (is_same) first = std::min(first, each.at.mono);
    }
    return first;
  }
};

}  // namespace

std::unique_ptr<Accuser> lost(Bench bench) { return std::make_unique<Lost>(bench); }

}  // namespace petrel::sim::judge
