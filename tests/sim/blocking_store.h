// BlockingStore waits for the answers of a RocksStore, so that a world of one thread and without
// time can live on it. A verb is answered before it returns.
//
// Thread: confined. The store under it has threads of its own, and a clock that they may read.

#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "sim/forwarding_browse.h"
#include "store/rocksdb/rocks_store.h"
#include "store/store.h"

namespace petrel::sim {

// The clock of the world as it was when the store was last asked for something.
class SharedClock final : public Clock {
 public:
  explicit SharedClock(const Clock& world) : world_(world) { look(); }

  void look() {
    wall_ = world_.wall();
    mono_ = world_.mono();
  }

  WallTime wall() const override { return wall_; }
  MonoTime mono() const override { return mono_; }

 private:
  const Clock& world_;
  std::atomic<WallTime> wall_;
  std::atomic<MonoTime> mono_;
};

class BlockingStore final : public store::Store, public ForwardingBrowse {
 public:
  // REQUIRES: what was in use before is gone only after this.
  void use(store::RocksStore& inner) {
    inner_ = &inner;
    read_from(inner);
  }

  BlockingStore(store::RocksStore& inner, SharedClock& clock)
      : ForwardingBrowse(inner), inner_(&inner), clock_(clock) {}

  void accept(std::vector<store::Acceptance> batch, AcceptDone done) override;
  void settle(std::vector<model::Settlement> batch, SettleDone done) override;
  void load_due(store::DueQuery query, Function<void(Result<store::DuePage>)> done) override;
  void load_payloads(std::vector<MessageId> messages, store::PayloadKeeper& keeper,
                     PayloadsDone done) override;
  Result<std::vector<EndpointId>> endpoints_with_live() override;
  void change(store::ChangeSet set, store::ChangeDone done) override;
  void purge(store::PurgeOrder order, PurgeDone done) override;

 private:
  bool may_read() override {
    clock_.look();
    return true;
  }

  // What `call` hands to its callback. Ends the program if that takes so long that it never will.
  template <typename Answer, typename Call>
  Answer wait_for(Call call);

  store::RocksStore* inner_;
  SharedClock& clock_;
};

}  // namespace petrel::sim
