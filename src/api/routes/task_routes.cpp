// Tasks: what goes on after its request was answered, to be looked at, paused and cancelled.

#include <array>
#include <optional>

#include "api/http/call.h"
#include "api/http/paging.h"
#include "api/http/route_table.h"
#include "api/json/task.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

using model::Task;
using model::TaskState;

constexpr std::array<std::string_view, 3> kStatuses = {"running", "finished", "failed"};

// A task writes how far it has come several times a second, so an edit may be overtaken.
constexpr int kEditsMax = 50;

// Whose tasks are listed: of an application if the path names one, else all of the organisation's.
std::optional<ApplicationId> owner_of(const Call& call) {
  if (call.application == nullptr) return std::nullopt;
  return call.application->id;
}

struct Filter {
  std::string status;  // Empty: any.
  std::string type;
  std::optional<ApplicationId> owner = {};

  bool fits(const Task& task) const {
    return (status.empty() || status == wire_status(task)) &&
           (type.empty() || type == to_string(task.type)) && (!owner || *owner == task.application);
  }
};

Result<Filter> read_filter(const Query& query) {
  Filter filter{std::string(query.text("status")), std::string(query.text("task"))};
  const bool is_known = filter.status.empty() || std::find(kStatuses.begin(), kStatuses.end(),
                                                           filter.status) != kStatuses.end();
  if (!is_known) return invalid("query.status", "must be running, finished or failed");
  return filter;
}

Status list(const CallPtr& call) {
  ASSIGN_OR_RETURN(const auto request,
                   read_ordered_page(call->query, TaskId::kPrefix, store::Order::Descending));
  ASSIGN_OR_RETURN(Filter filter, read_filter(call->query));
  filter.owner = owner_of(*call);
  call->browse([organisation = call->caller.organisation, request,
                filter](store::Browse& browse) -> Result<net::HttpResponse> {
    Result<Shown<Task>> shown = scan<Task>(
        request.page, [&](const store::Page& page) { return browse.tasks(organisation, page); },
        [&](const Task& task) { return Result<bool>(filter.fits(task)); });
    if (!shown.ok()) return shown.error();
    return json_response(200, page_text(
                                  in_display_order(*std::move(shown), request), request,
                                  [](const Task& task) { return task.id; }, write_task));
  });
  return Done{};
}

Error no_such_task() { return not_found("there is no such task"); }

Result<Task> find_task(store::Browse& browse, OrganisationId organisation, TaskId id,
                       const std::optional<ApplicationId>& owner) {
  Result<Task> task = browse.task(organisation, id);
  if (task.ok() && owner && task->application != *owner) return no_such_task();
  return task;
}

Status get(const CallPtr& call) {
  const Result<TaskId> id = TaskId::parse(call->parameter("task_id"));
  if (!id.ok()) return no_such_task();
  call->browse([organisation = call->caller.organisation, id = *id,
                owner = owner_of(*call)](store::Browse& browse) -> Result<net::HttpResponse> {
    ASSIGN_OR_RETURN(const Task task, find_task(browse, organisation, id, owner));
    return shown_task(200, task);
  });
  return Done{};
}

// What a person wants of a task that is under way. The same again is done already.
struct Wish {
  TaskState from;
  TaskState to;
};

class Edit : public std::enable_shared_from_this<Edit> {
 public:
  Edit(CallPtr call, TaskId id, Wish wish) : call_(std::move(call)), id_(id), wish_(wish) {}

  void attempt() {
    call_->read<Task>(
        [organisation = call_->caller.organisation, id = id_, owner = owner_of(*call_)](
            store::Browse& browse) { return find_task(browse, organisation, id, owner); },
        [self = shared_from_this()](const Task& task) { self->change(task); });
  }

