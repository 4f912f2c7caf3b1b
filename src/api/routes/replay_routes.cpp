// Sending again what was sent before, or was never sent: gradually, as a task.

#include <optional>

#include "api/http/call.h"
#include "api/http/route_table.h"
#include "api/json/fields.h"
#include "api/routes/endpoint_edit.h"
#include "api/routes/routes.h"
#include "api/routes/task_start.h"
#include "base/try.h"

namespace petrel::api {
namespace {

using model::Task;
using model::TaskType;

constexpr Duration kRecoverSpanMax = std::chrono::hours(14 * 24) + std::chrono::minutes(5);

// Reads the body into a task, and begins it or says what it would do.
Status begin(const CallPtr& call, Task task,
             const std::function<Status(const Fields&, Task&)>& read) {
  ASSIGN_OR_RETURN(const JsonValue body, call->json());
  ASSIGN_OR_RETURN(const Fields fields, under("body", Fields::of(body)));
  bool is_dry = false;
  TRY(under("body", first_error({read(fields, task), read_time_range(fields, task),
                                 read_pacing(fields, task.pacing),
                                 take(fields, "dryRun", is_dry, read_bool)})));
  begin_task(call, std::move(task), is_dry);
  return Done{};
}

// Of what the client libraries ask for, one endpoint's and since a moment that has to be said.
Status begin_of_endpoint(const CallPtr& call, TaskType type,
                         const std::function<Status(const Fields&, Task&)>& read) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  Task task = drafted_task(*call, type);
  task.selection.endpoint = endpoint->id;
  return begin(call, std::move(task), [&read](const Fields& fields, Task& drafted) -> Status {
    const JsonValue* since = fields.find("since");
    if (since == nullptr || since->is_null()) return invalid("since", "is missing");
    return read(fields, drafted);
  });
}

Status replay(const CallPtr& call) {
  return begin(
      call, drafted_task(*call, TaskType::Recover), [&call](const Fields& fields, Task& task) {
        return first_error({fields.only({"endpointId", "eventTypes", "reasons", "since", "until",
                                         "ratePerMinute", "maxRatePerMinute", "ramp", "dryRun"}),
                            read_endpoint(*call, fields, task.selection),
                            read_event_types(fields, task.selection),
                            read_reasons(fields, task.selection)});
      });
}

Status recover(const CallPtr& call) {
  return begin_of_endpoint(call, TaskType::Recover, [](const Fields& fields, Task& task) -> Status {
    TRY(read_time_range(fields, task));
    if (task.selection.until - task.selection.since > kRecoverSpanMax) {
      return invalid("since", "must be at most 14 days before until");
    }
    return Done{};
  });
}

Status replay_missing(const CallPtr& call) {
  return begin_of_endpoint(call, TaskType::ReplayMissing,
                           [](const Fields&, Task&) { return Status(Done{}); });
}

// What is on its way is not sent again, so only what has ended can be asked for.
Result<std::optional<bool>> read_message_status(const JsonValue& value) {
  const auto* status = value.as_integer();
  if (status == nullptr || (*status != 0 && *status != 2)) {
    return invalid("", "must be 0 (success) or 2 (fail)");
  }
  return std::optional(*status == 0);
}

Result<std::optional<int>> read_status_class(const JsonValue& value) {
  const auto* status = value.as_integer();
  if (status == nullptr || *status % 100 != 0 || *status < 0 || *status > 500) {
    return invalid("", "must be 0, 100, 200, 300, 400 or 500");
  }
  return std::optional(static_cast<int>(*status / 100));
}

Status bulk_replay(const CallPtr& call) {
  return begin_of_endpoint(call, TaskType::BulkReplay, [](const Fields& fields, Task& task) {
    model::Selection& selection = task.selection;
    const TextReading text{.bytes_min = 1, .bytes_max = 256};
    return first_error(
        {read_event_types(fields, selection),
         take_or_clear(fields, "channel", selection.channel, text),
         take_or_clear(fields, "tag", selection.tag, text),
         take_or_clear(fields, "status", selection.is_delivered, read_message_status),
         take_or_clear(fields, "statusCodeClass", selection.status_class, read_status_class)});
  });
}

}  // namespace

std::vector<Route> replay_routes() {
  using enum Capability;
  RouteTable table("Endpoint");
  table.add("POST", "/api/v1/app/{app_id}/replay", {CreateAttempts, replay},
            {"v1.application.replay", "Send dead letters again, gradually", "Dead letter"},
            {.request = "ReplayDeadIn", .status = 202, .response = "BackgroundTaskOut"});
  table.add("POST", "/api/v1/app/{app_id}/endpoint/{endpoint_id}/recover",
            {CreateAttempts, recover},
            {"v1.endpoint.recover", "Send again what died at an endpoint in a window of time"},
            {.request = "ReplayIn", .status = 202, .response = "BackgroundTaskOut"});
  table.add(
      "POST", "/api/v1/app/{app_id}/endpoint/{endpoint_id}/replay-missing",
      {CreateAttempts, replay_missing},
      {"v1.endpoint.replay-missing", "Send an endpoint the messages that it has never been sent"},
      {.request = "ReplayIn", .status = 202, .response = "BackgroundTaskOut"});
  table.add("POST", "/api/v1/app/{app_id}/endpoint/{endpoint_id}/bulk-replay",
            {CreateAttempts, bulk_replay},
            {"v1.endpoint.bulk-replay", "Send an endpoint again what it was sent"},
            {.request = "BulkReplayIn", .status = 202, .response = "BackgroundTaskOut"});
  return table.take();
}

}  // namespace petrel::api
