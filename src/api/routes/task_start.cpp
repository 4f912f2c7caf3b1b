#include "api/routes/task_start.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/http/change_call.h"
#include "api/json/task.h"
#include "base/rfc3339.h"
#include "base/try.h"
#include "replay/pace.h"
#include "replay/walk.h"

namespace petrel::api {
namespace {

constexpr int kRateMax = 600'000;
constexpr int kCeiling = 10;  // Times the rate that it begins with, unless it is said.
constexpr std::size_t kListed = 1000;

// Tasks that run at once in one process: each reads and writes at its own pace, and many would
// crowd out all others.
constexpr std::size_t kTasksMax = 256;

Result<WallTime> read_time(const JsonValue& value) {
  if (value.as_string() == nullptr) return wrong_kind(value, "a time as a string");
  Result<WallTime> time = parse_rfc3339(*value.as_string());
  if (!time.ok()) return invalid("", time.error().detail);
  return time;
}

Result<std::vector<policy::DeadReason>> read_reason_list(const JsonValue& value) {
  ASSIGN_OR_RETURN(const std::vector<std::string> texts, read_texts(value));
  std::vector<policy::DeadReason> reasons;
  for (const std::string& text : texts) {
    const std::optional<policy::DeadReason> reason = policy::parse_dead_reason(text);
    if (!reason) {
      return invalid("",
                     "must be a list of permanent, exhausted, expired, gone, cancelled, blocked");
    }
    reasons.push_back(*reason);
  }
  if (reasons.empty()) return invalid("", "must not be empty: leave it out to mean all");
  if (reasons.size() > kListed) return invalid("", "is too long");
  return reasons;
}

// So that no tenant uses up what is there for all.
constexpr std::size_t kTasksOfApplicationMax = 16;

Result<std::size_t> count_of(store::Browse& browse, OrganisationId organisation,
                             ApplicationId application) {
  ASSIGN_OR_RETURN(const std::vector<model::Task> tasks, browse.tasks_under_way());
  const auto is_theirs = [&](const model::Task& task) {
    return task.organisation == organisation && task.application == application;
  };
  return static_cast<std::size_t>(std::count_if(tasks.begin(), tasks.end(), is_theirs));
}

void create_task(const CallPtr& call, const model::Task& task, const net::HttpResponse& answer) {
  change(call, [task, answer]() -> Plan {
    return {node::Changes::Turn(), [task, answer]() -> Result<ChangeDecision> {
              return ChangeDecision{.changes = {store::CreateTask{task}}, .response = answer};
            }};
  });
}

// Counts stretch by stretch, so that other calls get their turn.
class DryRun : public std::enable_shared_from_this<DryRun> {
 public:
  DryRun(CallPtr call, model::Task task)
      : call_(std::move(call)),
        task_(std::make_shared<const model::Task>(std::move(task))),
        endpoint_(task_->selection.endpoint
                      ? call_->services().catalogue.endpoint(*task_->selection.endpoint)
                      : nullptr) {}

  void go_on() {
    call_->read<replay::Count>(
        [task = task_, endpoint = endpoint_, count = count_,
         now = call_->services().clock.wall()](store::Browse& browse) {
          return replay::Walk{browse, *task, endpoint.get()}.count_on(count, now);
        },
        [self = shared_from_this()](const replay::Count& count) {
          self->count_ = count;
          return count.is_done ? self->answer() : self->go_on();
        });
  }

 private:
  void answer() {
    const Duration time =
        replay::is_replay(*task_)
            ? replay::time_for(task_->pacing, task_->pacing.rate_per_minute, count_.matched)
            : Duration(0);
    call_->answer(json_body(200, [&](JsonWriter& json) {
      json.begin_object();
      json.field("matched", static_cast<std::int64_t>(count_.matched));
      json.field("seconds", std::chrono::ceil<std::chrono::seconds>(time).count());
      json.end_object();
    }));
  }

