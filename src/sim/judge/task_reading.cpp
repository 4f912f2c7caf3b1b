#include "sim/judge/task_reading.h"

#include <algorithm>

#include "sim/judge/figures.h"
#include "sim/judge/json_field.h"

namespace petrel::sim::judge {
namespace {

using Kind = TaskReading::Kind;

Kind kind_of(const std::string& type) {
  if (type == "replay" || type == "recover") return Kind::DeadLetters;
  if (type == "replay-missing") return Kind::Missing;
  if (type == "bulk-replay") return Kind::Bulk;
  return type == "discard" ? Kind::Discard : Kind::Other;
}

bool is_any_or_in(const std::vector<std::string>& wanted, const std::string& word) {
  return wanted.empty() || std::count(wanted.begin(), wanted.end(), word) > 0;
}

}  // namespace

TaskReading read_task(const Asked& asked) {
  const JsonValue json = read_json(asked.json);
  TaskReading task;
  task.kind = kind_of(text_field(json, "type").value_or(""));
  task.application = asked.application;
  if (asked.endpoint != EndpointId()) task.endpoint = asked.endpoint;
  if (const auto text = text_field(json, "endpointId")) {
    const Result<EndpointId> id = EndpointId::parse(*text);
    if (id.ok()) task.endpoint = *id;
  }
  task.event_types = words_field(json, "eventTypes");
  task.reasons = words_field(json, "reasons");
  if (const auto status = int_field(json, "status")) task.is_delivered = *status == 0;
  task.since = time_field(json, "since").value_or(WallTime::min());
  task.until = time_field(json, "until").value_or(WallTime::max());
  task.is_narrower = field(json, "channel") != nullptr || field(json, "tag") != nullptr ||
                     field(json, "statusCodeClass") != nullptr;
  task.rate = int_field(json, "ratePerMinute").value_or(figures::kReplayRate);
  task.has_ramp = bool_field(json, "ramp").value_or(true);
  task.ceiling = int_field(json, "maxRatePerMinute").value_or(task.rate * figures::kReplayCeiling);
  if (!task.has_ramp) task.ceiling = task.rate;
  return task;
}

bool TaskReading::is_about(const Scene& scene, const DeliveryName& name, const Track* track,
                           Duration margin) const {
  if (endpoint.value_or(name.endpoint) != name.endpoint) return false;
  const Post* const post = scene.post_of(name.message);
  if (post != nullptr && !is_any_or_in(event_types, post->event_type)) return false;
  const auto is_then = [&](WallTime time) {
    const bool is_since = since == WallTime::min() || time >= since - margin;
    return is_since && (until == WallTime::max() || time < until + margin);
  };
  switch (kind) {
    case Kind::DeadLetters:
    case Kind::Discard:
      return track != nullptr && track->on_disk.state == "dead" &&
             is_any_or_in(reasons, track->on_disk.reason) && is_then(track->written.wall);
    case Kind::Bulk: {
      if (track == nullptr || track->is_live() || track->on_disk.state == "discarded") return false;
      const bool was_delivered = track->on_disk.state == "delivered";
      return is_delivered.value_or(was_delivered) == was_delivered && is_then(track->accepted.wall);
    }
    case Kind::Missing: {
      const auto readings = scene.catalogue().at(name.endpoint, scene.now().mono);
      const bool wants = std::any_of(readings.begin(), readings.end(), [&](const Possible* each) {
        Settings settings = each->settings;
        settings.is_disabled = false;
        return post != nullptr && settings.wants(post->event_type, post->channels);
      });
      return track == nullptr && wants && is_then(post->at.wall);
    }
    case Kind::Other:
      break;
  }
  return false;
}

}  // namespace petrel::sim::judge
