// Scenario is one outage to play: how many messages come and when, how the receiver is away, and
// what it can bear once it is back.
//
//        span: messages arrive
//   ├──────────────────────────────────────┤
//   0        outage_at         recovery                                            length
//   ┼───────────┼─────────────────┼──────────────────────────────────────────────────┤
//               └──── outage ─────┘
//
// A healthy neighbour gets as many messages over the same span, at moments of its own.
//
// Thread: any. A value.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/result.h"
#include "base/time.h"
#include "storm/receiver.h"

namespace petrel::storm {

inline constexpr int kMessagesMax = 1'000'000;
inline constexpr int kInFlightMax = 1'000;
inline constexpr Duration kLengthMax = std::chrono::days(7);

struct Scenario {
  int messages = 10'000;
  int batch = 1;  // This many come at the same moment, as from a job that runs over many rows.
  Duration span = std::chrono::minutes(10);

  Duration outage_at{};
  Duration outage = std::chrono::minutes(10);
  OutageKind outage_kind = OutageKind::Refuses;

  ReceiverSettings receiver;

  int in_flight_max = 10;  // Of the endpoint, when its guards are on.
  Duration timeout = std::chrono::seconds(15);

  Duration length = std::chrono::hours(24);  // Where it stops if it has not come to rest before.
  std::uint64_t seed = 1;

  Duration recovery() const { return outage_at + outage; }
};

// Whether every value is in its range and they go together. The error names the field as the
// command line calls it, without its dashes.
Status validate(const Scenario& scenario);

// One sentence: "10,000 messages over 10m, one by one; …".
std::string describe(const Scenario& scenario);

void write_scenario(const Scenario& scenario, JsonWriter& json);

}  // namespace petrel::storm
