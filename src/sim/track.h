// Track is the life of one delivery as the world outside saw it: each request that reached the
// wire, what the receiver did with it, and what was written to disk. It is the oracle that the
// checkers hold the engine against.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "model/attempt.h"
#include "model/delivery.h"
#include "policy/outcome.h"

namespace petrel::sim {

// One attempt on the wire.
struct Trip {
  int life = 0;  // Which life of the node sent it.

  // When it went out.
  MonoTime started;
  WallTime started_wall;

  bool is_processed = false;  // The receiver got it and did what it asked for.

  bool has_ended = false;  // The engine was told what came of it.
  MonoTime ended;
  WallTime ended_wall;
  policy::Outcome outcome = policy::Outcome::our_fault();
  std::optional<Duration> wish;  // What the receiver meant by Retry-After.
  Duration held_total{};         // How long its endpoint had been paused in all when it ended.

  bool is_recorded = false;  // Its settlement is on disk.
  bool is_spent = true;      // It counts towards the policy's limits, as recorded.

  bool is_success() const { return outcome.is_answer() && outcome.status() / 100 == 2; }
  bool was_seen_to_succeed() const { return has_ended && is_success(); }
  bool is_our_fault() const { return outcome.kind() == policy::Outcome::Kind::OurFault; }
};

struct Track {
  std::uint32_t number = 0;
  model::DeliveryKey key;
  std::size_t endpoint = 0;  // Its place in the scenario.
  std::vector<Trip> trips;

  std::optional<model::Delivery> on_disk;  // As it was last written.
  std::optional<model::Attempt> last_recorded;
  std::size_t recorded = 0;                  // Attempts on disk …
  int spent = 0;                             // … and those among them that count.
  std::optional<std::size_t> recorded_trip;  // The last one, among the trips.

  // Since when the engine knows what is on disk. Empty if it may not: it was not told.
  std::optional<MonoTime> known_since;
};

}  // namespace petrel::sim
