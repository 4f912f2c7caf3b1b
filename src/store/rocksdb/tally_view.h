// TallyView is the tallies that have changed since the journal was last folded (tally_journal.h),
// as the last commit left them: what stands in their places on disk is older.
//
// Thread: safe.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "store/rocksdb/database.h"
#include "store/rocksdb/tally_key.h"

namespace petrel::store {

class TallyView {
 public:
  // Called once the commit that changed them is on disk, before anybody is told of it.
  void publish(const TallyEntries& changed);

  // Called once everything is in its place on disk.
  void clear();

  // How many there are.
  std::size_t size() const;

  std::optional<TallyCounts> find(const TallyKey& key) const;

  // What has changed of an endpoint, and the store at that moment: they belong together.
  struct Sight {
    std::unique_ptr<Snapshot> snapshot;
    TallyEntries changed;
  };
  Sight see(Database& database, EndpointId endpoint) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<EndpointId, TallyEntries> entries_;
  std::size_t size_ = 0;
};

}  // namespace petrel::store
