// Lanes runs the models of every endpoint along the evidence: circuit and ramp, hold, adaptive
// limit and rate. It also works out since when nothing keeps an endpoint from sending, by every
// model.
//
// Thread: confined.

#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "sim/judge/adaptive_limit_model.h"
#include "sim/judge/bucket_model.h"
#include "sim/judge/circuit_model.h"
#include "sim/judge/evidence.h"
#include "sim/judge/hold_model.h"
#include "sim/judge/judge_settings.h"
#include "sim/judge/scene.h"

namespace petrel::sim::judge {

struct LaneModel {
  explicit LaneModel(const JudgeSettings& settings) : circuit(settings.lateness) {}

  CircuitModel circuit;
  HoldModel hold;
  AdaptiveLimitModel limit{{figures::kMaxInFlight, figures::kMaxInFlight}};
  BucketModel rate;
  MonoTime last_begun = MonoTime::min();
  // When a request last began or ended, unless the lane may not be there since.
  std::optional<MonoTime> last_active;
  int unsettled = 0;  // Ended, and not on disk yet.
  // After a fault of our resolver nothing is sent for a while.
  MonoTime resolver_until = MonoTime::min();

  // By the catalogue.
  bool may_send = false;
  bool must_send = false;
  bool was_surely_paused = false;
  bool has_ever_sent = false;  // Or might have.

  // Until the requests from before have ended: it has another URL, and perhaps another place.
  std::optional<MonoTime> moves_since;
  // What began by then may have ended before the move, and a lane that moves counts anew.
  MonoTime moved_by = MonoTime::min();
  void may_have_moved() {
    circuit.may_have_moved();
    limit.may_have_moved();
  }

  // From when on it is allowed to start one more for sure: by all but the ramp, and by all but its
  // turn among those that share the rate of its application (see end_of_line). Empty if only
  // something that happens can bring it about.
  std::optional<MonoTime> free_but_for_ramp;
  std::optional<MonoTime> free;

  // A ramp that has to be over since then, and the outage before it.
  std::optional<MonoTime> ramp_over;
  std::optional<CircuitState::Outage> outage;

  // The last ones that there may have been: a release may be on its way for each.
  std::deque<CircuitState::Outage> outages;
};

class Lanes {
 public:
  Lanes(const JudgeSettings& settings, const Scene& scene) : settings_(settings), scene_(scene) {}

  // Nothing has happened up to `now`. Before the scene is told what does.
  void pass(MonoTime now);

  // After the scene.
  void enter(const Evidence& evidence);

  // Null if it never had a request or a record, nor was made.
  const LaneModel* lane(EndpointId endpoint) const;

  // What the circuit is asked about a request.
  CircuitModel::Start start_of(const Request& request) const;

  // Whether the rate of its application allows it.
  bool fits_application(const Request& request) const;

  // The live delivery of an endpoint that is due first and neither in flight nor unsettled, with
  // the moment by which it is due for sure. Empty if there is none.
  struct Next {
    const Track* track;
    MonoTime due;
  };
  std::optional<Next> next_of(EndpointId endpoint) const;

  // Whether the endpoint may stand still because its URL was changed.
  bool is_moving(EndpointId endpoint) const;

  // By when the rate of its application lets one start that has waited for nothing else since then.
  MonoTime end_of_line(EndpointId endpoint, MonoTime since) const;

  // Whether the slots that all share may keep the endpoint from starting one more.
  bool are_slots_scarce(EndpointId endpoint) const;

 private:
  void enter(const Asked& asked);
  void enter(const Told& told);
  void enter(const Resolved& resolved);
  void enter(const Requested& sent);
  void enter(const Replied& reply);
  void enter(const OnDisk& record);
  void enter(const Life& life);
  template <typename Other>
  void enter(const Other&) {}

  LaneModel& model(EndpointId endpoint);
  std::vector<Guards> guards(EndpointId endpoint, MonoTime from) const;
  std::vector<Policy> policies(EndpointId endpoint, MonoTime from) const;
  void follow_change(const Asked& asked);
  void follow_resume(const Asked& asked);
  void follow_move(const Asked& asked);
  void follow_catalogue(EndpointId endpoint, LaneModel& lane);
  void finish_ramp(LaneModel& lane, MonoTime now);
  void follow_sending(EndpointId endpoint, LaneModel& lane);
  void follow_application(ApplicationId application);
  void learn_hold(LaneModel& lane, const Request& request, CircuitModel::End& end);
  void refresh_freedom();
  std::optional<MonoTime> free_from(EndpointId endpoint, const LaneModel& lane) const;
  MonoTime rate_allows_at(EndpointId endpoint, const LaneModel& lane) const;
  MonoTime turn_allows_at(EndpointId endpoint) const;
  std::optional<Duration> interval_of_application(EndpointId endpoint) const;

  struct Tenant {
    BucketModel rate;
    MonoTime last_begun = MonoTime::min();
    std::set<std::optional<int>> rates;     // That may hold …
    MonoTime changed_at = MonoTime::min();  // … since then.
  };

  const JudgeSettings& settings_;
  const Scene& scene_;
  std::map<EndpointId, LaneModel> lanes_;
  std::map<ApplicationId, Tenant> tenants_;
  std::set<EndpointId> with_work_;
};

}  // namespace petrel::sim::judge
