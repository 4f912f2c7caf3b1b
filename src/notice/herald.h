// Herald makes notices of what happened, and hands each to the intake as a message for the
// operational endpoints of the organisation: from there on it is kept, signed and tried again like
// any other.
//
//   settled ─▶ news ─▶ wanted? ─▶ waits ─▶ read what is missing ─▶ Intake
//   changed ─▶ types ─▶ wanted? ─────────────────────────────────▶ Intake
//
// Where no operational endpoint wants the type, nothing is made and nothing is read. What happens
// to the operational endpoints themselves is not told: that would go round in circles.
//
// A notice is made after what it tells of is on disk, and lives in memory until the intake has
// written it. It is lost with the process, if too many wait, or if the intake refuses it; then it
// is counted as lost. Nothing waits for it.
//
// Thread: confined to one loop's thread. It must outlive the loop's last turn and whatever it has
// run elsewhere.

#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/blocking_pool.h"
#include "base/function.h"
#include "base/id.h"
#include "base/loop.h"
#include "base/result.h"
#include "intake/intake.h"
#include "metric/metrics.h"
#include "model/settlement.h"
#include "model/task.h"
#include "notice/notice.h"
#include "store/browse.h"
#include "store/catalogue.h"

namespace petrel::notice {

class Herald {
 public:
  struct Parts {
    const store::Catalogue& catalogue;
    store::Browse& browse;
    intake::Intake& intake;  // This loop's.
    metric::Metrics& metrics;
    Loop& loop;
    BlockingPool& pool;
  };

  // News of deliveries that wait for what has to be read. Beyond it they are lost: when everything
  // fails at once, memory is for the deliveries themselves.
  static constexpr std::size_t kWaitingMax = 10'000;

  // Read in one go, so that people's reads get their turn in between.
  static constexpr std::size_t kBatch = 64;

  explicit Herald(const Parts& parts) : parts_(parts) {}
  Herald(const Herald&) = delete;
  Herald& operator=(const Herald&) = delete;

  void settled(const model::Settlement& settlement);
  void changed(const EndpointChange& change);

  // REQUIRES: it has ended.
  void ended(const model::Task& task);

  // Calls `done` once nothing is under way any more.
  void when_idle(Function<void()> done);

  // Hands nothing to the intake any more: what waits, and what comes, is lost.
  void stop() { is_stopped_ = true; }

 private:
  using Batch = std::vector<AttemptNews>;

  bool is_wanted(OrganisationId organisation, NoticeType type) const;

  // Makes a notice if an endpoint of the organisation wants one of this type.
  void tell(OrganisationId organisation, NoticeType type, const std::function<std::string()>& text);
  void read_next();
  void read_ended();
  void tell(const AttemptNews& news);
  void check_idle();

  Parts parts_;
  std::deque<AttemptNews> waiting_;
  std::size_t under_way_ = 0;  // Batches that are read, and notices that the intake has.
  bool is_reading_ = false;
  bool is_stopped_ = false;
  Function<void()> on_idle_;
};

}  // namespace petrel::notice