 private:
  void change(Task task) {
    if (task.state == wish_.to) {
      call_->services().tasks.wake(task.organisation, task.id);
      return call_->answer(shown_task(200, task));
    }
    const bool may =
        task.state == wish_.from || (wish_.to == TaskState::Cancelled && !task.has_ended());
    if (!may) {
      return call_->answer(conflict("the task is " + std::string(to_string(task.state))));
    }
    task.state = wish_.to;
    ++task.revision;
    task.updated_at = call_->services().clock.wall();
    call_->services().changes.write(
        {.changes = {store::UpdateTask{task}}}, node::Author::Person,
        [self = shared_from_this(), task](const Status& status) {
          self->call_->services().loop.post([self, task, status] { self->changed(task, status); });
        });
  }

  void changed(const Task& task, const Status& status) {
    const bool is_overtaken = !status.ok() && status.error().kind == ErrorKind::Conflict;
    if (is_overtaken && ++attempts_ < kEditsMax) return attempt();
    if (!status.ok()) return call_->answer(status.error());
    call_->answer(shown_task(200, task));
  }

  CallPtr call_;
  TaskId id_;
  Wish wish_;
  int attempts_ = 0;
};

Serve edits(Wish wish) {
  return [wish](const CallPtr& call) -> Status {
    const Result<TaskId> id = TaskId::parse(call->parameter("task_id"));
    if (!id.ok()) return no_such_task();
    std::make_shared<Edit>(call, *id, wish)->attempt();
    return Done{};
  };
}

}  // namespace

std::vector<Route> task_routes() {
  using enum Capability;
  constexpr Shape kTasks = {.query = "limit iterator order task_status task",
                            .response = "ListResponse_BackgroundTaskOut_"};
  constexpr Shape kTask = {.response = "BackgroundTaskOut"};
  constexpr std::string_view kList = "List tasks, the newest first";
  constexpr std::string_view kGet = "See how far a task has come";
  constexpr std::string_view kPause = "Pause a task";
  constexpr std::string_view kResume = "Resume a task that is paused";
  constexpr std::string_view kCancel = "Cancel a task: what it has done stays done";
  const Serve pause = edits({TaskState::Running, TaskState::Paused});
  const Serve resume = edits({TaskState::Paused, TaskState::Running});
  const Serve cancel = edits({TaskState::Running, TaskState::Cancelled});
  RouteTable table("Background task");
  table.add("GET", "/api/v1/background-task", {kOrganisation, list},
            {"v1.background-task.list", kList}, kTasks);
  table.add("GET", "/api/v1/background-task/{task_id}", {kOrganisation, get},
            {"v1.background-task.get", kGet}, kTask);
  table.add("POST", "/api/v1/background-task/{task_id}/pause", {kOrganisation, pause},
            {"v1.background-task.pause", kPause}, kTask);
  table.add("POST", "/api/v1/background-task/{task_id}/resume", {kOrganisation, resume},
            {"v1.background-task.resume", kResume}, kTask);
  table.add("POST", "/api/v1/background-task/{task_id}/cancel", {kOrganisation, cancel},
            {"v1.background-task.cancel", kCancel}, kTask);
  table.add("GET", "/api/v1/app/{app_id}/background-task", {ViewBase, list},
            {"v1.application.list-tasks", kList}, kTasks);
  table.add("GET", "/api/v1/app/{app_id}/background-task/{task_id}", {ViewBase, get},
            {"v1.application.get-task", kGet}, kTask);
  table.add("POST", "/api/v1/app/{app_id}/background-task/{task_id}/pause", {ManageEndpoint, pause},
            {"v1.application.pause-task", kPause}, kTask);
  table.add("POST", "/api/v1/app/{app_id}/background-task/{task_id}/resume",
            {ManageEndpoint, resume}, {"v1.application.resume-task", kResume}, kTask);
  table.add("POST", "/api/v1/app/{app_id}/background-task/{task_id}/cancel",
            {ManageEndpoint, cancel}, {"v1.application.cancel-task", kCancel}, kTask);
  return table.take();
}

}  // namespace petrel::api
