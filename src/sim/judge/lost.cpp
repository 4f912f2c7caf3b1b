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
    // A change at the very moment of the request may have come before it or after.
    const MonoTime from = post.at.mono - Duration(1);
    const auto readings = catalogue().between(name.endpoint, from, now());
    const auto wants = [&](const Possible* each) {
      return each->exists && each->settings.wants(post.event_type, post.channels);
    };
    const Track* const track = scene().track(name);
    if (track == nullptr && std::all_of(readings.begin(), readings.end(), wants)) {
      accuse(Rule::Lost, name,
             fmt::format("the producer was told {} and there is no delivery for this endpoint",
                         post.told->status));
    }
    const bool is_accepted = track != nullptr && track->on_disk.by == By::Intake;
    if (is_accepted && std::none_of(readings.begin(), readings.end(), wants)) {
      accuse(Rule::Unwanted, name, "a delivery for an endpoint that did not want the message");
    }
  }
};

}  // namespace

std::unique_ptr<Accuser> lost(Bench bench) { return std::make_unique<Lost>(bench); }

}  // namespace petrel::sim::judge
