#include "sim/fault.h"

namespace petrel::sim {
namespace {

constexpr std::array<std::string_view, kFaultKinds> kNames = {
    "slow",
    "server error",
    "refused",
    "hanging",
    "lying",
    "throttling",
    "Retry-After in seconds",
    "Retry-After as a date",
    "Retry-After of zero",
    "Retry-After in the past",
    "Retry-After rubbish",
    "Retry-After huge",
    "overloaded",
    "gone",
    "not found",
    "rejected",
    "redirected",
    "dns",
    "tls",
    "garbage",
    "flapping",
    "recovered all at once",
    "out of descriptors",
    "crash",
    "write lost in a crash",
    "write kept in a crash",
    "restart",
    "clock forward",
    "clock back",
    "store fails",
    "commit unknown",
    "store slow",
    "store stalls",
    "disk full",
    "load fails",
    "answer to producer lost",
    "post repeated although it was accepted",
    "idempotency key reused",
    "endpoint changed",
    "paused by hand",
    "URL changed",
    "endpoint deleted",
    "circuit ordered",
    "resent",
    "expunged",
    "application rate changed",
    "task started",
    "task edited",
    "endpoint disabled",
    "scheduled",
    "power cut",
    "store reopened",
};

}  // namespace

std::string_view to_string(Fault fault) { return kNames[static_cast<std::size_t>(fault)]; }

void FaultCounts::add(const FaultCounts& other) {
  for (std::size_t i = 0; i < kFaultKinds; ++i) counts_[i] += other.counts_[i];
}

}  // namespace petrel::sim
