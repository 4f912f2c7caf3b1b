// Quarantine keeps a bug of ours that crashes the process over one delivery from doing so again
// and again: what was in flight at crashes goes alone, or is held; see suspicion.h.
//
//   recall()   a starting node reads what is known, and what the last process had in flight when
//              it crashed
//   begin()    what was decided goes to disk; until it is there, what it is about is not sent
//   cleared()  an attempt of it has ended
//   release()  a person lets a held one go
//
// Thread: recall() before the rest, on any; then as each says.

#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/alarms.h"
#include "base/blocking_pool.h"
#include "base/clock.h"
#include "base/function.h"
#include "base/loop.h"
#include "base/result.h"
#include "engine/in_flight_note.h"
#include "engine/suspect_list.h"
#include "log/log.h"
#include "metric/metrics.h"
#include "model/suspect.h"
#include "node/changes.h"
#include "node/lane_mail.h"
#include "node/suspicion.h"
#include "store/browse.h"
#include "store/catalogue.h"

namespace petrel::node {

class Quarantine {
 public:
  struct Parts {
    Loop& control;
    const Clock& clock;
    BlockingPool& pool;
    store::Browse& browse;
    const store::Catalogue& catalogue;
    engine::InFlightNote& note;
    engine::SuspectList& list;
    LaneMail& lanes;
    Changes& changes;
    metric::Metrics& metrics;
    log::Log& log;
    std::string version;  // Of this server.
  };

  struct Counts {
    std::size_t suspected = 0;  // Not held.
    std::size_t held = 0;
  };

  static constexpr Duration kWriteAgain = std::chrono::seconds(1);

  explicit Quarantine(Parts parts) : parts_(std::move(parts)), alarms_(parts_.control) {}
  Quarantine(const Quarantine&) = delete;
  Quarantine& operator=(const Quarantine&) = delete;

  // REQUIRES: the catalogue is there.
  Status recall();

  // On the control loop.
  void begin() { write_next(); }

  // Thread: any. It is told to the store when it gets to it; a restart before does no harm.
  void cleared(const model::DeliveryKey& delivery);

  // Thread: any; answers on the control loop. NotFound if it is not held.
  void release(const model::DeliveryKey& delivery, Function<void(Status)> done);

  // Thread: any.
  Counts counts() const { return {suspected_, held_}; }

  // What an operator has to know of a start after a crash: a line for each suspect, which says what
  // he can do. As recall() left it.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  // What is known of one delivery, and its delivery's new record if that has to be written too.
  struct Decided {
    model::DeliveryKey delivery;
    SuspectVerdict verdict;
  };

  Result<SuspectFacts> facts_of(const model::DeliveryKey& delivery,
                                std::optional<model::Suspect> known);
  Starting starting(EndpointId endpoint) const;
  void decide(const model::DeliveryKey& delivery, const SuspectFacts& facts);
  void write_next();
  void written(const std::vector<Decided>& batch);
  void go_by(const model::DeliveryKey& delivery, const std::optional<model::Suspect>& suspect);
  void count();

  struct Releasing;
  void release(const std::shared_ptr<Releasing>& releasing);

  const Parts parts_;
  Alarms alarms_;
  std::map<model::DeliveryKey, model::Suspect> known_;  // On the control loop, once begun.
  std::vector<Decided> unwritten_;                      // Likewise.
  std::atomic<std::size_t> suspected_ = 0;
  std::atomic<std::size_t> held_ = 0;
  std::vector<std::string> remarks_;
};

}  // namespace petrel::node
