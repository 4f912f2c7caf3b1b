#include "sim/judge/lanes.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "sim/judge/backoff_bounds.h"
#include "sim/judge/json_field.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

constexpr std::size_t kOutagesMax = 100;

template <typename Value>
void add_once(std::vector<Value>& list, const Value& value) {
  if (std::count(list.begin(), list.end(), value) == 0) list.push_back(value);
}

bool changes_url(const Asked& asked) {
  return asked.act == Act::ChangeEndpoint && text_field(read_json(asked.json), "url");
}

}  // namespace

LaneModel& Lanes::model(EndpointId endpoint) {
  return lanes_.try_emplace(endpoint, settings_).first->second;
}

const LaneModel* Lanes::lane(EndpointId endpoint) const {
  const auto found = lanes_.find(endpoint);
  return found == lanes_.end() ? nullptr : &found->second;
}

std::vector<Guards> Lanes::guards(EndpointId endpoint, MonoTime from) const {
  std::vector<Guards> found;
  for (const Possible* const each : scene_.catalogue().between(endpoint, from, scene_.now().mono)) {
    if (each->exists) add_once(found, each->settings.guards);
  }
  if (found.empty()) found.emplace_back();
  return found;
}

std::vector<Policy> Lanes::policies(EndpointId endpoint, MonoTime from) const {
  std::vector<Policy> found;
  for (const Possible* const each : scene_.catalogue().between(endpoint, from, scene_.now().mono)) {
    if (each->exists) add_once(found, each->settings.policy);
  }
  if (found.empty()) found.push_back(preset("standard-webhooks"));
  return found;
}

void Lanes::pass(MonoTime now) {
  for (auto& [endpoint, lane] : lanes_) {
    const bool had_ramp = lane.circuit.may_ramp();
    const auto next = had_ramp ? next_of(endpoint) : std::nullopt;
    if (next) {
      const bool is_due =
          scene_.clocks().earliest(next->track->on_disk.due_at, next->track->due_since) <= now;
      if (is_due) lane.circuit.was_busy(now);
      // What was let go is seen when its payload is loaded.
      const Duration unseen = settings_.lateness + settings_.loading;
      const auto free = lane.free_but_for_ramp;
      // What the store has failed to read or write is tried again after a while.
      const bool is_store_well = scene_.store_back_at() + settings_.slack <= now;
      const bool is_pressed = free && is_store_well && std::max(*free, next->due) + unseen <= now;
      if (is_pressed) lane.circuit.was_pressed(std::max(*free, next->due), now);
    }
    if (had_ramp) {
      if (scene_.in_flight_to(endpoint) > 0 || !scene_.life()) lane.circuit.was_busy(now);
      lane.circuit.pass(now, settings_.slack);
      if (!lane.circuit.may_ramp()) finish_ramp(lane, now);
    }
    const bool may_have_left =
        lane.last_active && now - *lane.last_active >= figures::kLaneRests - figures::kHistoryGrain;
    if (may_have_left && scene_.in_flight_to(endpoint) == 0) {
      lane.limit.rested();
      lane.circuit.rested();
      lane.last_active.reset();
    }
  }
}

void Lanes::finish_ramp(LaneModel& lane, MonoTime now) {
  lane.ramp_over = now;
  const auto& states = lane.circuit.states();
  lane.outage = states.size() == 1 ? states.front().outage : std::nullopt;
  for (const CircuitState& state : states) {
    if (state.outage) lane.outages.push_back(*state.outage);
  }
  while (lane.outages.size() > kOutagesMax) lane.outages.pop_front();
  lane.circuit.released();
}

void Lanes::enter(const Evidence& evidence) {
  std::visit([this](const auto& what) { enter(what); }, evidence.what);
  refresh_freedom();
}

