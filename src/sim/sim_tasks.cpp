#include "sim/sim_tasks.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/rfc3339.h"
#include "replay/walk.h"
#include "sim/people.h"

namespace petrel::sim {
namespace {

using judge::Act;
using model::TaskState;
using model::TaskType;
using std::chrono::hours;
using std::chrono::minutes;
using Kind = TaskPlan::Kind;

constexpr int kEditsMax = 50;

// For a ramp to come up again from one a minute, and for the last answers.
constexpr Duration kGrace = hours(1);

// As many event types as one may name.
constexpr std::size_t kTypesMax = 1000;

TaskType type_of(Kind kind) {
  switch (kind) {
    case Kind::Replay:
    case Kind::Recover:
      break;
    case Kind::Missing:
      return TaskType::ReplayMissing;
    case Kind::Bulk:
      return TaskType::BulkReplay;
    case Kind::Discard:
      return TaskType::Discard;
    case Kind::Expunge:
      return TaskType::ExpungeContent;
  }
  return TaskType::Recover;
}

std::string_view operation_of(Kind kind) {
  switch (kind) {
    case Kind::Replay:
      break;
    case Kind::Recover:
      return "recover";
    case Kind::Missing:
      return "replay-missing";
    case Kind::Bulk:
      return "bulk-replay";
    case Kind::Discard:
      return "discard";
    case Kind::Expunge:
      return "expunge";
  }
  return "replay";
}

template <typename Texts>
void write_texts(JsonWriter& json, std::string_view name, const Texts& texts) {
  if (texts.empty()) return;
  json.key(name).begin_array();
  for (const auto& text : texts) json.value(text);
  json.end_array();
}

// As a person would have sent it.
std::string json_of(const TaskPlan& plan, const model::Task& task) {
  const model::Selection& selection = task.selection;
  JsonWriter json;
  json.begin_object().field("type", operation_of(plan.kind));
  if (selection.endpoint) json.field("endpointId", selection.endpoint->text());
  write_texts(json, "eventTypes", selection.event_types);
  write_texts(json, "reasons", plan.reasons);
  if (plan.since_ago) json.field("since", to_rfc3339(selection.since));
  if (plan.until_ago) json.field("until", to_rfc3339(selection.until));
  if (plan.is_delivered) json.field("status", *plan.is_delivered ? 0 : 2);
  if (plan.status_class) json.field("statusCodeClass", 100 * *plan.status_class);
  json.field("ratePerMinute", plan.rate).field("ramp", plan.has_ramp);
  if (plan.has_ramp) json.field("maxRatePerMinute", plan.ceiling);
  json.end_object();
  return json.take();
}

int status_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::Unavailable:
      return 503;
    case ErrorKind::Conflict:
      return 409;
    case ErrorKind::NotFound:
      return 404;
    default:
      return 422;
  }
}

Act act_of(TaskWish wish) {
  switch (wish) {
    case TaskWish::Pause:
      break;
    case TaskWish::Resume:
      return Act::ResumeTask;
    case TaskWish::Cancel:
      return Act::CancelTask;
  }
  return Act::PauseTask;
}

TaskState state_of(TaskWish wish) {
  switch (wish) {
    case TaskWish::Pause:
      break;
    case TaskWish::Resume:
      return TaskState::Running;
    case TaskWish::Cancel:
      return TaskState::Cancelled;
  }
  return TaskState::Paused;
}

}  // namespace

SimTasks::SimTasks(const Parts& parts, std::uint64_t seed)
    : parts_(parts), dice_(seed), random_(seed), maker_(random_) {}

void SimTasks::begin() {
  for (const TaskPlan& plan : parts_.scenario.tasks.tasks) {
    parts_.world.at(plan.at, [this, &plan] { start(plan); });
  }
  for (const DisablePlan& plan : parts_.scenario.tasks.disabled) {
    parts_.world.at(plan.at, [this, &plan] {
      if (has_ended_) return;
      disabled_.push_back(plan.endpoint);
      parts_.node.disable(plan.endpoint);
      parts_.world.after(plan.length, [this, &plan] { parts_.node.enable(plan.endpoint); });
    });
  }
}

void SimTasks::end() {
  has_ended_ = true;
  for (const std::size_t endpoint : disabled_) parts_.node.enable(endpoint);
  for (std::size_t i = 0; i < made_.size(); ++i) {
    if (i % 3 != 2) edit(made_[i].task, made_[i].application, TaskWish::Resume);
  }
}

