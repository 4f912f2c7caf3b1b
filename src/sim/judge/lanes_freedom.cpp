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
    update(lane.free_but_for_ramp, from);
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
    if (each->settings.rate) {
      at = std::max(at, after(lane.last_begun, interval_of(*each->settings.rate)));
    }
    const auto application = scene_.catalogue().application_of(endpoint);
    const auto tenant = application ? tenants_.find(*application) : tenants_.end();
    if (each->settings.rate_of_application && tenant != tenants_.end()) {
      const Duration interval = interval_of(*each->settings.rate_of_application);
      at = std::max(at, after(tenant->second.last_begun, interval));
    }
  }
  return at;
}

// "Between endpoints": half of the slots are for first attempts, further ones go by the threshold.
bool Lanes::are_slots_scarce(EndpointId endpoint) const {
  const LaneModel* const own = lane(endpoint);
  const int held = scene_.in_flight_to(endpoint) + (own == nullptr ? 0 : own->unsettled);
  const int half = settings_.slots / 2;
  int taken = static_cast<int>(scene_.in_flight().size());
  for (const auto& [id, each] : lanes_) taken += each.unsettled;
  // Whose turn it is in a shard nobody sees.
  const int part = settings_.slots / settings_.shards / 2;
  if (settings_.defects.slots_are_first_come && taken >= std::max(1, part)) return true;
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
    const int at_authority = scene_.in_flight_at(each->settings.origin);
    if (at_authority >= std::max(1, settings_.authority_cap / 2)) return std::nullopt;
  }
  return std::max({scene_.alive_since(), scene_.store_back_at(), lane.hold.perhaps_until(),
                   lane.resolver_until, rate_allows_at(endpoint, lane)});
}

}  // namespace petrel::sim::judge
