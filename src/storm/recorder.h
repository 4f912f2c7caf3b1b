// Recorder watches a run from outside, the way the receiver and the messages see it, and sums it
// up.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"
#include "model/settlement.h"
#include "storm/arrivals.h"
#include "storm/scenario.h"
#include "storm/score.h"

namespace petrel::storm {

class Recorder {
 public:
  // REQUIRES: `arrivals` outlives it.
  Recorder(const Scenario& scenario, const std::vector<Arrival>& arrivals);

  // All times are since the start.
  void accepted(std::size_t place);
  void requested(Duration at);
  void crashed(Duration at);
  void paused() { counts_.is_paused = true; }
  void settled(const model::Settlement& settlement, Duration at);

  bool is_all_settled() const { return settled_ == arrivals_.size(); }
  double share_settled() const;

  Score score() const;
  Timeline timeline() const;

 private:
  void count_end(const Arrival& arrival, bool is_delivered, Duration at);

  Duration outage_at_;
  Duration recovery_;
  int messages_;
  const std::vector<Arrival>& arrivals_;

  std::size_t settled_ = 0;
  int backlog_left_ = 0;  // Accepted before the recovery and not settled.
  Duration last_of_backlog_{};
  Score counts_;
  std::vector<Duration> delays_;
  std::vector<Duration> neighbour_delays_;

  std::vector<int> requests_;  // By second.
  std::vector<int> waiting_;   // By second: how much it changed in it.
  std::vector<Duration> crashes_;
};

}  // namespace petrel::storm
