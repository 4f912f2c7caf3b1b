// ChangeEffects is what a change set means for the running node, once it is on disk: the catalogue
// shows it, lanes run by it, tasks wake, operators get their notices. It follows from the set
// alone, so every change takes this road, whoever made it.
//
// Thread: confined to the control loop.

#pragma once

#include <memory>
#include <set>

#include "base/alarms.h"
#include "base/blocking_pool.h"
#include "base/clock.h"
#include "base/function.h"
#include "base/loop.h"
#include "engine/payload_shelf.h"
#include "log/log.h"
#include "node/acknowledgement.h"
#include "node/authority_limits.h"
#include "node/lane_mail.h"
#include "node/revoked_tokens.h"
#include "node/shared_rates.h"
#include "node/task_waker.h"
#include "notice/notice.h"
#include "store/browse.h"
#include "store/catalogue.h"
#include "store/change.h"

namespace petrel::node {

enum class Author : std::uint8_t {
  Person,
  Server,
  Task,  // A task's own step: it need not be woken for what it wrote itself.
};

struct ChangeWritten {
  store::ChangeSet set;
  Author by = Author::Person;
};

class ChangeEffects {
 public:
  struct Parts {
    Loop& control;
    const Clock& clock;
    BlockingPool& pool;
    store::Browse& browse;
    store::Catalogue& catalogue;
    RevokedTokens& revoked;
    SharedRates& rates;
    engine::PayloadShelf& payloads;
    AuthorityLimits& limits;
    LaneMail& lanes;
    TaskWaker& tasks;
    log::Log& log;
  };

  // Between two tries to read what is on disk.
  static constexpr Duration kReadAgain = std::chrono::seconds(1);

  explicit ChangeEffects(const Parts& parts) : parts_(parts), alarms_(parts.control) {}
  ChangeEffects(const ChangeEffects&) = delete;
  ChangeEffects& operator=(const ChangeEffects&) = delete;

  // It is on disk. `done` comes when the lanes run by it.
  void committed(const ChangeWritten& change, Function<void()> done);

  // It may be on disk, or a part of it an older commit's: what it names is read until that can be
  // read, and shown as it is. `done` comes then.
  void unsure(const ChangeWritten& change, Function<void()> done);

 private:
  struct Found;
  class Show;

  void show(const Found& found, const ChangeWritten& change);
  void read_again(std::shared_ptr<const ChangeWritten> change,
                  std::shared_ptr<Function<void()>> done);
  void look_again(const ChangeWritten& change);

  const Parts parts_;
  Alarms alarms_;
};

}  // namespace petrel::node
