// TallyTotals is what the tallies of all endpoints come to, and which endpoints have the most live
// deliveries. It is kept in memory and follows each commit, so asking costs no disk.
//
// What it keeps for an endpoint is a few bytes, and only while that one has live deliveries.
//
// Thread: safe.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/tally_key.h"
#include "store/tally.h"

namespace petrel::store {

// What a commit did to one of the numbers.
struct TallyStep {
  TallyKey key;
  TallyCounts before{};
  TallyCounts after{};
};

class TallyTotals {
 public:
  // Reads what there is: a few keys for each endpoint. What is damaged counts as nothing, as it
  // does for the commits that follow.
  //
  // REQUIRES: everything is in its place on disk, and nobody commits meanwhile.
  Status load(Database& database);

  // Called once the commit that did it is on disk.
  void apply(const std::vector<TallyStep>& steps);

  EndpointTally sum() const;

  // As Browse::deepest().
  std::vector<QueueDepth> deepest(std::size_t most) const;

 private:
  using Live = std::array<std::uint64_t, 2>;  // By TallyPlace.

  // REQUIRES: mutex_ is held.
  void step(const TallyStep& step);

  mutable std::mutex mutex_;
  EndpointTally sum_;
  std::unordered_map<EndpointId, Live> live_;  // Of endpoints that have some.
};

}  // namespace petrel::store
