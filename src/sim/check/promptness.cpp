#include <algorithm>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// What the way through loop and store may take.
constexpr Duration kSlack = milliseconds(250);

// How long a store that failed once may keep everything waiting: until a slow answer says so, and
// then for the engine's pause.
constexpr Duration kStoreTrouble = seconds(8);

class Promptness final : public Checker {
 public:
  explicit Promptness(Court& court) : Checker(court), lanes_(court.scenario.endpoints.size()) {}

  void sending(const Track& track, const Trip& trip) override {
    if (!track.known_since || !track.on_disk) return;
    MonoTime due = *track.known_since;
    if (track.recorded_trip) {
      const Trip& last = track.trips[*track.recorded_trip];
      due = std::max(due, last.ended + (track.on_disk->due_at - last.ended_wall));
      if (clock().steps() > 0 && clock().last_step() >= last.ended) return;
    }
    const MonoTime latest = std::max({due, lanes_[track.endpoint].blocked, trouble_until_});
    const auto load = loads_.find(track.key.message);
    const Duration loading = load == loads_.end() ? Duration::zero() : load->second;
    if (trip.started <= latest + loading + kSlack) return;
    accuse(Property::Delay,
           fmt::format("was due and free to go, but started {} ms later",
                       (trip.started - latest - loading) / milliseconds(1)),
           &track);
  }

  void ended(const Track& track) override {
    if (!track.trips.back().is_our_fault()) return;
    Lane& lane = lanes_[track.endpoint];
    lane.blocked = std::max(lane.blocked, now() + seconds(1));
  }

  void loaded(MessageId message, Duration took) override { loads_[message] = took; }

  void store_failed() override { trouble_until_ = now() + kStoreTrouble; }

  void looked(const NodeView* node) override {
    const bool are_all_blocked = node == nullptr || are_slots_scarce(node->counts());
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      Lane& lane = lanes_[i];
      const bool was_blocked = lane.is_blocked;
      const engine::LaneState* state = lane_of(i);
      lane.is_blocked = are_all_blocked || state == nullptr || look_at(*state, lane);
      if (was_blocked || lane.is_blocked) lane.blocked = std::max(lane.blocked, now());
    }
  }

 private:
  struct Lane {
    bool is_blocked = true;  // Until something happens that ends it.
    MonoTime blocked{};      // Up to here it could not send for sure.
  };

  // Lanes share the slots, and those in trouble only half of them.
  bool are_slots_scarce(const engine::CoreCounts& counts) const {
    const int taken = counts.out + static_cast<int>(counts.unsettled);
    return counts.is_store_away || taken >= std::max(1, scenario().core.slots / 2 - 1);
  }

  bool look_at(const engine::LaneState& state, Lane& lane) const {
    if (!state.config.settings.may_send) return true;
    if (state.is_parked_at_authority || state.is_parked_in_trouble) return true;
    for (const engine::DueQueue& queue : state.queues) {
      if (queue.has_more()) return true;
    }
    const auto next = state.guard.next_at(now());
    if (!next) return true;
    if (*next > now()) lane.blocked = std::max(lane.blocked, *next);
    return false;
  }

  std::vector<Lane> lanes_;                        // By endpoint.
  std::unordered_map<MessageId, Duration> loads_;  // How long each payload's last load took.
  MonoTime trouble_until_{};
};

}  // namespace

std::unique_ptr<Checker> promptness(Court& court) { return std::make_unique<Promptness>(court); }

}  // namespace petrel::sim::check
