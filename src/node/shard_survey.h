// ShardSurvey looks at the lanes of a shard for the metrics, and says on a board what it found.
//
// It costs little, however many lanes there are: it looks at a bounded number of them at a time,
// and not at all while nothing happens on the shard. So what it says is a second old on a server
// with some thousand endpoints that are busy, and a few seconds on one with a hundred thousand.
//
// Thread: confined to the shard's loop.

#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/id.h"
#include "base/loop.h"
#include "engine/core.h"
#include "node/shard_figures.h"

namespace petrel::node {

class ShardSurvey {
 public:
  static constexpr Duration kEvery = std::chrono::seconds(1);

  // Between two looks of one survey.
  static constexpr Duration kPause = std::chrono::milliseconds(50);
  static constexpr std::size_t kLanesAtOnce = 1000;

  using LanesOf = std::map<ApplicationId, std::set<EndpointId>>;

  // All of them outlive it.
  struct Parts {
    Loop& loop;
    const Clock& clock;
    const engine::Core& core;
    const LanesOf& lanes;  // Those that there are.
    FigureBoard& board;
    std::size_t shard;
    std::size_t failing_max;  // Of how many lanes it says how they fail.
  };

  explicit ShardSurvey(const Parts& parts);
  ShardSurvey(const ShardSurvey&) = delete;
  ShardSurvey& operator=(const ShardSurvey&) = delete;

  // Something has happened on the shard: within kEvery a survey begins.
  void touch();

 private:
  using Place = std::pair<ApplicationId, EndpointId>;

  void look();
  void finish();
  void set_timer(Duration in);
  std::optional<Place> next() const;
  void look_at(EndpointId endpoint);

  const Parts parts_;
  bool is_touched_ = false;  // Since the survey that is under way began.
  bool is_timer_set_ = false;
  std::optional<Place> at_;  // The lane that was looked at last. Empty: a survey begins.
  ShardFigures found_;
  std::unique_ptr<LoopTimer> timer_;
};

}  // namespace petrel::node
