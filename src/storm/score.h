// Score is what one run comes to in numbers, and Timeline what happened in each second of it.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/json_writer.h"
#include "base/time.h"

namespace petrel::storm {

struct Score {
  int delivered = 0;
  int dead = 0;
  int unfinished = 0;  // Neither, when the run ended.

  std::int64_t attempts = 0;
  std::int64_t wasted = 0;  // Of them, those that did not deliver.

  // The most requests that came to the receiver within one second, from the end of the outage on.
  int peak_per_second = 0;
  int crashes = 0;  // How often the receiver fell over for being asked too much.

  // From the end of the outage until each message accepted before it was delivered or dead. Empty
  // if the run ended first.
  std::optional<Duration> drained_after;

  // From acceptance to delivery, of those accepted during the outage, as far as they were
  // delivered. Empty if none was.
  std::optional<Duration> delay_p50;
  std::optional<Duration> delay_p99;

  // The same of all the neighbour's messages.
  std::optional<Duration> neighbour_p99;
  std::optional<Duration> neighbour_max;

  // The engine paused the endpoint, by a rule of the policy or after a hundred permanent failures.
  bool is_paused = false;

  int lost() const { return dead + unfinished; }

  friend bool operator==(const Score&, const Score&) = default;
};

// The better of two: fewer crashes, then fewer messages that were not delivered, then drained
// sooner, then fewer attempts wasted.
bool is_better(const Score& one, const Score& other);

void write_score(const Score& score, JsonWriter& json);

// Second by second since the start, as long as anything happened.
struct Timeline {
  std::vector<int> requests;      // That came to the receiver.
  std::vector<int> waiting;       // Messages neither delivered nor dead, at the end of the second.
  std::vector<Duration> crashes;  // Since the start.

  friend bool operator==(const Timeline&, const Timeline&) = default;
};

}  // namespace petrel::storm
