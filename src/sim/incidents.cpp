#include "sim/incidents.h"

namespace petrel::sim {
namespace {

// A crash strikes within so many events after its time.
constexpr int kCrashWithin = 60;

}  // namespace

void Incidents::begin() {
  for (const Incident& incident : parts_.scenario.incidents) {
    parts_.world.at(incident.at, [this, &incident] {
      if (!has_ended_) happen(incident);
    });
  }
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
      events_to_crash_ = dice_.between(1, kCrashWithin);
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
      parts_.node.change(incident.endpoint);
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
      parts_.node.resend(incident.endpoint);
      break;
    case Fault::Expunged:
      parts_.node.expunge();
      break;
    case Fault::RecoveredAtOnce:  // Their phases say so.
      parts_.faults.add(incident.kind);
      break;
    default:
      break;
  }
}

}  // namespace petrel::sim
