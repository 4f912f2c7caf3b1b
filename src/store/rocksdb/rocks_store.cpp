#include "store/rocksdb/rocks_store.h"

#include <utility>

#include "store/rocksdb/commit.h"
#include "store/rocksdb/deleted_record_purge.h"
#include "store/rocksdb/due_reader.h"
#include "store/rocksdb/resealing.h"
#include "store/rocksdb/rocks_error.h"

namespace petrel::store {
namespace {

class AcceptWork final : public Work {
 public:
  AcceptWork(std::vector<Acceptance> batch, Store::AcceptDone done)
      : batch_(std::move(batch)), done_(std::move(done)) {}

  void enter(Commit& commit) override {
    std::vector<Accepted> answers;
    answers.reserve(batch_.size());
    for (const Acceptance& acceptance : batch_) {
      const Result<Accepted> accepted = commit.accept(acceptance);
      if (accepted.ok()) {
        answers.push_back(*accepted);
      } else if (accepted.error().kind == ErrorKind::Corrupt) {
        answers.push_back({Accepted::Kind::Damaged, acceptance.message.id});  // The others go on.
      } else {
        result_ = accepted.error();
      }
    }
    if (result_.ok()) result_ = std::move(answers);
  }

  void count_in(CommitReport& report) const override { report.messages += batch_.size(); }

  void answer(Sequence sequence) override {
    if (result_.ok()) {
      for (Accepted& accepted : *result_) accepted.sequence = sequence;
    }
    done_(std::move(result_));
  }
  void refuse(const Error& error) override { done_(error); }
  std::size_t items() const override { return batch_.size(); }

  std::size_t bytes() const override {
    std::size_t bytes = 0;
    for (const Acceptance& acceptance : batch_) {
      if (acceptance.payload) bytes += acceptance.payload->size();
      bytes += kRecordBytes * (2 + acceptance.deliveries.size());
    }
    return bytes;
  }

 private:
  static constexpr std::size_t kRecordBytes = 256;  // About what a record takes in memory.

  std::vector<Acceptance> batch_;
  Store::AcceptDone done_;
  Result<std::vector<Accepted>> result_ = std::vector<Accepted>();
};

class SettleWork final : public Work {
 public:
  bool is_bounded_already() const override { return true; }  // By the slots of attempts.

  SettleWork(std::vector<model::Settlement> batch, Store::SettleDone done)
      : batch_(std::move(batch)), done_(std::move(done)) {}

  void enter(Commit& commit) override {
    std::vector<Settled> answers;
    answers.reserve(batch_.size());
    for (const model::Settlement& settlement : batch_) {
      const Result<Settled> settled = commit.settle(settlement);
      if (settled.ok()) {
        answers.push_back(*settled);
      } else {
        result_ = settled.error();
      }
    }
    if (result_.ok()) result_ = std::move(answers);
  }

  void count_in(CommitReport& report) const override { report.settlements += batch_.size(); }
  void answer(Sequence) override { done_(std::move(result_)); }
  void refuse(const Error& error) override { done_(error); }
  std::size_t items() const override { return batch_.size(); }

  std::size_t bytes() const override {
    std::size_t bytes = batch_.size() * sizeof(model::Settlement);
    for (const model::Settlement& settlement : batch_) {
      if (settlement.attempt) bytes += settlement.attempt->response.size();
    }
    return bytes;
  }

 private:
  std::vector<model::Settlement> batch_;
  Store::SettleDone done_;
  Result<std::vector<Settled>> result_ = std::vector<Settled>();
};

class ChangeWork final : public Work {
 public:
  ChangeWork(ChangeSet set, ChangeDone done) : set_(std::move(set)), done_(std::move(done)) {}

  void enter(Commit& commit) override { result_ = commit.change(set_); }
  void count_in(CommitReport& report) const override { report.changes += items(); }
  void answer(Sequence) override { done_(std::move(result_)); }
  void refuse(const Error& error) override { done_(error); }
  std::size_t items() const override { return set_.changes.size() + set_.settlements.size(); }

