// Since when nothing keeps an endpoint from sending: the part of Lanes that promptness is judged
// by.

#include <algorithm>
#include <cmath>

#include "sim/judge/lanes.h"

namespace petrel::sim::judge {
namespace {

Duration interval_of(int per_second) {
  return Duration(static_cast<Duration::rep>(std::ceil(1e6 / std::max(1, per_second))));
}

MonoTime after(MonoTime last, Duration wait) {
  return last == MonoTime::min() ? last : last + wait;
}

}  // namespace

void Lanes::refresh_freedom() {
  std::set<EndpointId> with_work;
  for (const EndpointId endpoint : scene_.catalogue().endpoints()) {
    if (!scene_.waiting(endpoint).empty()) with_work.insert(endpoint);
  }
  const MonoTime now = scene_.now().mono;
  const auto update = [&](std::optional<MonoTime>& since, std::optional<MonoTime> from) {
    since = from ? std::optional(std::max(since.value_or(now), *from)) : std::nullopt;
  };
  for (const EndpointId endpoint : with_work) {
    LaneModel& lane = model(endpoint);
    const auto from = free_from(endpoint, lane);
    const auto sure = from ? std::optional(std::max(*from, turn_allows_at(endpoint))) : from;
    update(lane.free_but_for_ramp, sure);
    // A ramp lets one go a second at least, and one in flight.
    const bool is_ramp_full = lane.circuit.may_ramp() && scene_.in_flight_to(endpoint) > 0;
    const MonoTime ramp =
        lane.circuit.may_ramp() ? after(lane.last_begun, interval_of(1)) : MonoTime::min();
    update(lane.free, from && !is_ramp_full ? std::optional(std::max(*from, ramp)) : std::nullopt);
  }
  for (const EndpointId endpoint : with_work_) {
    if (with_work.contains(endpoint)) continue;
    model(endpoint).free.reset();
    model(endpoint).free_but_for_ramp.reset();
  }
  with_work_ = std::move(with_work);
}

MonoTime Lanes::rate_allows_at(EndpointId endpoint, const LaneModel& lane) const {
  MonoTime at = MonoTime::min();
  for (const Possible* const each : scene_.catalogue().at(endpoint, scene_.now().mono)) {
    if (!each->settings.rate) continue;
    at = std::max(at, after(lane.last_begun, interval_of(*each->settings.rate)));
  }
  return at;
}

// The longest that it may be between two attempts of the application. Empty if it has no rate.
std::optional<Duration> Lanes::interval_of_application(EndpointId endpoint) const {
  std::optional<Duration> interval;
  for (const Possible* const each : scene_.catalogue().at(endpoint, scene_.now().mono)) {
    if (!each->settings.rate_of_application) continue;
    const Duration one = interval_of(*each->settings.rate_of_application);
    interval = std::max(interval.value_or(one), one);
  }
  return interval;
}

// If it is its turn among the endpoints of its application.
MonoTime Lanes::turn_allows_at(EndpointId endpoint) const {
  const auto application = scene_.catalogue().application_of(endpoint);
  const auto tenant = application ? tenants_.find(*application) : tenants_.end();
  const auto interval = interval_of_application(endpoint);
  if (!interval || tenant == tenants_.end()) return MonoTime::min();
  return after(tenant->second.last_begun, *interval);
}

// An endpoint that waits for the rate of its application stands in a line, in which each of the
// others has one place at most. A new rate makes a new line.
MonoTime Lanes::end_of_line(EndpointId endpoint, MonoTime since) const {
  const auto application = scene_.catalogue().application_of(endpoint);
  const auto tenant = application ? tenants_.find(*application) : tenants_.end();
  if (tenant == tenants_.end()) return since;
  since = std::max(since, tenant->second.changed_at);
  const auto interval = interval_of_application(endpoint);
  if (!interval) return since;
  const LaneModel* const own = lane(endpoint);
  const MonoTime joined = own == nullptr ? since : std::max(since, own->last_begun);
  const auto others = scene_.catalogue().endpoints_of(*application).size();
  return joined + static_cast<int>(others + 1) * *interval;
}

// "Between endpoints": half of the slots are for first attempts, further ones go by the threshold.
bool Lanes::are_slots_scarce(EndpointId endpoint) const {
  const LaneModel* const own = lane(endpoint);
  const int held = scene_.in_flight_to(endpoint) + (own == nullptr ? 0 : own->unsettled);
  const int half = settings_.slots / 2;
  int taken = static_cast<int>(scene_.in_flight().size());
  for (const auto& [id, each] : lanes_) taken += each.unsettled;
  if (held == 0) return static_cast<int>(scene_.lanes_with_work()) > half;
  return 4 * held + taken >= half;
}

// It goes on at its new place when nothing is in flight, or not on record yet, at the old one.
bool Lanes::is_moving(EndpointId endpoint) const {
  const LaneModel* const own = lane(endpoint);
  if (own == nullptr || !own->moves_since) return false;
  if (*own->moves_since + settings_.slack >= scene_.now().mono) return true;
  const auto is_old = [&](const Request* each) {
    return each->sent.endpoint == endpoint && each->begun.mono <= *own->moves_since;
  };
  return std::any_of(scene_.in_flight().begin(), scene_.in_flight().end(), is_old);
}

std::optional<MonoTime> Lanes::free_from(EndpointId endpoint, const LaneModel& lane) const {
  const bool is_running = scene_.life() && !scene_.is_stopping() && !scene_.is_store_away();
  if (!is_running || !lane.must_send || lane.circuit.may_be_open()) return std::nullopt;
  if (scene_.in_flight_to(endpoint) >= lane.limit.smallest()) return std::nullopt;
  if (are_slots_scarce(endpoint) || is_moving(endpoint)) return std::nullopt;
  for (const Possible* const each : scene_.catalogue().at(endpoint, scene_.now().mono)) {
    // Half of the cap at least is for first ones, but for those of all the others; that no others
    // than these have them is another rule.
    const int at_authority = scene_.in_flight_at(each->settings.origin);
    const bool is_first = scene_.in_flight_to(endpoint) == 0;
    const int part = is_first ? settings_.authority_cap : settings_.authority_cap / 2;
    if (at_authority >= std::max(1, part)) return std::nullopt;
  }
  return std::max({scene_.alive_since(), scene_.store_back_at(), lane.hold.perhaps_until(),
                   lane.resolver_until, rate_allows_at(endpoint, lane)});
}

}  // namespace petrel::sim::judge
