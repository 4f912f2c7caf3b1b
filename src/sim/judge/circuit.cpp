#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "sim/judge/accusers.h"
#include "sim/judge/questions.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

using Phase = CircuitState::Phase;

class Circuit final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    const LaneModel* const lane = lanes().lane(request.sent.endpoint);
    if (lane == nullptr) return;
    const CircuitModel::Start start = lanes().start_of(request);
    if (lane->circuit.objection(start) != CircuitModel::Objection::Circuit) return;
    const CircuitState& state = lane->circuit.states().front();
    const std::string why =
        state.phase == Phase::Probing
            ? "while a probe is in flight"
            : fmt::format("{} before the circuit may be probed",
                          to_words(std::max(Duration::zero(), state.open_until.earliest - now())));
    accuse(Rule::CircuitLeaks, request.delivery(), "sent " + why);
  }

  // Something waits, the open time is over by every reading, and no probe comes.
  void passed(const Moment& now) override {
    const bool is_running = scene().life() && !scene().is_stopping() && !scene().is_store_away();
    if (!is_running) return;
    for (const EndpointId endpoint : catalogue().endpoints()) {
      const LaneModel* const lane = lanes().lane(endpoint);
      const bool may_wait = lane == nullptr || lane->circuit.may_be_closed() || !lane->must_send;
      if (may_wait || lanes().are_slots_scarce(endpoint) || lanes().is_moving(endpoint)) {
        waits_since_.erase(endpoint);
        continue;
      }
      waits_since_.try_emplace(endpoint, scene().now().mono);  // As the last evidence left it.
      const auto probe_by = latest_probe(endpoint, *lane);
      if (!probe_by || *probe_by + settings().slack >= now.mono) continue;
      MonoTime& accused = accused_[endpoint];
      if (accused >= *probe_by) continue;
      accused = now.mono;
      accuse(
          Rule::CircuitStuck, endpoint,
          fmt::format("no probe {} after its open time is over", to_words(now.mono - *probe_by)));
    }
  }

 private:
  // By when a probe has to be sent. Empty if one is in flight, or nothing waits for it.
  std::optional<MonoTime> latest_probe(EndpointId endpoint, const LaneModel& lane) const {
    MonoTime latest =
        std::max({scene().alive_since(), scene().store_back_at(), lane.hold.perhaps_until(),
                  lane.resolver_until, waits_since_.at(endpoint)});
    for (const CircuitState& state : lane.circuit.states()) {
      if (state.phase != Phase::Open) return std::nullopt;
      latest = std::max(latest, state.open_until.latest);
    }
    for (const Possible* const each : catalogue().at(endpoint, now())) {
      // A rate may keep a probe waiting; whose turn it is nobody sees.
      if (each->settings.rate || each->settings.rate_of_application) return std::nullopt;
      if (scene().in_flight_at(each->settings.origin) >=
          std::max(1, settings().authority_cap / 2)) {
        return std::nullopt;
      }
    }
    if (scene().in_flight_to(endpoint) > 0) return std::nullopt;
    std::optional<MonoTime> waits;
    for (const auto& [due_at, message] : scene().waiting(endpoint)) {
      const Track& track = *scene().track({endpoint, message});
      MonoTime from = track.written.mono;
      if (const auto scheduled = deliver_at(scene(), track)) {
        from = std::max(from, scene().clocks().latest(*scheduled, track.due_since));
      }
      // What the receiver asked for of a delivery, its probe heeds too.
      const Request* const last = track.last_recorded;
      const auto wish = last == nullptr ? std::nullopt : wish_of(*last->reply, last->replied.wall);
      if (wish && *wish > Duration::zero()) {
        from = std::max(from, scene().clocks().latest(due_at, track.due_since));
      }
      waits = std::min(waits.value_or(from), from);
      if (from <= latest) break;
    }
    if (!waits) return std::nullopt;
    return std::max(latest, *waits);
  }

  std::map<EndpointId, MonoTime> accused_;      // When last.
  std::map<EndpointId, MonoTime> waits_since_;  // It may be probed, but for its open time.
};

// The ramp is asked in the same breath, so it has its place here.
class Ramp final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    const LaneModel* const lane = lanes().lane(request.sent.endpoint);
    if (lane == nullptr) return;
    const CircuitModel::Start start = lanes().start_of(request);
    const auto objection = lane->circuit.objection(start);
    const auto ramped =
        std::find_if(lane->circuit.states().begin(), lane->circuit.states().end(),
                     [](const CircuitState& state) { return state.ramp.has_value(); });
    if (ramped == lane->circuit.states().end()) return;
    const std::string since = to_words(now() - ramped->ramp->began());
    if (objection == CircuitModel::Objection::RampInFlight) {
      accuse(Rule::RampBroken, request.delivery(),
             fmt::format("{} in flight, {} after the recovery: {} are allowed", start.in_flight,
                         since, ramped->ramp->in_flight_max()));
    } else if (objection == CircuitModel::Objection::RampRate) {
      accuse(
          Rule::RampBroken, request.delivery(),
          fmt::format("faster than {:.2f}/s, {} after the recovery", ramped->ramp->rate(), since));
    }
  }
};

}  // namespace

std::unique_ptr<Accuser> circuit(Bench bench) { return std::make_unique<Circuit>(bench); }

std::unique_ptr<Accuser> ramp(Bench bench) { return std::make_unique<Ramp>(bench); }

}  // namespace petrel::sim::judge
