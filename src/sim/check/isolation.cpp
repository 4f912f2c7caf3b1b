#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "sim/check/checkers.h"
#include "sim/check/loads.h"

namespace petrel::sim::check {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A lane without an answer for so long is in trouble.
constexpr Duration kAnswerPatience = seconds(2);

// The engine does not count anew for every attempt.
constexpr Duration kRecount = milliseconds(10);

class Isolation final : public Checker {
 public:
  explicit Isolation(Court& court) : Checker(court), lanes_(court.scenario.endpoints.size()) {}

  void loaded(MessageId message, Duration took) override { loads_.add(message, now(), took); }

  void written(const store::Acceptance& acceptance) override {
    written_[acceptance.message.id] = now();
  }

  void promised(std::size_t post, MessageId message) override { posts_[message] = post; }

  void sending(const Track& track, const Trip& trip) override {
    if (plan_of(track).is_bystander && track.trips.empty()) keep_delay(track);
    const MonoTime granted = loads_.granted_at(track.key.message, now());
    if (is_in_trouble(lanes_[track.endpoint], granted)) check_half(track, granted);
    lanes_[track.endpoint].out.push_back(trip.started);
    if (++out_ <= scenario().core.slots) return;
    accuse(Property::Isolation,
           fmt::format("{} on the wire, but there are {} slots", out_, scenario().core.slots));
  }

  void ended(const Track& track) override {
    std::vector<MonoTime>& out = lanes_[track.endpoint].out;
    out.erase(std::find(out.begin(), out.end(), track.trips.back().started));
    --out_;
  }

  void crashed(const std::vector<Track>&, store::Browse&) override {
    lanes_.assign(lanes_.size(), {});
    out_ = 0;
  }

  void looked(const NodeView*) override {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const engine::LaneState* state = lane_of(i);
      if (state == nullptr || !is_suspect(state->guard)) {
        lanes_[i].suspect_since.reset();
      } else if (!lanes_[i].suspect_since) {
        lanes_[i].suspect_since = now();
      }
    }
  }

 private:
  struct Lane {
    std::vector<MonoTime> out;  // When each attempt went on the wire.
    std::optional<MonoTime> suspect_since;
  };

  // Its circuit is not closed, or it is down to one at a time.
  static bool is_suspect(const lane::Lane& guard) {
    if (guard.breaker().state() != lane::CircuitBreaker::State::Closed) return true;
    return guard.limit().limit() == 1 && guard.limit().max() > 1;
  }

  void keep_delay(const Track& track) {
    const auto post = posts_.find(track.key.message);
    if (post == posts_.end()) return;
    start_delays()[{post->second, track.endpoint}] = now() - written_.at(track.key.message);
  }

  // Whether it was at that moment, as far as can be seen by now from outside.
  static bool is_in_trouble(const Lane& lane, MonoTime at) {
    if (lane.suspect_since && *lane.suspect_since <= at - kRecount) return true;
    return std::any_of(lane.out.begin(), lane.out.end(),
                       [&](MonoTime since) { return since <= at - kAnswerPatience - kRecount; });
  }

  void check_half(const Track& track, MonoTime granted) {
    std::ptrdiff_t held = 0;
    for (const Lane& lane : lanes_) {
      if (!is_in_trouble(lane, granted)) continue;
      held += std::count_if(lane.out.begin(), lane.out.end(),
                            [&](MonoTime since) { return since <= granted; });
    }
    if (held < std::max(1, scenario().core.slots / 2)) return;
    accuse(Property::Isolation,
           fmt::format("another attempt to an endpoint in trouble, while such hold {} of {} slots",
                       held, scenario().core.slots),
           &track);
  }

  std::vector<Lane> lanes_;  // By endpoint.
  int out_ = 0;
  Loads loads_;
  std::unordered_map<MessageId, MonoTime> written_;
  std::unordered_map<MessageId, std::size_t> posts_;
};

}  // namespace

std::unique_ptr<Checker> isolation(Court& court) { return std::make_unique<Isolation>(court); }

}  // namespace petrel::sim::check
