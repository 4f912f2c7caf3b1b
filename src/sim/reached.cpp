#include "sim/reached.h"

#include "sim/judge/evidence_text.h"

namespace petrel::sim {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, kLandmarks> kNames = {
    "started with an open circuit",
    "started with a hold",
    "started with a ramp",
    "started with a paused lane",
    "started with a move under way",
    "started after an outcome that was not written",
    "circuit opened by its streak",
    "circuit opened by its window",
    "circuit opened by exhausted deliveries",
    "probe before its delivery was due",
    "probe failed",
    "probe throttled",
    "probe lost in a crash",
    "release after an outage begun",
    "released after an outage",
    "release lost in a crash",
    "moved while in flight",
    "deleted while in flight",
    "paused while in flight",
    "resent while in flight",
    "resent while it was a probe",
    "told that a receiver is gone",
    "payload loaded",
    "expunged while its payload was loaded",
    "paused by the node itself",
    "accept with an unknown end",
    "settlement with an unknown end",
    "change with an unknown end",
    "state of a lane with an unknown end",
    "outcome written after a later one",
};

bool is_of_files(Fault fault) { return fault == Fault::PowerCut || fault == Fault::StoreReopened; }

}  // namespace

std::string_view to_string(Landmark landmark) { return kNames[static_cast<std::size_t>(landmark)]; }

void Reached::add(const Reached& other) {
  for (std::size_t i = 0; i < kLandmarks; ++i) landmarks_[i] += other.landmarks_[i];
  for (std::size_t i = 0; i < kActs; ++i) acts_[i] += other.acts_[i];
}

bool is_done_in_a_day(judge::Act act) {
  using judge::Act;
  switch (act) {
    case Act::DeleteApplication:
    case Act::Discard:
      return false;
    default:
      return true;
  }
}

std::vector<std::string> unreached(const Reached& reached, const FaultCounts& faults,
                                   bool has_files) {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    const auto fault = static_cast<Fault>(i);
    if (faults.of(fault) > 0 || (is_of_files(fault) && !has_files)) continue;
    missing.emplace_back(to_string(fault));
  }
  for (std::size_t i = 0; i < kActs; ++i) {
    const auto act = static_cast<judge::Act>(i);
    if (reached.of(act) == 0 && is_done_in_a_day(act)) missing.emplace_back(judge::to_string(act));
  }
  for (std::size_t i = 0; i < kLandmarks; ++i) {
    const auto landmark = static_cast<Landmark>(i);
    if (reached.of(landmark) == 0) missing.emplace_back(to_string(landmark));
  }
  return missing;
}

}  // namespace petrel::sim
