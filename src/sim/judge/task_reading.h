// TaskReading is what a task is about and how fast it may go, as the judge reads it from the JSON
// that a person sent (docs/api.md, "Replay" and "Dead letters").
//
//   {"type": "replay", "endpointId": "ep_…", "reasons": ["exhausted"], "ratePerMinute": 300}
//
// `type` is the operation's name: replay, recover, replay-missing, bulk-replay, discard. That all
// payloads of an application are to be expunged is an act of its own.
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
  enum class Kind : std::uint8_t { DeadLetters, Missing, Bulk, Discard, Expunge, Other };

  Kind kind = Kind::Other;
  ApplicationId application = {};
  std::optional<EndpointId> endpoint = std::nullopt;  // Empty: every one of the application.
  std::vector<std::string> event_types = {};          // Empty: any, as with those that follow.
  std::vector<std::string> reasons = {};
  std::optional<bool> is_delivered = std::nullopt;
  std::optional<int> status_class = std::nullopt;  // 2 for 2xx, of the last answer; 0 for none.
  WallTime since = WallTime::min();  // Of the death for dead letters, else of the message.
  WallTime until = WallTime::max();  // Nothing that comes after it was asked for is included.
  bool is_narrower = false;          // By a field that the judge does not follow.

  int rate = 0;  // Per minute, where it begins …
  int ceiling = 0;

  bool puts_back() const {
    return kind == Kind::DeadLetters || kind == Kind::Missing || kind == Kind::Bulk;
  }

  // Whether it is about this delivery as it stands (null: there is none): for sure, or perhaps.
  // Of a message whose producer was never told of it nobody knows the event type.
  enum class How : std::uint8_t { Surely, Perhaps };
  bool is_about(const Scene& scene, const DeliveryName& name, const Track* track, How how) const;

  // Whether it is about the payload of the message.
  bool is_about(const Scene& scene, MessageId message) const;

 private:
  bool is_then(WallTime time) const { return time >= since && time < until; }
  bool is_then(MessageId message) const;
  bool has_ended_so(const Track& track) const;
  bool is_missing(const Scene& scene, const DeliveryName& name, How how) const;
};

// As it was asked for at `now`. Not a task of a known kind: Other.
TaskReading read_task(const Asked& asked, WallTime now);

}  // namespace petrel::sim::judge
