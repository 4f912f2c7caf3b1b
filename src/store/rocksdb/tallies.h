// Tallies counts what commits do to deliveries. The thread that commits has one: it knows the
// current numbers of the endpoints that it met lately, and a commit takes those that it changed
// along, as they are then.
//
//   load, count   for each thing that enters the commit
//   put_changes   into the commit, as one entry of the journal
//   committed     it is on disk: everybody may see them
//   forget        it failed, and nobody knows: until recover(), nothing may be counted
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <rocksdb/write_batch.h>

#include "base/result.h"
#include "model/attempt.h"
#include "store/encoding.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/tally_key.h"
#include "store/rocksdb/tally_totals.h"
#include "store/rocksdb/tally_view.h"

namespace petrel::store {

class Tallies {
 public:
  // What is remembered from commit to commit; beyond it all is read again.
  static constexpr std::size_t kKeptMax = 65'536;

  // The journal is folded after so many commits, or so many numbers: the one bounds what has to be
  // read when the store opens, the other how long folding holds up the commit behind it.
  static constexpr std::uint64_t kJournalMax = 512;
  static constexpr std::size_t kUnfoldedMax = 8192;

  // Both outlive it, and are told of what is committed.
  Tallies(TallyView& view, TallyTotals& totals) : view_(view), totals_(totals) {}

  // What happened to a delivery: it is new, or was `before`; and perhaps it was an attempt that did
  // it.
  struct Event {
    model::DeliveryKey delivery;
    std::optional<DeliveryHead> before;
    DeliveryHead after;
    const model::Attempt* attempt = nullptr;
  };

  // Has the numbers at hand that counting it will change.
  Status load(Database& database, const Event& event);

  // REQUIRES: it was loaded in this commit. So what enters a commit together can be loaded whole,
  // before any of it is counted.
  void count(const Event& event);

  // A dead letter that retention drops.
  Status load_dropped(Database& database, const model::DeliveryKey& delivery);
  void count_dropped(const model::DeliveryKey& delivery, const DeliveryHead& before);

  // What is kept of an application becomes more, or less.
  Status load_kept(Database& database, ApplicationId application);
  void count_kept(ApplicationId application, const KeptSizes& sizes, int sign);

  void put_changes(Database& database, rocksdb::WriteBatch& batch);
  void committed(Database& database);
  void forget();
  Status recover(Database& database);

  // What has changed, to be put elsewhere than into the journal. Then it counts as committed.
  TallyEntries take_changes();

 private:
  struct Entry {
    TallyCounts counts{};
    TallyCounts committed{};  // As of the last commit.
    bool is_changed = false;
  };

  Result<const TallyCounts*> fetch(Database& database, const TallyKey& key);
  TallyCounts& change(const TallyKey& key);
  void count_attempt(EndpointId endpoint, const model::Attempt& attempt);

  TallyView& view_;
  TallyTotals& totals_;
  std::unordered_map<TallyKey, Entry, TallyKeyHash> entries_;
  std::vector<TallyKey> changed_;
  TallyEntries in_commit_;        // Put, and not on disk yet.
  std::vector<TallyStep> steps_;  // What that does to the totals.
  std::uint64_t journal_ = 0;     // Entries since it was folded; the next one's number.
};

}  // namespace petrel::store
