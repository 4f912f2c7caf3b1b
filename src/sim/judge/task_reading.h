// TaskReading is what a replay task is about and how fast it may go, as the judge reads it from the
// JSON that a person sent (docs/api.md, "Replay" and "Dead letters").
//
//   {"type": "replay", "endpointId": "ep_…", "reasons": ["exhausted"], "ratePerMinute": 300}
//
// `type` is the operation's name: replay, recover, replay-missing, bulk-replay, discard.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "sim/judge/evidence.h"
#include "sim/judge/scene.h"

namespace petrel::sim::judge {

struct TaskReading {
  enum class Kind : std::uint8_t { DeadLetters, Missing, Bulk, Discard, Other };

  Kind kind = Kind::Other;
  ApplicationId application = {};
  std::optional<EndpointId> endpoint = std::nullopt;  // Empty: every one of the application.
  std::vector<std::string> event_types = {};          // Empty: any, as with those that follow.
  std::vector<std::string> reasons = {};
  std::optional<bool> is_delivered = std::nullopt;
  WallTime since = WallTime::min();
  WallTime until = WallTime::max();
  bool is_narrower = false;  // By a field that the judge does not follow.

  int rate = 0;  // Per minute, where it begins …
  int ceiling = 0;
  bool has_ramp = true;

  bool puts_back() const { return kind != Kind::Discard && kind != Kind::Other; }

  // Whether it is about this delivery as it stands (null: there is none), with `margin` on both
  // sides of its time range: negative where it has to be for sure.
  bool is_about(const Scene& scene, const DeliveryName& name, const Track* track,
                Duration margin) const;
};

TaskReading read_task(const Asked& asked);

}  // namespace petrel::sim::judge