void Lanes::enter(const Asked& asked) {
  const MonoTime now = scene_.now().mono;
  if (asked.act == Act::Probe || asked.act == Act::Close) {
    LaneModel& lane = model(asked.endpoint);
    lane.hold.lift_asked();
    if (asked.act == Act::Probe) {
      lane.circuit.probe_asked(now);
    } else {
      lane.circuit.close_asked(asked.number, scene_.requests().size(), now,
                               guards(asked.endpoint, now));
    }
    return;
  }
  if (!is_change(asked.act)) return;
  if (asked.act == Act::CreateEndpoint) model(asked.endpoint);
  if (changes_url(asked)) {
    LaneModel& lane = model(asked.endpoint);
    lane.moves_since = now;
    lane.moved_by = MonoTime::max();
    lane.may_have_moved();
  }
  follow_change(asked);
}

void Lanes::follow_move(const Asked& asked) {
  if (!changes_url(asked)) return;
  LaneModel& lane = model(asked.endpoint);
  lane.moved_by = scene_.now().mono + settings_.slack;
  lane.may_have_moved();
}

void Lanes::follow_change(const Asked& asked) {
  const bool is_of_endpoint =
      asked.act == Act::CreateEndpoint || asked.act == Act::ChangeEndpoint ||
      asked.act == Act::DeleteEndpoint || asked.act == Act::Pause || asked.act == Act::Resume;
  if (is_of_endpoint) {
    follow_catalogue(asked.endpoint, model(asked.endpoint));
    const auto application = scene_.catalogue().application_of(asked.endpoint);
    if (application) follow_application(*application);
    return;
  }
  const bool is_of_all = asked.act == Act::SetServer;
  const auto& endpoints = is_of_all ? scene_.catalogue().endpoints()
                                    : scene_.catalogue().endpoints_of(asked.application);
  for (const EndpointId endpoint : endpoints) follow_catalogue(endpoint, model(endpoint));
  if (!is_of_all) follow_application(asked.application);
}

void Lanes::enter(const Told& told) {
  const Asked* const asked = scene_.asked(told.number);
  if (asked == nullptr || told.status >= 500) return;
  if (is_change(asked->act)) follow_change(*asked);
  if (told.status / 100 != 2) return;
  follow_resume(*asked);
  follow_move(*asked);
  if (asked->act == Act::Probe) model(asked->endpoint).circuit.probe_told(scene_.now().mono);
  if (asked->act == Act::Close) model(asked->endpoint).circuit.close_told(told.number);
  if (asked->act == Act::Probe || asked->act == Act::Close) {
    model(asked->endpoint).hold.lift_told();
  }
}

void Lanes::enter(const Resolved& resolved) {
  const Asked* const asked = scene_.asked(resolved.number);
  if (asked == nullptr || !is_change(asked->act)) return;
  follow_change(*asked);
  if (resolved.has_happened) follow_resume(*asked);
  if (resolved.has_happened) follow_move(*asked);
}

// Of a pause and a resume that were under way together nobody knows which came first.
void Lanes::follow_resume(const Asked& asked) {
  if (asked.act != Act::Resume) return;
  LaneModel& lane = model(asked.endpoint);
  const MonoTime now = scene_.now().mono;
  if (lane.may_send && !lane.must_send) lane.circuit.may_resume(now, guards(asked.endpoint, now));
}

void Lanes::follow_catalogue(EndpointId endpoint, LaneModel& lane) {
  const MonoTime now = scene_.now().mono;
  std::optional<AdaptiveLimitModel::Max> max;
  double rate = 0;
  bool may_be_unlimited = false;
  for (const Possible* const each : scene_.catalogue().at(endpoint, now)) {
    if (!each->exists) continue;
    const int own = each->settings.max_in_flight;
    if (!max) max = {own, own};
    max->smallest = std::min(max->smallest, own);
    max->largest = std::max(max->largest, own);
    may_be_unlimited = may_be_unlimited || !each->settings.rate;
    rate = std::max(rate, static_cast<double>(each->settings.rate.value_or(0)));
  }
  if (max) lane.limit.set_max(*max, now);
  if (!lane.last_active) lane.limit.rested();
  lane.rate.set_rate(may_be_unlimited || !max ? std::nullopt : std::optional(rate), now);
  follow_sending(endpoint, lane);
}

