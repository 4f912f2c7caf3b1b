// TaskPlan is what people have in mind with tasks on a simulated day: which they begin, about what
// and how fast, and when they pause, resume and cancel them; and which endpoints are disabled for a
// while, so that there is something to be replayed that was missed.
//
// Drawn from dice of its own, so that the rest of a day does not depend on it.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace petrel::sim {

struct Scenario;

enum class TaskWish : std::uint8_t { Pause, Resume, Cancel };

struct TaskEdit {
  Duration after{};  // Since it was begun.
  TaskWish wish = TaskWish::Pause;
};

struct TaskPlan {
  enum class Kind : std::uint8_t { Replay, Recover, Missing, Bulk, Discard, Expunge };

  MonoTime at;
  Kind kind = Kind::Replay;
  std::size_t endpoint = 0;
  bool is_of_all = false;  // Of all endpoints that the application of that one has.
  bool has_key = false;    // An idempotency key: tried again, it is the same one.

  // What it is about; empty: everything.
  std::optional<Duration> since_ago = {};
  std::optional<Duration> until_ago = {};
  std::vector<std::string> reasons = {};
  int every_nth = 0;  // The event types of every so manyth post alone.
  std::optional<bool> is_delivered = {};
  std::optional<int> status_class = {};

  int rate = 100;
  int ceiling = 1000;
  bool has_ramp = true;

  std::vector<TaskEdit> edits = {};
};

// An endpoint is disabled, and enabled again.
struct DisablePlan {
  MonoTime at;
  Duration length{};
  std::size_t endpoint = 0;
};

struct TaskPlans {
  std::vector<TaskPlan> tasks = {};
  std::vector<DisablePlan> disabled = {};
  double resends = 0;  // The share of steps after which somebody sends one of the next by hand.
};

// On about half of all days there are none. What people do to tasks attracts crashes, on days that
// have some: they are added to the scenario's incidents.
TaskPlans draw_task_plans(Scenario& scenario);

}  // namespace petrel::sim
