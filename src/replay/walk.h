// A task's walk: what it does to the next few deliveries or messages of one endpoint, read from the
// store and written by the caller. Reading the same place again gives the same answer, but for
// what has changed in the store meanwhile.
//
//   dead letters        by the time of death, then by message
//   everything else     by message
//
// Thread: any that may wait for the disk.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/settlement.h"
#include "model/task.h"
#include "store/browse.h"

namespace petrel::replay {

// So many rows are looked at in one go in search of those that fit: others want to read too.
inline constexpr std::size_t kLookMax = 500;

struct Step {
  std::vector<model::Settlement> settlements;  // Deliveries that are put back, or discarded.
  std::vector<model::Delivery> additions;      // Deliveries that there were none of.
  std::vector<MessageId> expunged;             // Messages whose payloads go.
  std::uint64_t skipped = 0;                   // Nothing to send any more, or damaged.
  model::EndpointCursor cursor;                // How far it has come.
  bool has_more = false;

  std::size_t done() const { return settlements.size() + additions.size() + expunged.size(); }
};

// How many fit, as far as they were counted.
struct Count {
  std::uint64_t matched = 0;
  std::optional<model::EndpointCursor> cursor = {};  // Where it goes on; empty before it has begun.
  bool is_done = false;
};

// What is walked over, and how.
struct Walk {
  store::Browse& browse;
  const model::Task& task;

  // For ReplayMissing: whose filters say which messages it has missed.
  const model::Endpoint* endpoint = nullptr;

  // The next `limit` that fit, with what is to be done to them at `now`.
  Result<Step> next(const model::EndpointCursor& cursor, std::size_t limit, WallTime now) const;

  // Counts the next few rows of a new task, over all of its endpoints. No payload is looked at.
  Result<Count> count_on(Count count, WallTime now) const;

  // The next endpoint behind `after`; empty if there is none.
  Result<std::optional<EndpointId>> next_endpoint(const std::optional<EndpointId>& after) const;
};

// Whether the deliveries that it is about are put back on their lanes.
bool is_replay(const model::Task& task);

// The cursors that a new task begins with.
void begin_legs(model::Task& task);

}  // namespace petrel::replay