  std::size_t bytes() const override {
    return items() * kThingBytes + (set_.answer ? set_.answer->body.size() : 0);
  }

 private:
  static constexpr std::size_t kThingBytes = 4096;  // About what a record takes in memory.

  ChangeSet set_;
  ChangeDone done_;
  Status result_ = Done{};
};

class PurgeWork final : public Work {
 public:
  PurgeWork(PurgeBatch batch, Store::PurgeDone done)
      : batch_(std::move(batch)), done_(std::move(done)) {}

  void enter(Commit& commit) override { result_ = commit.purge(batch_); }
  void answer(Sequence) override { done_(std::move(result_)); }
  void refuse(const Error& error) override { done_(error); }
  std::size_t items() const override { return 1 + batch_.looks.size(); }
  std::size_t bytes() const override { return items() * kLookBytes + records() * kRecordBytes; }

 private:
  // About what one takes in memory.
  static constexpr std::size_t kLookBytes = 1024;
  static constexpr std::size_t kRecordBytes = 100;

  std::size_t records() const {
    std::size_t count = 0;
    for (const PurgeLook& look : batch_.looks) {
      count += look.deliveries.size() + look.attempts.size();
    }
    return count;
  }

  PurgeBatch batch_;
  Store::PurgeDone done_;
  Result<Purged> result_ = Purged();
};

// Writes nothing that anybody reads: that it can be written is what matters.
class ProofWork final : public Work {
 public:
  explicit ProofWork(Function<void(Status)> done) : done_(std::move(done)) {}

  void enter(Commit& commit) override { commit.put_proof(); }
  void answer(Sequence) override { done_(Done{}); }
  void refuse(const Error& error) override { done_(error); }
  std::size_t items() const override { return 1; }
  std::size_t bytes() const override { return 1; }

