// Ledger is what a test knows about a store: what it was told is on disk, and what it was not told.
// It drives a random workload through the store and afterwards checks the store against itself.
//
// Everything that was answered must be there exactly. What was not answered is there whole or not
// at all. And the indexes must agree with the records: due has exactly the live deliveries, the
// dead letters exactly the dead ones.
//
// Thread: confined. Answers arrive on the store's threads and are handed over.

#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "harness.h"
#include "store/rocksdb/rocks_store.h"

namespace petrel::store {

class Ledger {
 public:
  explicit Ledger(std::uint64_t seed);

  // Hands over up to `steps` random batches, several at a time. Returns when all are answered; it
  // ends early once one was not written.
  void run(RocksStore& store, int steps);

  // Repeats what was not written until it is; for a store whose disk has become well again. False
  // if it is not within `patience`.
  bool settle_doubts(RocksStore& store, Duration patience);

  // What is wrong with the store, in words. Doubts are settled by what the store has.
  std::vector<std::string> check(RocksStore& store);

  std::size_t messages() const { return acceptances_.size(); }
  Random& random() { return random_; }

 private:
  struct Standing {
    model::Delivery delivery;                  // What is certain.
    std::optional<model::Settlement> pending;  // What was asked and not answered yet.
    std::vector<model::Attempt> attempts;      // Those that are certain.
  };
  struct Known {
    Acceptance acceptance;
    bool is_certain = false;
    bool is_gone = false;  // It was not written.
  };
  struct Batch {
    std::vector<MessageId> messages;
    std::vector<model::DeliveryKey> deliveries;
  };
  class Inbox;

  std::optional<Batch> send_accept(RocksStore& store, Inbox& inbox);
  std::optional<Batch> send_settle(RocksStore& store, Inbox& inbox);
  model::Settlement draw(const model::Delivery& before);
  void confirm(const Batch& batch);
  void confirm(Standing& standing);

  void check_message(RocksStore& store, Known& known);
  void check_delivery(RocksStore& store, Standing& standing, bool is_there);
  void check_attempts(RocksStore& store, const Known& known);
  void check_indexes(RocksStore& store);
  void check_tally(RocksStore& store, EndpointId endpoint);
  void check_totals(RocksStore& store);
  void fault(const std::string& what) { faults_.push_back(what); }

  Random random_;
  Maker make_;
  ApplicationId application_;
  std::vector<EndpointId> endpoints_;
  std::map<MessageId, Known> acceptances_;
  std::map<model::DeliveryKey, Standing> deliveries_;  // Of what is certain.
  std::vector<std::string> faults_;
};

}  // namespace petrel::store
