#include "sim/judge/task_reading.h"

#include <algorithm>

#include "base/ksuid.h"
#include "sim/judge/figures.h"
#include "sim/judge/json_field.h"

namespace petrel::sim::judge {
namespace {

using Kind = TaskReading::Kind;

Kind kind_of(const Asked& asked, const std::string& type) {
  if (asked.act == Act::Expunge) return Kind::Expunge;
  if (type == "replay" || type == "recover") return Kind::DeadLetters;
  if (type == "replay-missing") return Kind::Missing;
  if (type == "bulk-replay") return Kind::Bulk;
  return type == "discard" ? Kind::Discard : Kind::Other;
}

bool is_any_or_in(const std::vector<std::string>& wanted, const std::string& word) {
  return wanted.empty() || std::count(wanted.begin(), wanted.end(), word) > 0;
}

int status_class_of(const Track& track) {
  const Request* const last = track.last_recorded;
  const bool is_answer = last != nullptr && last->reply && last->reply->kind == Reply::Answered;
  return is_answer ? last->reply->status / 100 : 0;
}

}  // namespace

TaskReading read_task(const Asked& asked, WallTime now) {
  const JsonValue json = read_json(asked.json);
  TaskReading task;
  task.kind = kind_of(asked, text_field(json, "type").value_or(""));
  task.application = asked.application;
  if (asked.endpoint != EndpointId()) task.endpoint = asked.endpoint;
  if (const auto text = text_field(json, "endpointId")) {
    const Result<EndpointId> id = EndpointId::parse(*text);
    if (id.ok()) task.endpoint = *id;
  }
  task.event_types = words_field(json, "eventTypes");
  task.reasons = words_field(json, "reasons");
  if (const auto status = int_field(json, "status")) task.is_delivered = *status == 0;
  if (const auto status = int_field(json, "statusCodeClass")) task.status_class = *status / 100;
  task.since = time_field(json, "since").value_or(WallTime::min());
  task.until = std::min(now, time_field(json, "until").value_or(now));
  task.is_narrower = field(json, "channel") != nullptr || field(json, "tag") != nullptr;
  task.rate = int_field(json, "ratePerMinute").value_or(figures::kReplayRate);
  task.ceiling = int_field(json, "maxRatePerMinute").value_or(task.rate * figures::kReplayCeiling);
  if (!bool_field(json, "ramp").value_or(true)) task.ceiling = task.rate;
  return task;
}

// To the step of its id.
bool TaskReading::is_then(MessageId message) const {
  const bool is_since = since == WallTime::min() || message.ksuid() >= Ksuid::first_at(since);
  return is_since && message.time() < until;
}

bool TaskReading::has_ended_so(const Track& track) const {
  if (track.is_live() || track.on_disk.state == "discarded") return false;
  const bool was_delivered = track.on_disk.state == "delivered";
  const int last = status_class_of(track);
  return is_delivered.value_or(was_delivered) == was_delivered &&
         status_class.value_or(last) == last;
}

// Whether the endpoint, if it were not disabled, wants a message that it has no delivery of.
bool TaskReading::is_missing(const Scene& scene, const DeliveryName& name, How how) const {
  const Post* const post = scene.post_of(name.message);
  if (post == nullptr) return how == How::Perhaps;
  const auto readings = scene.catalogue().at(name.endpoint, scene.now().mono);
  const auto wants = [&](const Possible* each) {
    Settings settings = each->settings;
    settings.is_disabled = false;
    return settings.wants(post->event_type, post->channels);
  };
  return how == How::Surely ? std::all_of(readings.begin(), readings.end(), wants)
                            : std::any_of(readings.begin(), readings.end(), wants);
}

bool TaskReading::is_about(const Scene& scene, const DeliveryName& name, const Track* track,
                           How how) const {
  if (endpoint.value_or(name.endpoint) != name.endpoint) return false;
  if (scene.owner_of(name.message) != application) return false;
  const Post* const post = scene.post_of(name.message);
  const bool is_type = post == nullptr ? event_types.empty() || how == How::Perhaps
                                       : is_any_or_in(event_types, post->event_type);
  if (!is_type || (is_narrower && how == How::Surely)) return false;
  switch (kind) {
    case Kind::DeadLetters:
    case Kind::Discard:
      return track != nullptr && track->on_disk.state == "dead" &&
             is_any_or_in(reasons, track->on_disk.reason) && is_then(track->on_disk.updated_at);
    case Kind::Bulk:
      return track != nullptr && has_ended_so(*track) && is_then(name.message);
    case Kind::Missing:
      return track == nullptr && is_missing(scene, name, how) && is_then(name.message);
    case Kind::Expunge:
    case Kind::Other:
      break;
  }
  return false;
}

bool TaskReading::is_about(const Scene& scene, MessageId message) const {
  return kind == Kind::Expunge && scene.owner_of(message).value_or(application) == application &&
         is_then(message);
}

}  // namespace petrel::sim::judge