void SimTasks::ask(const Attempt& attempt) {
  const auto is_over = std::make_shared<bool>(false);
  const auto again = [this, attempt, is_over] {
    if (!std::exchange(*is_over, true)) ask(attempt);
  };
  if (!parts_.node.is_up()) return parts_.world.after(kTryAgain, again);
  parts_.world.after(kPatience, again);
  attempt([this, is_over, again](int status) {
    if (*is_over) return;
    if (status >= 500) return parts_.world.after(kTryAgain, again);
    *is_over = true;
  });
}

template <typename T>
void SimTasks::read(std::function<Result<T>(store::Browse&)> ask,
                    std::function<void(Result<T>)> then) {
  const node::Services services = parts_.node.services();
  const bool is_taken = services.pool.run([services, ask = std::move(ask), then] {
    services.loop.post([then, answer = ask(services.browse)] { then(answer); });
  });
  if (!is_taken) then(unavailable("too many reads at once"));
}

void SimTasks::start(const TaskPlan& plan) {
  if (has_ended_) return;
  parts_.faults.add(Fault::TaskStarted);
  const auto start = std::make_shared<Start>(Start{.plan = plan});
  ask([this, start](const Answer& answer) { attempt(start, answer); });
}

// As in api/routes/task_start.cpp.
void SimTasks::draft(Start& start) {
  const TaskPlan& plan = start.plan;
  const EndpointPlan& endpoint = parts_.scenario.endpoints[plan.endpoint];
  const WallTime now = parts_.world.clock().wall();
  model::Task task;
  task.id = TaskId(maker_.make(now));
  task.organisation = organisation_;
  task.application = parts_.scenario.applications[endpoint.application];
  task.type = type_of(plan.kind);
  task.created_at = task.updated_at = now;
  model::Selection& selection = task.selection;
  selection.until = now;
  if (!plan.is_of_all) selection.endpoint = endpoint.id;
  if (plan.since_ago) selection.since = now - *plan.since_ago;
  if (plan.until_ago) selection.until = now - *plan.until_ago;
  for (const std::string& word : plan.reasons) {
    selection.reasons.push_back(*policy::parse_dead_reason(word));
  }
  const auto step = static_cast<std::size_t>(plan.every_nth);
  for (std::size_t i = 0; step > 0 && i < parts_.scenario.posts.size(); i += step) {
    if (selection.event_types.size() == kTypesMax) break;
    selection.event_types.push_back(fmt::format("post.{}", i));
  }
  selection.is_delivered = plan.is_delivered;
  selection.status_class = plan.status_class;
  task.pacing = {plan.rate, plan.ceiling, plan.has_ramp};
  replay::begin_legs(task);
  start.json = json_of(plan, task);
  start.task = std::move(task);
}

void SimTasks::attempt(const StartPtr& start, const Answer& answer) {
  const TaskPlan& plan = start->plan;
  if (!start->task || !plan.has_key) {
    draft(*start);
    made_.push_back({start->task->id, start->task->application});
    for (const TaskEdit& each : plan.edits) {
      parts_.world.after(each.after, [this, made = made_.back(), wish = each.wish] {
        if (!has_ended_) edit(made.task, made.application, wish);
      });
    }
  }
  const model::Task& task = *start->task;
  const std::uint64_t number =
      parts_.witness.asked({.act = plan.kind == Kind::Expunge ? Act::Expunge : Act::StartTask,
                            .application = task.application,
                            .endpoint = task.selection.endpoint.value_or(EndpointId()),
                            .task = task.id,
                            .json = start->json});
  const Answer told = [this, number, answer](int status) {
    parts_.witness.told(number, status);
    answer(status);
  };
  unless_known(start, told, [this, start, number, told] { create(start, number, told); });
}

// What was answered before under the same key is answered again.
void SimTasks::unless_known(const StartPtr& start, const Answer& answer,
                            const std::function<void()>& otherwise) {
  if (!start->plan.has_key) return otherwise();
  using Known = std::optional<store::KnownAnswer>;
  read<Known>(
      [key = start->task->id.text()](store::Browse& browse) { return browse.kept_answer(key); },
      [answer, otherwise](const Result<Known>& known) {
        if (!known.ok()) return answer(status_of(known.error()));
        *known ? answer(202) : otherwise();
      });
}

void SimTasks::create(const StartPtr& start, std::uint64_t number, const Answer& answer) {
  store::ChangeSet set{.changes = {store::CreateTask{*start->task}}};
  if (start->plan.has_key) {
    set.answer = store::KeptAnswer{.key = start->task->id.text(),
                                   .body_hash = {},
                                   .expires_at = parts_.world.clock().wall() + kKeyKept,
                                   .status = 202};
  }
  parts_.node.services().changes.make(
      {},
      [this, number, set]() -> Result<store::ChangeSet> {
        parts_.witness.decides(number);
        return set;
      },
      [this, start, answer](const Status& status) {
        if (status.ok()) return answer(202);
        // Perhaps because the same, sent twice, was carried out meanwhile.
        unless_known(start, answer, [answer, error = status.error()] { answer(status_of(error)); });
      });
}

