#include "api/json/task.h"

#include "api/http/call.h"
#include "base/rfc3339.h"
#include "replay/pace.h"
#include "replay/walk.h"

namespace petrel::api {
namespace {

using model::TaskState;
using model::TaskType;

std::int64_t number(std::uint64_t count) { return static_cast<std::int64_t>(count); }

std::uint64_t left_of(const model::TaskProgress& progress) {
  const std::uint64_t past = progress.done + progress.skipped;
  return progress.total.value_or(past) - std::min(progress.total.value_or(past), past);
}

void write_replay(const model::Task& task, JsonWriter& json) {
  const model::TaskProgress& progress = task.progress;
  json.field("messagesSent", number(progress.done));
  json.field("succeeded", number(progress.succeeded)).field("failed", number(progress.failed));
  const int rate =
      progress.rate_per_minute > 0 ? progress.rate_per_minute : task.pacing.rate_per_minute;
  json.field("ratePerMinute", rate).field("maxRatePerMinute", task.pacing.rate_per_minute_max);
  json.field("ramp", task.pacing.has_ramp);
  json.key("secondsLeft");
  if (progress.total && !task.has_ended()) {
    const Duration time = replay::time_for(task.pacing, rate, left_of(progress));
    json.value(std::chrono::ceil<std::chrono::seconds>(time).count());
  } else {
    json.null();
  }
}

void write_progress(const model::Task& task, JsonWriter& json) {
  const model::TaskProgress& progress = task.progress;
  json.begin_object().key("total");
  if (progress.total) {
    json.value(number(*progress.total));
  } else {
    json.null();
  }
  json.field("done", number(progress.done)).field("skipped", number(progress.skipped));
  if (replay::is_replay(task)) write_replay(task, json);
  json.key("waitsFor");
  if (progress.waits_for.empty()) {
    json.null();
  } else {
    json.value(progress.waits_for);
  }
  if (task.type == TaskType::ExpungeContent) json.field("messagesPurged", number(progress.done));
  if (task.type == TaskType::Discard) json.field("discarded", number(progress.done));
  if (!task.why.empty()) json.field("why", task.why);
  json.end_object();
}

}  // namespace

std::string_view wire_status(const model::Task& task) {
  if (!task.has_ended()) return "running";
  return task.state == TaskState::Finished ? "finished" : "failed";
}

void write_task_fields(const model::Task& task, JsonWriter& json) {
  json.field("id", task.id.text()).field("status", wire_status(task));
  json.field("task", to_string(task.type)).field("updatedAt", to_rfc3339(task.updated_at));
  json.field("state", to_string(task.state)).field("kind", word_for(task.type));
  json.key("appId");
  if (task.application == ApplicationId()) {
    json.null();
  } else {
    json.value(task.application.text());
  }
  json.key("endpointId");
  if (task.selection.endpoint) {
    json.value(task.selection.endpoint->text());
  } else {
    json.null();
  }
  json.field("createdAt", to_rfc3339(task.created_at)).key("data");
  if (task.data.empty()) {
    write_progress(task, json);
  } else {
    json.raw(task.data);
  }
}

void write_task(const model::Task& task, JsonWriter& json) {
  json.begin_object();
  write_task_fields(task, json);
  json.end_object();
}

net::HttpResponse shown_task(int status, const model::Task& task) {
  return json_body(status, [&](JsonWriter& json) { write_task(task, json); });
}

}  // namespace petrel::api