 private:
  Function<void(Status)> done_;
};

// A write that is no older proves as much as another one would.
constexpr Duration kProofAge = std::chrono::seconds(1);

Error too_many_loads() {
  return unavailable("the store has more to read than it can keep waiting");
}

}  // namespace

Result<std::unique_ptr<RocksStore>> RocksStore::open(const RocksSettings& settings,
                                                     const Clock& clock) {
  if (settings.retention < std::chrono::hours(1)) {
    return invalid("retention", "must be an hour at least");
  }
  CHECK(settings.vault);  // Ours: whoever builds a server makes one.
  RocksSettings noting = settings;
  noting.board = std::make_shared<ConditionBoard>(clock, settings.listeners);
  Result<std::unique_ptr<Database>> database = Database::open(noting, clock);
  if (!database.ok()) return database.error();
  if (!settings.keeps_everything) {
    if (const Status sealed = reseal(**database); !sealed.ok()) return sealed.error();
    const Status forgotten = forget_deleted(**database, clock.wall(), settings.retention);
    if (!forgotten.ok()) return forgotten.error();
  }
  std::unique_ptr<RocksStore> store(new RocksStore(noting, clock));
  if (Status counted = store->begin(*std::move(database)); !counted.ok()) return counted.error();
  return store;
}

RocksStore::RocksStore(const RocksSettings& settings, const Clock& clock)
    : clock_(clock),
      board_(settings.board),
      accepts_loss_(settings.accepts_loss),
      committer_({.slot = slot_, .tallies = tallies_, .totals = totals_, .clock = clock}, settings),
      readers_({"store-reader", settings.reader_threads, settings.loads_max}),
      purger_({.name = "store-purge", .threads = 1, .waiting_max = 1}) {}

// Nothing is committed before the database is there.
Status RocksStore::begin(std::unique_ptr<Database> database) {
  if (Status counted = totals_.load(*database); !counted.ok()) return counted;
  slot_.put(std::move(database));
  return Done{};
}

RocksStore::~RocksStore() { close(); }

void RocksStore::close() {
  purger_.finish();  // What it found is written like all that waits.
  committer_.stop();
  readers_.finish();
  slot_.close();
}

Result<std::shared_ptr<Database>> RocksStore::share() const {
  std::shared_ptr<Database> database = slot_.share();
  if (!database) return unavailable("the store is not open");
  return database;
}

void RocksStore::accept(std::vector<Acceptance> batch, AcceptDone done) {
  committer_.submit(std::make_unique<AcceptWork>(std::move(batch), std::move(done)));
}

void RocksStore::settle(std::vector<model::Settlement> batch, SettleDone done) {
  committer_.submit(std::make_unique<SettleWork>(std::move(batch), std::move(done)));
}

void RocksStore::change(ChangeSet set, ChangeDone done) {
  committer_.submit(std::make_unique<ChangeWork>(std::move(set), std::move(done)));
}

Result<Purged> RocksStore::with_kept(Result<Purged> purged) {
  if (!purged.ok() || purged->next) return purged;
  const Result<KeptSizes> sizes = kept({});
  if (sizes.ok()) purged->kept = *sizes;
  return purged;
}

void RocksStore::purge(PurgeOrder order, PurgeDone done) {
  const auto answer = std::make_shared<PurgeDone>(std::move(done));
  const bool is_taken = purger_.run([this, order = std::move(order), answer] {
    Result<PurgeBatch> found =
        ask([&](Database& database) { return read_purge(database, order, clock_.wall()); });
    if (!found.ok()) return (*answer)(found.error());
    if (found->is_empty()) return (*answer)(with_kept(Purged{.next = found->next}));
    committer_.submit(std::make_unique<PurgeWork>(
        *std::move(found),
        [this, answer](Result<Purged> purged) { (*answer)(with_kept(std::move(purged))); }));
  });
  if (!is_taken) (*answer)(unavailable("a purge is under way"));
}

void RocksStore::prove(Function<void(StoreCondition)> done) {
  if (board_->has_written_within(kProofAge)) return done(condition());
  {
    const std::lock_guard lock(proof_mutex_);
    proof_waiting_.push_back(std::move(done));
    if (proof_waiting_.size() > 1) return;
  }
  committer_.submit(std::make_unique<ProofWork>([this](const Status& written) {
    std::unique_lock lock(proof_mutex_);
    const auto waiting = std::exchange(proof_waiting_, {});
    lock.unlock();
    StoreCondition found = condition();
    if (!written.ok()) {
      // Also if only this write was refused, as by a queue that is full.
      found.takes_writes = false;
      found.why_not = written.error().detail;
    }
    for (const auto& each : waiting) each(found);
  }));
}

void RocksStore::load_due(DueQuery query, Function<void(Result<DuePage>)> done) {
  const auto answer = std::make_shared<Function<void(Result<DuePage>)>>(std::move(done));
  const bool is_taken = readers_.run([this, query = std::move(query), answer] {
    (*answer)(ask([&](Database& database) { return read_due(database, query); }));
  });
  if (!is_taken) (*answer)(too_many_loads());
}

void RocksStore::load_payloads(std::vector<MessageId> messages, PayloadKeeper& keeper,
                               PayloadsDone done) {
  const auto answer = std::make_shared<PayloadsDone>(std::move(done));
  const bool is_taken = readers_.run([this, messages = std::move(messages), &keeper, answer] {
    (*answer)(ask([&](Database& database) {
      return read_payloads(database, messages, clock_.wall(), keeper);
    }));
  });
  if (!is_taken) (*answer)(too_many_loads());
}

Result<std::vector<EndpointId>> RocksStore::endpoints_with_live() {
  return ask([](Database& database) { return read_endpoints_with_live(database); });
}

}  // namespace petrel::store