  CallPtr call_;
  std::shared_ptr<const model::Task> task_;  // Shared with the reads under way.
  store::EndpointPtr endpoint_;
  replay::Count count_;
};

}  // namespace

model::Task drafted_task(Call& call, model::TaskType type) {
  model::Task task;
  const WallTime now = call.services().clock.wall();
  task.id = TaskId(call.context->maker.make(now));
  task.organisation = call.caller.organisation;
  if (call.application) task.application = call.application->id;
  task.type = type;
  // What comes from now on is not included: so nothing goes round in a circle.
  task.selection.until = now;
  task.created_at = task.updated_at = now;
  return task;
}

Status read_time_range(const Fields& fields, model::Task& task) {
  std::optional<WallTime> since;
  std::optional<WallTime> until;
  TRY(first_error({take_or_clear(fields, "since", since, read_time),
                   take_or_clear(fields, "until", until, read_time)}));
  if (since && until && *until <= *since) return invalid("until", "must be later than since");
  if (since) task.selection.since = *since;
  if (until) task.selection.until = std::min(*until, task.selection.until);
  return Done{};
}

Status read_reasons(const Fields& fields, model::Selection& selection) {
  return take_or_clear(fields, "reasons", selection.reasons, read_reason_list);
}

Status read_event_types(const Fields& fields, model::Selection& selection) {
  TRY(take_or_clear(fields, "eventTypes", selection.event_types, read_texts));
  const JsonValue* given = fields.find("eventTypes");
  if (given != nullptr && !given->is_null() && selection.event_types.empty()) {
    return invalid("eventTypes", "must not be empty: leave it out to mean all");
  }
  if (selection.event_types.size() > kListed) return invalid("eventTypes", "is too long");
  return Done{};
}

Status read_pacing(const Fields& fields, model::Pacing& pacing) {
  const IntegerReading rate{.min = 1, .max = kRateMax};
  std::optional<int> ceiling;
  TRY(first_error({take(fields, "ratePerMinute", pacing.rate_per_minute, rate),
                   take_or_clear(fields, "maxRatePerMinute", ceiling, rate),
                   take(fields, "ramp", pacing.has_ramp, read_bool)}));
  if (ceiling && !pacing.has_ramp) {
    return invalid("maxRatePerMinute", "has no effect without a ramp");
  }
  if (ceiling && *ceiling < pacing.rate_per_minute) {
    return invalid("maxRatePerMinute", "must not be less than ratePerMinute");
  }
  pacing.rate_per_minute_max =
      pacing.has_ramp ? ceiling.value_or(std::min(kRateMax, kCeiling * pacing.rate_per_minute))
                      : pacing.rate_per_minute;
  return Done{};
}

Status read_endpoint(Call& call, const Fields& fields, model::Selection& selection,
                     Endpoints which) {
  std::optional<std::string> id;
  const Status read = take_or_clear(fields, "endpointId", id, TextReading{.bytes_min = 1});
  if (!read.ok() || !id) return read;
  const auto endpoint = call.endpoint_even_deleted(*id);
  const bool is_meant =
      endpoint != nullptr && (which == Endpoints::DeletedToo || !endpoint->deleted_at);
  if (!is_meant) return invalid("endpointId", "there is no such endpoint");
  selection.endpoint = endpoint->id;
  return Done{};
}

void start_task(const CallPtr& call, model::Task task,
                const std::optional<net::HttpResponse>& response) {
  if (call->services().tasks.under_way() >= kTasksMax) {
    return call->answer(unavailable("too many tasks are under way; try again later"));
  }
  replay::begin_legs(task);
  const net::HttpResponse answer = response.value_or(shown_task(202, task));
  call->read<std::size_t>(
      [organisation = task.organisation, application = task.application](store::Browse& browse) {
        return count_of(browse, organisation, application);
      },
      [call, task, answer](std::size_t count) {
        if (count >= kTasksOfApplicationMax) {
          return call->answer(
              conflict("16 tasks are under way here; wait for one to end, or cancel one"));
        }
        create_task(call, task, answer);
      });
}

void begin_task(const CallPtr& call, model::Task task, bool is_dry) {
  if (!is_dry) return start_task(call, std::move(task));
  replay::begin_legs(task);
  std::make_shared<DryRun>(call, std::move(task))->go_on();
}

}  // namespace petrel::api