void SimTasks::edit(TaskId task, ApplicationId application, TaskWish wish) {
  parts_.faults.add(Fault::TaskEdited);
  ask([this, task, application, wish](const Answer& answer) {
    const std::uint64_t number =
        parts_.witness.asked({.act = act_of(wish), .application = application, .task = task});
    attempt({task, application, wish, number}, [this, number, answer](int status) {
      parts_.witness.told(number, status);
      answer(status);
    });
  });
}

// As in api/routes/task_routes.cpp.
void SimTasks::attempt(const Edit& edit, const Answer& answer) {
  read<model::Task>([organisation = organisation_, id = edit.task](
                        store::Browse& browse) { return browse.task(organisation, id); },
                    [this, edit, answer](const Result<model::Task>& task) {
                      if (!task.ok()) return answer(status_of(task.error()));
                      change(edit, *task, answer);
                    });
}

void SimTasks::change(Edit edit, model::Task task, const Answer& answer) {
  const TaskState to = state_of(edit.wish);
  const node::Services services = parts_.node.services();
  if (task.state == to) {
    services.tasks.wake(task.organisation, task.id);
    return answer(200);
  }
  if (task.has_ended()) return answer(409);
  task.state = to;
  ++task.revision;
  task.updated_at = parts_.world.clock().wall();
  services.changes.make(
      {},
      [this, number = edit.number, task]() -> Result<store::ChangeSet> {
        parts_.witness.decides(number);
        return store::ChangeSet{.changes = {store::UpdateTask{task}}};
      },
      [this, edit, answer](const Status& status) mutable {
        const bool is_overtaken = !status.ok() && status.error().kind == ErrorKind::Conflict;
        if (is_overtaken && ++edit.overtaken < kEditsMax) return attempt(edit, answer);
        answer(status.ok() ? 200 : status_of(status.error()));
      });
}

// Somebody sends by hand what the task would come to next.
void SimTasks::stepped(const store::ChangeSet& set) {
  const auto* const update = std::get_if<store::UpdateTask>(&set.changes.front());
  if (has_ended_ || update == nullptr || !dice_.chance(parts_.scenario.tasks.resends)) return;
  const model::Task& task = update->task;
  if (task.progress.cursors.empty()) return;
  const model::EndpointCursor& cursor =
      task.progress.cursors[dice_.index(task.progress.cursors.size())];
  if (cursor.endpoint == EndpointId()) return;
  const auto dead = parts_.disk.browse().dead_letters(
      {.application = task.application, .endpoint = cursor.endpoint, .limit = 10});
  if (!dead.ok() || dead->items.empty()) return;
  const std::size_t endpoint = parts_.node.place_of(cursor.endpoint);
  const MessageId message = dead->items[dice_.index(dead->items.size())].key.message;
  parts_.world.after(Duration::zero(),
                     [this, endpoint, message] { parts_.node.resend(endpoint, message); });
}

std::vector<model::Task> SimTasks::running() const {
  std::vector<model::Task> found;
  for (const Made& made : made_) {
    const auto task = parts_.disk.browse().task(organisation_, made.task);
    if (task.ok() && task->state == TaskState::Running) found.push_back(*task);
  }
  return found;
}

// The slowest could have to put back everything that there is, from where it began.
MonoTime SimTasks::rest_bound(std::size_t deliveries) const {
  Duration longest{};
  for (const model::Task& task : running()) {
    const auto all = static_cast<std::int64_t>(deliveries);
    longest = std::max(longest, Duration(minutes(1)) * all / task.pacing.rate_per_minute);
  }
  return parts_.world.now() + longest + kGrace;
}

bool SimTasks::has_live(EndpointId endpoint) const {
  const auto waiting = parts_.disk.browse().first_waiting(endpoint);
  return waiting.ok() && !waiting->empty();
}

void SimTasks::help() {
  for (const model::Task& task : running()) {
    if (task.progress.waits_for.empty()) continue;
    for (const model::EndpointCursor& cursor : task.progress.cursors) {
      const auto endpoint = parts_.disk.browse().endpoint(cursor.endpoint);
      const bool may_send = endpoint.ok() && endpoint->may_send();
      if (may_send && !has_live(cursor.endpoint))
        parts_.node.close(parts_.node.place_of(cursor.endpoint));
    }
  }
}

}  // namespace petrel::sim
