#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "sim/judge/accusers.h"
#include "sim/judge/backoff_bounds.h"
#include "sim/judge/questions.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

class Release final : public Accuser {
 public:
  using Accuser::Accuser;

  void on_disk(const Track* before, const OnDisk& record, const Request*) override {
    const bool goes_on = record.state == "pending" || record.state == "retrying";
    if (before == nullptr || record.attempt || record.by != By::Lane || !goes_on) return;
    if (!before->is_live() || record.due_at == before->on_disk.due_at) return;
    const bool is_changed =
        record.attempts != before->on_disk.attempts || record.state != before->on_disk.state;
    if (is_changed) {
      accuse(Rule::WronglyReleased, before->name, "more than its due time changed");
    } else if (record.due_at > before->on_disk.due_at) {
      if (before->released_from == record.due_at) return;
      accuse(Rule::WronglyReleased, before->name,
             "due later, and not when it was before its release");
    } else {
      check_sooner(*before, record);
    }
  }

  void replied(const Request& request) override {
    int& failures = failures_[request.sent.endpoint];
    failures = is_success_by_all(scene(), request) ? 0 : failures + 1;
    if (failures >= figures::kReleaseFailures) ended_at_[request.sent.endpoint] = now();
  }

  void passed(const Moment& now) override {
    const bool is_running = scene().life() && !scene().is_stopping() && !scene().is_store_away();
    if (!is_running || scene().clocks().was_set()) return;
    for (const EndpointId endpoint : catalogue().endpoints()) {
      const LaneModel* const lane = lanes().lane(endpoint);
      if (lane == nullptr || !lane->outage || !lane->ramp_over) continue;
      const MonoTime since =
          std::max({*lane->ramp_over, scene().alive_since(), scene().store_back_at()});
      if (since + settings().slack >= now.mono || checked_[endpoint] >= since) continue;
      checked_[endpoint] = now.mono;
      check_released(endpoint, *lane, now);
    }
  }

 private:
  bool releases(EndpointId endpoint, bool is_sure) const {
    const auto readings = catalogue().at(endpoint, now());
    const auto is_on = [](const Possible* each) { return each->settings.guards.releases; };
    return is_sure ? std::all_of(readings.begin(), readings.end(), is_on)
                   : std::any_of(readings.begin(), readings.end(), is_on);
  }

  void check_sooner(const Track& track, const OnDisk& record) {
    const LaneModel* const lane = lanes().lane(track.name.endpoint);
    if (lane == nullptr || track.last_recorded == nullptr) {
      return accuse(Rule::WronglyReleased, track.name, "due sooner, and it never failed");
    }
    if (track.released_from && *track.released_from > scene().now().wall) {
      return accuse(Rule::WronglyReleased, track.name, "released a second time");
    }
    const Request& last = *track.last_recorded;
    const auto wish = wish_of(*last.reply, last.replied.wall);
    Duration asked = Duration::max();
    for (const Policy& policy :
         policies_between(scene(), track.name.endpoint, last.replied.mono, now())) {
      asked = std::min(asked, granted(policy, wish));
    }
    if (record.due_at < last.replied.wall + asked) {
      return accuse(Rule::WronglyReleased, track.name, "released before its Retry-After is over");
    }
    // Times on record go by the wall clock; where it was set they say little.
    if (scene().clocks().was_set() || is_of_an_outage(*lane, last)) return;
    accuse(Rule::WronglyReleased, track.name, "due sooner, and not because of an outage");
  }

  bool is_of_an_outage(const LaneModel& lane, const Request& last) const {
    if (!releases(last.sent.endpoint, false)) return false;
    const auto holds = [&](const CircuitState::Outage& outage) {
      return last.replied.mono >= outage.began.earliest - figures::kBeforeOutage &&
             last.replied.mono <= outage.ended + settings().lateness;
    };
    if (std::any_of(lane.outages.begin(), lane.outages.end(), holds)) return true;
    const auto& states = lane.circuit.states();
    return std::any_of(states.begin(), states.end(), [&](const CircuitState& state) {
      const bool is_over = !state.ramp || state.ramp->may_be_over(now());
      return state.is_closed() && is_over && state.outage && holds(*state.outage);
    });
  }

  void check_released(EndpointId endpoint, const LaneModel& lane, const Moment& now) {
    const bool is_through = ended_at_[endpoint] >= lane.outage->ended;
    if (is_through || !lane.must_send || lane.circuit.may_be_open() || !releases(endpoint, true)) {
      return;
    }
    for (const auto& [due_at, message] : scene().waiting(endpoint)) {
      const Track& track = *scene().track({endpoint, message});
      const Request* const last = track.last_recorded;
      if (due_at <= now.wall || last == nullptr || !last->is_spent || track.released_from) continue;
      if (track.is_in_flight() || track.requests.back() != last || track.on_disk.by != By::Lane)
        continue;
      if (last->replied.mono < lane.outage->began.latest - figures::kBeforeOutage ||
          last->replied.mono > lane.outage->ended) {
        continue;
      }
      const auto wish = wish_of(*last->reply, last->replied.wall);
      if (wish && last->replied.wall + *wish > now.wall) continue;
      return accuse(Rule::NotReleased, track.name,
                    "failed in an outage that is over, and still waits for its backoff");
    }
  }

  std::map<EndpointId, int> failures_;       // In a row.
  std::map<EndpointId, MonoTime> ended_at_;  // When they were enough to end a release.
  std::map<EndpointId, MonoTime> checked_;
};

}  // namespace

std::unique_ptr<Accuser> release(Bench bench) { return std::make_unique<Release>(bench); }

}  // namespace petrel::sim::judge
