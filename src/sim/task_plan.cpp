#include "sim/task_plan.h"

#include <algorithm>

#include "sim/dice.h"
#include "sim/scenario.h"

namespace petrel::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Kind = TaskPlan::Kind;

class Drawing {
 public:
  explicit Drawing(Scenario& scenario)
      : scenario_(scenario), dice_(scenario.seed ^ 0x7461736b73U) {}

  TaskPlans draw() {
    if (!dice_.chance(0.5)) return {};
    if (dice_.chance(0.4)) plans_.resends = dice_.one_of({0.03, 0.2});
    if (dice_.chance(0.5)) draw_disabled();
    for (int i = dice_.between(1, 10); i > 0; --i) draw_task();
    const auto& incidents = scenario_.incidents;
    const bool has_crashes =
        std::any_of(incidents.begin(), incidents.end(),
                    [](const Incident& each) { return each.kind == Fault::Crash; });
    if (has_crashes) draw_crashes();
    return std::move(plans_);
  }

 private:
  void draw_disabled() {
    for (int i = dice_.between(1, 3); i > 0; --i) {
      plans_.disabled.push_back({.at = MonoTime(dice_.between(Duration(0), scenario_.length)),
                                 .length = dice_.spread(minutes(1), hours(6)),
                                 .endpoint = dice_.index(scenario_.endpoints.size())});
    }
  }

  void draw_task() {
    TaskPlan task;
    // Before that hardly anything has died.
    task.at = MonoTime(dice_.between(scenario_.length / 8, scenario_.length));
    task.kind = dice_.one_of({Kind::Replay, Kind::Replay, Kind::Replay, Kind::Replay, Kind::Recover,
                              Kind::Bulk, Kind::Bulk, Kind::Bulk, Kind::Missing, Kind::Discard});
    if (dice_.chance(0.03)) task.kind = Kind::Expunge;
    task.endpoint = dice_.index(scenario_.endpoints.size());
    const bool may_be_of_all = task.kind == Kind::Replay || task.kind == Kind::Discard;
    task.is_of_all = task.kind == Kind::Expunge || (may_be_of_all && dice_.chance(0.7));
    task.has_key = dice_.chance(0.5);
    if (task.kind != Kind::Expunge) draw_filters(task);
    draw_pace(task);
    draw_edits(task);
    plans_.tasks.push_back(std::move(task));
  }

  void draw_filters(TaskPlan& task) {
    const bool needs_since =
        task.kind == Kind::Recover || task.kind == Kind::Missing || task.kind == Kind::Bulk;
    if (needs_since || dice_.chance(0.2)) task.since_ago = dice_.between(minutes(10), hours(24));
    if (dice_.chance(0.2)) {
      task.until_ago = dice_.between(Duration(0), task.since_ago.value_or(hours(4)) / 2);
    }
    const bool is_of_dead = task.kind == Kind::Replay || task.kind == Kind::Discard;
    if (is_of_dead && dice_.chance(0.3)) task.reasons = {"exhausted", "expired"};
    if ((is_of_dead || task.kind == Kind::Bulk) && dice_.chance(0.2)) {
      task.every_nth = dice_.between(3, 7);
    }
    if (task.kind != Kind::Bulk) return;
    if (dice_.chance(0.3)) task.is_delivered = dice_.chance(0.5);
    if (dice_.chance(0.2)) task.status_class = dice_.one_of({0, 2, 4, 5});
  }

  void draw_pace(TaskPlan& task) {
    task.has_ramp = dice_.chance(0.5);
    task.rate = task.has_ramp ? dice_.one_of({1, 2, 6, 30, 100})
                              : dice_.one_of({1, 2, 3, 7, 7, 30, 60, 300, 1200, 6000});
    task.ceiling = task.has_ramp ? task.rate * dice_.one_of({1, 2, 10}) : task.rate;
  }

  void draw_edits(TaskPlan& task) {
    if (!dice_.chance(0.5)) return;
    // Some cannot make up their mind.
    const bool is_hasty = dice_.chance(0.4);
    const Duration longest = is_hasty ? Duration(seconds(20)) : Duration(minutes(30));
    Duration after{};
    for (int i = is_hasty ? dice_.between(4, 12) : dice_.between(1, 4); i > 0; --i) {
      after += dice_.spread(milliseconds(20), longest);
      task.edits.push_back({after, TaskWish::Pause});
      after += dice_.spread(milliseconds(20), longest);
      if (!dice_.chance(0.05)) task.edits.push_back({after, TaskWish::Resume});
    }
    after += dice_.spread(seconds(1), hours(1));
    if (dice_.chance(0.1)) task.edits.push_back({after, TaskWish::Cancel});
  }

  // Some of them many in a row.
  void draw_crashes() {
    for (const TaskPlan& task : plans_.tasks) {
      if (!dice_.chance(0.4)) continue;
      MonoTime at = task.at + dice_.spread(milliseconds(10), hours(1));
      for (int i = dice_.one_of({1, 1, 5, 15}); i > 0; --i) {
        scenario_.incidents.push_back({.at = at,
                                       .kind = dice_.one_of({Fault::Crash, Fault::Restart}),
                                       .length = dice_.spread(milliseconds(1), seconds(5))});
        at += dice_.spread(milliseconds(100), seconds(30));
      }
    }
  }

  Scenario& scenario_;
  Dice dice_;
  TaskPlans plans_;
};

}  // namespace

TaskPlans draw_task_plans(Scenario& scenario) { return Drawing(scenario).draw(); }

}  // namespace petrel::sim
