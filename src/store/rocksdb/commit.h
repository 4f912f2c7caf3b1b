// Commit gathers what goes to disk at once: it turns acceptances, settlements and changes into one
// batch of puts, checks each against what is stored and against what the batch already holds, and
// writes it with one sync.
//
//   Commit commit(database, tallies, now);
//   commit.accept(…);  commit.settle(…);  …
//   commit.write();            all of it is on disk, or none
//
// A thing enters the batch whole or not at all: if something that it needs cannot be read it is
// left out, and the error says so.
//
// Thread: confined.

#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <rocksdb/write_batch.h>

#include "base/result.h"
#include "store/encoding.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/draft.h"
#include "store/rocksdb/purge_reader.h"
#include "store/rocksdb/tallies.h"
#include "store/store.h"

namespace petrel::store {

class Commit {
 public:
  // REQUIRES: after a write that failed, or that never came, the tallies are told to forget.
  Commit(Database& database, Tallies& tallies, WallTime now)
      : database_(database), tallies_(tallies), now_(now) {}

  Result<Accepted> accept(const Acceptance& acceptance);
  Result<Settled> settle(const model::Settlement& settlement);

  Status change(const ChangeSet& set);

  // What was found past its retention, unless it has changed since. Says what of it was dropped.
  Result<Purged> purge(const PurgeBatch& batch);

  // Something small, so that the commit is a write.
  void put_proof();

  // Whether there was anything to write.
  Result<bool> write();

 private:
  Result<Accepted> try_accept(const Acceptance& acceptance);
  Result<Settled> try_settle(const model::Settlement& settlement);
  Status try_change(const ChangeSet& set);

  // Who has this event id now: the batch's word counts before what is stored.
  Result<std::optional<Ksuid>> holder_of(const std::string& event_id);
  Result<std::optional<KnownAnswer>> known_answer(const std::string& key);
  Result<bool> has_message(const model::Message& message);
  Result<std::optional<DeliveryHead>> standing(const model::DeliveryKey& key);

  // A settlement that takes effect, with its numbers at hand: nothing about it can fail any more.
  struct Settling {
    const model::Settlement& settlement;
    DeliveryHead before;
    bool keeps_due_time = false;
  };
  Result<std::optional<Settling>> prepare(const model::Settlement& settlement);
  Result<Settled> without_effect(const model::Settlement& settlement);
  void enter(const Settling& settling);

  bool has_changed(const PurgeLook& look, const Result<bool>& is_stored);
  Status drop(const PurgeLook& look, WallTime now, Purged& purged);
  void drop_attempts(const PurgeLook& look);
  void drop_deliveries(const PurgeLook& look, Purged& purged);
  void drop_payload(const PurgeLook& look);
  void drop_message(const PurgeLook& look);
  void erase(Family family, const rocksdb::Slice& key);

  void put_message(const Acceptance& acceptance);
  void put_delivery(const model::Delivery& delivery);
  void put_attempt(const model::Attempt& attempt);
  void put_lane(EndpointId endpoint, const std::string& lane);
  void put_answer(const std::string& key, KnownAnswer answer);
  void put_event_id(const std::string& event_id, const Ksuid& holder);
  void index(const model::Delivery& delivery);
  void unindex(const model::Delivery& delivery, const DeliveryHead& head);

  void put(Family family, const rocksdb::Slice& key, const rocksdb::Slice& value);
  void remove(Family family, const rocksdb::Slice& key);

  Database& database_;
  Tallies& tallies_;
  WallTime now_;
  rocksdb::WriteBatch batch_;
  rocksdb::PinnableSlice read_;  // Reused by every read.
  std::string value_;            // Reused by every put.

  // What the batch says, for what comes after it in the same batch.
  std::unordered_set<MessageId> messages_;
  std::unordered_map<std::string, KnownAnswer> answers_;
  std::unordered_map<std::string, Ksuid> event_ids_;
  std::unordered_map<model::DeliveryKey, DeliveryHead> deliveries_;
  std::unordered_set<model::DeliveryKey> dropped_;   // By purges.
  std::unordered_set<std::string> freed_event_ids_;  // Likewise.
  Draft::Entries changed_;                           // By change sets and purges.
};

}  // namespace petrel::store