void Lanes::follow_application(ApplicationId application) {
  const MonoTime now = scene_.now().mono;
  std::set<std::optional<int>> rates;
  for (const EndpointId endpoint : scene_.catalogue().endpoints_of(application)) {
    for (const Possible* const each : scene_.catalogue().at(endpoint, now)) {
      rates.insert(each->settings.rate_of_application);
    }
  }
  Tenant& tenant = tenants_[application];
  if (std::exchange(tenant.rates, rates) != rates) tenant.changed_at = now;
  const bool may_be_unlimited = rates.empty() || rates.contains(std::nullopt);
  tenant.rate.set_rate(may_be_unlimited ? std::nullopt : std::optional<double>(**rates.rbegin()),
                       now);
}

void Lanes::follow_sending(EndpointId endpoint, LaneModel& lane) {
  const MonoTime now = scene_.now().mono;
  const bool may = scene_.catalogue().may_send(endpoint, now);
  const bool must = scene_.catalogue().must_send(endpoint, now);
  if (lane.must_send && !must) {
    lane.circuit.may_pause(now);
    lane.was_surely_paused = false;
  }
  if (lane.may_send && !may) {
    lane.circuit.has_paused();
    lane.was_surely_paused = true;
  }
  if (lane.was_surely_paused && !lane.may_send && may)
    lane.circuit.may_resume(now, guards(endpoint, now));
  if (!lane.must_send && must) {
    if (lane.was_surely_paused) {
      lane.circuit.has_resumed(now);
    } else if (lane.has_ever_sent) {
      lane.circuit.may_resume(now, guards(endpoint, now));  // If it ever was.
    }
    lane.was_surely_paused = false;
  }
  lane.may_send = may;
  lane.must_send = must;
  lane.has_ever_sent = lane.has_ever_sent || must;
}

CircuitModel::Start Lanes::start_of(const Request& request) const {
  return {.order = request.order,
          .earliest = request.begun.mono - request.sent.loading,
          .latest = request.begun.mono,
          .in_flight = scene_.in_flight_to(request.sent.endpoint)};
}

bool Lanes::fits_application(const Request& request) const {
  const auto application = scene_.catalogue().application_of(request.sent.endpoint);
  const auto tenant = application ? tenants_.find(*application) : tenants_.end();
  if (tenant == tenants_.end()) return true;
  const CircuitModel::Start start = start_of(request);
  return tenant->second.rate.fits(start.earliest, start.latest);
}

void Lanes::enter(const Requested& sent) {
  const Request* const request = scene_.request(sent.request);
  LaneModel& lane = model(sent.endpoint);
  const CircuitModel::Start start = start_of(*request);
  lane.circuit.started(start);
  lane.rate.take(start.earliest, start.latest);
  lane.last_begun = start.latest;
  lane.last_active = start.latest;
  if (const auto application = scene_.catalogue().application_of(sent.endpoint)) {
    Tenant& tenant = tenants_[*application];
    tenant.rate.take(start.earliest, start.latest);
    tenant.last_begun = start.latest;
  }
}

void Lanes::learn_hold(LaneModel& lane, const Request& request, CircuitModel::End& end) {
  const bool is_overload = request.reply->kind == Reply::Answered &&
                           (request.reply->status == 429 || request.reply->status == 503);
  const auto wish = wish_of(*request.reply, request.replied.wall);
  if (!is_overload || !wish) return;
  Duration shortest = Duration::max();
  Duration longest{};
  for (const Policy& policy : policies(request.sent.endpoint, end.now)) {
    shortest = std::min(shortest, granted(policy, wish));
    longest = std::max(longest, granted(policy, wish));
  }
  lane.hold.wished(request.sent.request, request.replied, shortest, longest + settings_.lateness);
  end.held_until = {end.now + shortest, end.now + longest + settings_.lateness};
}

