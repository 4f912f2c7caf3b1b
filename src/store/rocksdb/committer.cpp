#include "store/rocksdb/committer.h"

#include <chrono>
#include <utility>

#include <pthread.h>

#include "store/rocksdb/commit.h"
#include "store/rocksdb/disk_probe.h"
#include "store/rocksdb/rocks_error.h"

namespace petrel::store {
namespace {

// How long the thread waits for work when nothing is wrong: for ever, as far as anybody can tell.
constexpr Duration kNoHurry = std::chrono::hours(24);

// What an operator accepted at the start does not hold for what goes wrong later.
RocksSettings without_loss(RocksSettings settings) {
  settings.accepts_loss = false;
  return settings;
}

}  // namespace

Committer::Committer(const Parts& parts, const RocksSettings& settings)
    : slot_(parts.slot),
      settings_(without_loss(settings)),
      clock_(parts.clock),
      queue_(settings.queue_items_max, settings.queue_bytes_max),
      tallies_(parts.tallies, parts.totals),
      thread_([this] { run(); }) {}

Committer::~Committer() { stop(); }

void Committer::submit(std::unique_ptr<Work> work) {
  const Status status = queue_.push(work);
  if (!status.ok()) work->refuse(status.error());
}

void Committer::stop() {
  queue_.close();
  if (thread_.joinable()) thread_.join();
}

void Committer::run() {
  pthread_setname_np(pthread_self(), "store");
  while (!queue_.is_over()) {
    commit(queue_.take(fault_ ? settings_.retry_pause : kNoHurry));
  }
}

void Committer::commit(Works works) {
  Proof proof = Proof::None;
  if (fault_ && clock_.mono() >= retry_at_) {
    const Status status = revive();
    if (status.ok()) {
      fault_.reset();
      proof = Proof::Wanted;  // Nobody else may write for long.
      if (settings_.on_revived) settings_.on_revived();
    } else {
      break_down(status.error());
    }
  }
  Sequence sequence = 0;
  if (!fault_) {
    const Result<Sequence> written = write(works, proof);
    if (written.ok()) {
      sequence = *written;
    } else {
      if (written.error().kind == ErrorKind::Corrupt) settings_.is_compacting = false;
      break_down(unavailable(written.error().detail));
    }
  }
  for (const std::unique_ptr<Work>& work : works) {
    if (fault_) {
      work->refuse(*fault_);
    } else {
      work->answer(sequence);
    }
  }
}

void Committer::break_down(const Error& error) {
  fault_ = error;
  retry_at_ = clock_.mono() + settings_.retry_pause;
  settings_.board->refuses_writes(error.detail);
}

Result<Sequence> Committer::write(Works& works, Proof proof) {
  if (works.empty() && proof == Proof::None) return Sequence{0};
  const std::shared_ptr<Database> database = slot_.share();
  if (!database) return unavailable("the store is closed");
  const MonoTime began = clock_.mono();
  Commit commit(*database, tallies_, clock_.wall());
  for (const std::unique_ptr<Work>& work : works) work->enter(commit);
  if (proof == Proof::Wanted) commit.put_proof();
  const Result<bool> written = commit.write();
  if (!written.ok()) {
    tallies_.forget();
    return written.error();
  }
  // Nobody else writes: the latest one is ours.
  const Sequence sequence = database->db().GetLatestSequenceNumber();
  tallies_.committed(*database);
  if (*written) {
    settings_.board->wrote();
    report(works, clock_.mono() - began);
  }
  return sequence;
}

void Committer::report(const Works& works, Duration duration) const {
  if (!settings_.on_commit) return;
  CommitReport report{.duration = duration};
  for (const std::unique_ptr<Work>& work : works) work->count_in(report);
  settings_.on_commit(report);
}

Status Committer::revive() {
  if (const std::shared_ptr<Database> database = slot_.share()) {
    if (Status tried = probe_disk(*database, settings_); !tried.ok()) return tried;
  }
  slot_.close();
  Result<std::unique_ptr<Database>> opened = Database::open(settings_, clock_);
  if (!opened.ok()) return unavailable(without_folders(opened.error().detail));
  const Status recovered = tallies_.recover(**opened);
  slot_.put(*std::move(opened));
  return recovered;
}

}  // namespace petrel::store
