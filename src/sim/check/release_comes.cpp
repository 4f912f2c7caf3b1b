#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

using model::NextBasis;
using std::chrono::minutes;
using std::chrono::seconds;

// A record may be dated a moment after its attempt ended, so the edges of an outage are left out.
constexpr Duration kBeforeOpening = seconds(59);
constexpr Duration kBeforeClosing = seconds(1);

// Longer than a slow store needs for the next few, or a slow lane for one of them.
constexpr Duration kPatience = minutes(10);

constexpr int kFailuresMax = 5;

class ReleaseComes final : public Checker {
 public:
  explicit ReleaseComes(Court& court) : Checker(court), lanes_(court.scenario.endpoints.size()) {}

  void recorded(const Track& track, const model::Settlement& settlement) override {
    Lane& lane = lanes_[track.endpoint];
    const model::Delivery& delivery = settlement.delivery;
    lane.waiting.erase(delivery.key.message);
    const bool was_released =
        track.on_disk && track.on_disk->next && track.on_disk->next->basis == NextBasis::Release;
    if (!settlement.attempt || was_released) lane.moved = now();
    if (!settlement.attempt || track.trips.empty()) return;
    if (was_released && delivery.state != model::DeliveryState::Delivered) ++lane.failures;
    if (delivery.state != model::DeliveryState::Retrying || !delivery.next) return;
    const model::Next& next = *delivery.next;
    if (next.not_before || next.released_from) return;
    lane.waiting[delivery.key.message] = {.ended = track.trips.back().ended,
                                          .recorded = now(),
                                          .due = now() + (delivery.due_at - clock().wall())};
  }

  void looked(const NodeView*) override {
    if (clock().steps() > 0) return;  // The wall clock is what the records have.
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const engine::LaneState* state = lane_of(i);
      if (state == nullptr) {
        lanes_[i] = {};
        continue;
      }
      judge(i, lanes_[i]);
      look_at(state->guard, lanes_[i]);
      if (!state->config.settings.may_send) lanes_[i].well.reset();
    }
  }

 private:
  struct Waiting {
    MonoTime ended;
    MonoTime recorded;
    MonoTime due;
  };
  struct Lane {
    bool is_closed = true;
    MonoTime opened{};               // Last.
    std::optional<MonoTime> closed;  // Since then.
    std::optional<MonoTime> well;    // Since when nothing but its limits holds it back.
    MonoTime moved{};                // When something was last released, or a released one ended.
    MonoTime judged{};               // The last moment by which more should have been.
    int failures = 0;                // Among the released, since it closed.
    std::map<MessageId, Waiting> waiting;  // What the receiver asked nothing for.
  };

  void judge(std::size_t endpoint, Lane& lane) {
    if (!lane.closed || !lane.well || lane.failures >= kFailuresMax) return;
    const MonoTime latest = std::max(*lane.well, lane.moved) + kPatience;
    if (now() < latest || std::exchange(lane.judged, latest) == latest) return;
    for (const auto& [message, waiting] : lane.waiting) {
      const bool failed_in_outage = waiting.ended >= lane.opened - kBeforeOpening &&
                                    waiting.ended <= *lane.closed - kBeforeClosing;
      if (!failed_in_outage || waiting.recorded > *lane.closed || waiting.due <= latest) continue;
      Track track;
      track.key = {scenario().endpoints[endpoint].id, message};
      accuse(Property::Delay, "waits for its backoff long after the outage it failed in", &track);
      return;
    }
  }

  void look_at(const lane::Lane& guard, Lane& lane) const {
    const bool is_closed = guard.breaker().state() == lane::CircuitBreaker::State::Closed;
    const bool was_closed = std::exchange(lane.is_closed, is_closed);
    if (was_closed && !is_closed) {
      lane.opened = now();
      lane.closed.reset();
      lane.failures = 0;
    }
    if (!was_closed && is_closed) lane.closed = now();
    const bool is_well = is_closed && !guard.ramp_step_ends_at() && !guard.hold().until(now());
    if (!is_well) {
      lane.well.reset();
    } else if (!lane.well) {
      lane.well = now();
    }
  }

  std::vector<Lane> lanes_;  // By endpoint.
};

}  // namespace

std::unique_ptr<Checker> release_comes(Court& court) {
  return std::make_unique<ReleaseComes>(court);
}

}  // namespace petrel::sim::check