void Lanes::enter(const Replied& reply) {
  const Request* const request = scene_.request(reply.request);
  if (request == nullptr || !request->reply) return;
  LaneModel& lane = model(request->sent.endpoint);
  const MonoTime now = scene_.now().mono;
  lane.last_active = now;
  if (reply.kind == Reply::ResolverFault) lane.resolver_until = now + figures::kFaultWaitMax;
  if (!is_our_fault(reply.kind)) ++lane.unsettled;
  CircuitModel::End end{request->order, scene_.requests().size(), now, {}};
  std::vector<Load> loads;
  for (const Policy& policy : policies(request->sent.endpoint, now)) {
    add_once(end.verdicts, verdict_of(policy, reply.kind, reply.status));
    add_once(loads, load_of(policy, reply.kind, reply.status));
  }
  learn_hold(lane, *request, end);
  lane.circuit.ended(end, guards(request->sent.endpoint, now));
  const MonoTime begun = request->begun.mono;
  // A loop that takes up an answer late lets a request go meanwhile that the answer was before.
  const MonoTime earliest = begun - request->sent.loading - settings_.lateness;
  if (loads.size() == 1) lane.limit.ended({earliest, begun, now}, loads.front());
  if (begun <= lane.moved_by) lane.may_have_moved();
}

void Lanes::enter(const OnDisk& record) {
  LaneModel& lane = model(record.endpoint);
  const MonoTime now = scene_.now().mono;
  const Track& track = *scene_.track({record.endpoint, record.message});
  const Request* const request = track.recorded_now;
  if (request != nullptr) {
    lane.unsettled = std::max(0, lane.unsettled - 1);
    const MonoTime replied = request->replied.mono;
    const MonoTime handed_over = record.handed_over_last.value_or(replied);
    lane.hold.recorded(request->sent.request, std::max(replied, handed_over - settings_.lateness));
  }
  const bool is_given_up = record.by == By::Lane && record.state == "dead" &&
                           (record.reason == "exhausted" || record.reason == "expired");
  if (is_given_up) {
    CircuitModel::GivenUp given_up{std::nullopt, scene_.requests().size(), {now, now}};
    given_up.when.earliest = request != nullptr
                                 ? request->replied.mono
                                 : record.handed_over.value_or(now - settings_.slack);
    if (request != nullptr) given_up.order = request->order;
    lane.circuit.given_up(given_up, guards(record.endpoint, given_up.when.earliest));
    if (request == nullptr) lane.circuit.recorded_unsent();
  }
  if (request == nullptr) return;
  lane.circuit.recorded(request->order, record.handed_over_last);
  lane.limit.kept();
}

void Lanes::enter(const Life& life) {
  const MonoTime now = scene_.now().mono;
  for (auto& [endpoint, lane] : lanes_) {
    if (life.event == Life::Event::Started) {
      lane.circuit.restarted(now, scene_.requests().size(), scene_.clocks(), guards(endpoint, now));
      if (!lane.may_send) lane.circuit.has_paused();
      lane.hold.started(scene_.clocks());
      lane.limit.restarted();
      lane.rate.restart(now);
      lane.last_active.reset();
    } else if (life.event != Life::Event::Stopping) {
      lane.hold.died();
      lane.unsettled = 0;
      lane.resolver_until = MonoTime::min();
    }
  }
  if (life.event != Life::Event::Started) return;
  for (auto& [application, tenant] : tenants_) tenant.rate.restart(now);
}

std::optional<Lanes::Next> Lanes::next_of(EndpointId endpoint) const {
  for (const auto& [due_at, message] : scene_.waiting(endpoint)) {
    const Track* const track = scene_.track({endpoint, message});
    MonoTime put_off{};
    if (!track->requests.empty()) {
      const Request& last = *track->requests.back();
      const bool is_unsettled = last.reply && !last.is_recorded &&
                                !is_our_fault(last.reply->kind) && last.sent.life == scene_.life();
      if (last.is_in_flight() || is_unsettled) continue;
      const bool is_fault = last.reply && is_our_fault(last.reply->kind);
      if (is_fault) put_off = last.replied.mono + figures::kFaultWait;
    }
    const MonoTime due = scene_.clocks().latest(due_at, track->due_since);
    return Next{track, std::max({due, track->written.mono, put_off})};
  }
  return std::nullopt;
}

}  // namespace petrel::sim::judge
