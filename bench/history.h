// A history is weeks of traffic that a store looks back on, written straight into it: by HTTP, and
// with a receiver, millions of attempts would take an hour.
//
// What is written is what a server would have written: messages are planned, outcomes judged and
// settlements made by the same functions, in the order of their times. Nothing is left to be sent.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/time.h"

namespace petrel::bench {

// One message in a thousand is of the first event type; the others are of one of these.
inline constexpr std::string_view kRareType = "bench.rare";
inline constexpr std::array<std::string_view, 4> kCommonTypes = {"bench.created", "bench.changed",
                                                                 "bench.moved", "bench.deleted"};

struct HistorySettings {
  // Of a store that a server has made, with applications and endpoints, and has left.
  std::string folder;

  std::string main_application;  // The id of the one that nine messages out of ten are of.
  std::int64_t attempts = 0;     // At least so many; a few more for what is still to be retried.
  std::size_t payload_bytes = 1024;
};

struct History {
  std::int64_t attempts = 0;
  WallTime middle;    // Half of it lies before this moment.
  MessageId hapless;  // The last message of the main application that used up all its attempts.
};

// Throws std::runtime_error if the store refuses anything.
History write_history(const HistorySettings& settings);

}  // namespace petrel::bench
