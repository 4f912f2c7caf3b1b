#include "sim/incidents.h"

#include <algorithm>

namespace petrel::sim {
namespace {

// A crash strikes within so many events after its time.
constexpr int kCrashWithin = 60;
constexpr int kAimedWithin = 3;

}  // namespace

void Incidents::begin() {
  for (const Incident& incident : parts_.scenario.incidents) {
    parts_.world.at(incident.at, [this, &incident] {
      if (!has_ended_) begin(incident);
    });
  }
  parts_.witness.on_seen(
      [this](Landmark landmark, const judge::DeliveryName& about) { saw(landmark, about); });
}

void Incidents::begin(const Incident& incident) {
  if (!incident.aim) return happen(incident);
  aimed_.push_back(&incident);
}

// It happens to the endpoint, and to the delivery, that it was seen of.
void Incidents::saw(Landmark landmark, const judge::DeliveryName& about) {
  const auto aimed = std::find_if(aimed_.begin(), aimed_.end(),
                                  [&](const Incident* each) { return each->aim == landmark; });
  if (aimed == aimed_.end()) return;
  Incident incident = **aimed;
  aimed_.erase(aimed);
  const auto& plans = parts_.scenario.endpoints;
  const auto plan = std::find_if(plans.begin(), plans.end(), [&](const EndpointPlan& each) {
    return each.id == about.endpoint;
  });
  if (plan != plans.end()) incident.endpoint = static_cast<std::size_t>(plan - plans.begin());
  incident.message = about.message;
  parts_.world.after(Duration::zero(), [this, incident] {
    if (!has_ended_) happen(incident);
  });
}

void Incidents::looked() {
  if (events_to_crash_ == 0 || has_ended_ || --events_to_crash_ > 0) return;
  parts_.world.after(Duration::zero(), [this] {
    if (has_ended_) return;
    parts_.node.crash();
    parts_.world.after(down_for_, [this] { parts_.node.start(); });
  });
}

void Incidents::step_clock(Duration by) {
  parts_.faults.add(by > Duration::zero() ? Fault::ClockForward : Fault::ClockBack);
  parts_.world.clock().step(by);
  parts_.witness.clock_set(by);
}

void Incidents::happen(const Incident& incident) {
  switch (incident.kind) {
    case Fault::Crash:
      events_to_crash_ = dice_.between(1, incident.aim ? kAimedWithin : kCrashWithin);
      down_for_ = incident.length;
      break;
    case Fault::Restart:
      parts_.node.restart(incident.length);
      break;
    case Fault::ClockForward:
      step_clock(incident.length);
      break;
    case Fault::ClockBack:
      step_clock(-incident.length);
      break;
    case Fault::StoreStalls:
      parts_.store.stall(incident.length);
      break;
    case Fault::DiskFull:
      parts_.store.refuse(incident.length);
      break;
    case Fault::EndpointChanged:
      parts_.node.change(incident.endpoint, incident.in_flight_max);
      break;
    case Fault::PausedByHand:
      parts_.node.pause(incident.endpoint);
      parts_.world.after(incident.length,
                         [this, endpoint = incident.endpoint] { parts_.node.resume(endpoint); });
      break;
    case Fault::UrlChanged:
      parts_.node.move(incident.endpoint);
      break;
    case Fault::EndpointDeleted:
      parts_.node.erase(incident.endpoint);
      break;
    case Fault::CircuitOrdered:
      parts_.node.order(incident.endpoint);
      break;
    case Fault::Resent:
      if (incident.aim) {
        parts_.node.resend(incident.endpoint, incident.message);
      } else {
        parts_.node.resend(incident.endpoint);
      }
      break;
    case Fault::Expunged:
      parts_.node.expunge(incident.aim ? parts_.store.some_loading() : std::nullopt);
      break;
    case Fault::ApplicationLimited:
      parts_.node.limit(incident.application, incident.rate);
      break;
    case Fault::RecoveredAtOnce:  // Their phases say so.
      parts_.faults.add(incident.kind);
      break;
    default:
      break;
  }
}

}  // namespace petrel::sim
