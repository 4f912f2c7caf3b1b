#include "app/replay_command.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/client/client_options.h"
#include "app/client/json_view.h"
#include "app/client/text_table.h"
#include "app/command.h"
#include "app/replay_start.h"
#include "app/task_watch.h"
#include "app/terminal.h"
#include "base/clock.h"
#include "base/try.h"

namespace petrel::app {
namespace {

// Reads go on over a restart of the server; what starts a task has a key.
constexpr Patience kPatience{.tries_max = 5};

constexpr std::int64_t kShownMax = 10'000;
constexpr std::int64_t kPerPage = 250;

struct TaskOptions {
  bool is_list = false;
  std::string watched;
  std::string cancelled;
};

Result<int> list_tasks(ApiClient& api, const std::string& application, bool is_json) {
  ASSIGN_OR_RETURN(const ApiAnswer page, api.get(task_path(application, "") + "?limit=50"));
  if (is_json) {
    fmt::print("{}\n", page.text);
    return int{kExitOk};
  }
  TextTable table({"task", "kind", "state", "progress"});
  for (const JsonValue& task : list_at(page.json, "data")) {
    const std::string state = text_at(task, "state");
    table.add({printable(text_at(task, "id"), 80), printable(text_at(task, "kind"), 40),
               printable(state, 40),
               state == "running" || state == "paused" ? progress_text(task) : outcome_text(task)});
  }
  if (table.empty()) {
    fmt::print("no tasks\n");
  } else {
    fmt::print("{}", table.text(shows_colours(stdout)));
  }
  return int{kExitOk};
}

Result<int> cancel_task(ApiClient& api, const std::string& application, const std::string& task,
                        bool is_json) {
  ASSIGN_OR_RETURN(const ApiAnswer answer, api.post(task_path(application, task) + "/cancel"));
  if (is_json) {
    fmt::print("{}\n", answer.text);
  } else {
    fmt::print("cancelled: {}\n", outcome_text(answer.json));
  }
  return int{kExitOk};
}

Result<int> replay(ApiClient& api, const ReplayOptions& options, const TaskOptions& task,
                   bool is_json) {
  const std::string& application = options.application;
  if (task.is_list) return list_tasks(api, application, is_json);
  if (!task.watched.empty()) return watch_task(api, application, task.watched, is_json);
  if (!task.cancelled.empty()) return cancel_task(api, application, task.cancelled, is_json);
  if (application.empty()) return invalid("APP", "is missing: which application's?");
  return start_replay(api, options, is_json);
}

struct DeadLetters {
  std::vector<RawObject> shown;
  bool are_all = true;
};

Result<DeadLetters> read_dead(ApiClient& api, const ReplayOptions& options, std::int64_t limit) {
  const std::string base =
      options.application.empty() ? "" : "/app/" + escaped(options.application);
  ASSIGN_OR_RETURN(const std::string query, options.selection.query(SystemClock().wall()));
  DeadLetters dead;
  const std::string path = base + "/dead-letter" + (query.empty() ? "" : "?" + query.substr(1));
  TRY(for_each_page(api, path, static_cast<int>(std::min(limit, kPerPage)),
                    [&](const ApiAnswer& page) -> Result<bool> {
                      ASSIGN_OR_RETURN(auto items, raw_list(page.text, "data"));
                      for (RawObject& item : items) {
                        if (std::ssize(dead.shown) == limit) {
                          dead.are_all = false;
                          return false;
                        }
                        dead.shown.push_back(std::move(item));
                      }
                      const bool is_full = std::ssize(dead.shown) == limit;
                      if (is_full && !flag_at(page.json, "done")) dead.are_all = false;
                      return !is_full;
                    }));
  return dead;
}

void print_dead(const DeadLetters& dead) {
  TextTable table(
      {"died", "application", "endpoint", "message", "event type", "reason", "attempts>", "last>"});
  for (const RawObject& each : dead.shown) {
    const std::string status(each.raw("lastStatus"));
    table.add({printable(each.text("updatedAt").substr(0, 19), 40),
               printable(each.text("appId"), 40), printable(each.text("endpointId"), 40),
               printable(each.text("msgId"), 40), printable(each.text("eventType"), 60),
               printable(each.text("reason"), 20), printable(each.raw("attemptsTotal"), 12),
               status.empty() ? "none" : printable(status, 12)});
  }
  if (table.empty()) {
    fmt::print("no dead letters\n");
    return;
  }
  fmt::print("{}", table.text(shows_colours(stdout)));
  if (!dead.are_all) fmt::print("There are more: --limit shows up to {}.\n", grouped(kShownMax));
}

Result<int> list_dead(ApiClient& api, const ReplayOptions& options, std::int64_t limit,
                      bool is_json) {
  ASSIGN_OR_RETURN(const DeadLetters dead, read_dead(api, options, limit));
  if (!is_json) {
    print_dead(dead);
    return int{kExitOk};
  }
  JsonWriter json;
  json.begin_object().key("data").begin_array();
  for (const RawObject& each : dead.shown) json.raw(each.json());
  json.end_array().field("done", dead.are_all).end_object();
  fmt::print("{}\n", json.text());
  return int{kExitOk};
}

struct DiscardOptions {
  std::string message;
  bool is_all = false;
};

Result<int> discard(ApiClient& api, const ReplayOptions& options, const DiscardOptions& which,
                    bool is_json) {
  const SelectionOptions& selection = options.selection;
  if (which.message.empty()) {
    if (selection.is_empty() && !which.is_all) {
      return invalid("--all", "is needed to discard every dead letter of the application");
    }
    return start_discard(api, options, is_json);
  }
  if (selection.endpoint.empty()) return invalid("--endpoint", "is needed with --message");
  ASSIGN_OR_RETURN(const ApiAnswer answer,
                   api.remove(fmt::format("/app/{}/dead-letter/{}/{}", escaped(options.application),
                                          escaped(which.message), escaped(selection.endpoint))));
  fmt::print("{}\n", is_json ? "{}" : "discarded");
  return int{kExitOk};
}

void add_run_flags(CLI::App& command, ReplayOptions& options) {
  command.add_flag("--dry-run", options.is_dry, "Only say how many there are");
  command.add_flag("--detach", options.is_detached, "Do not wait for its end");
}

void add_dead_letter_list(CLI::App& group, std::function<int()>& chosen) {
  CLI::App* list = group.add_subcommand("list", "List dead letters, latest first");
  auto options = std::make_shared<ReplayOptions>();
  auto limit = std::make_shared<std::int64_t>(50);
  list->add_option("APP", options->application, "Only this application's, by id or uid");
  options->selection.add_to(*list);
  list->add_option("--limit", *limit, "How many to show (50)")
      ->check(CLI::Range(std::int64_t{1}, kShownMax));
  const ClientOptions client(*list);
  list->callback([&chosen, options, limit, client] {
    chosen = [options, limit, client] {
      return client.run(
          [&](ApiClient& api) { return list_dead(api, *options, *limit, client.is_json()); },
          kPatience);
    };
  });
}

void add_dead_letter_replay(CLI::App& group, std::function<int()>& chosen) {
  CLI::App* command = group.add_subcommand("replay", "Send dead letters again, gradually");
  auto options = std::make_shared<ReplayOptions>();
  command->add_option("APP", options->application, "The application, by id or uid")->required();
  options->selection.add_to(*command);
  options->add_pace_to(*command);
  add_run_flags(*command, *options);
  const ClientOptions client(*command);
  command->callback([&chosen, options, client] {
    chosen = [options, client] {
      return client.run(
          [&](ApiClient& api) { return start_replay(api, *options, client.is_json()); }, kPatience);
    };
  });
}

void add_dead_letter_discard(CLI::App& group, std::function<int()>& chosen) {
  CLI::App* command = group.add_subcommand("discard", "Take dead letters off the list");
  auto options = std::make_shared<ReplayOptions>();
  auto which = std::make_shared<DiscardOptions>();
  command->add_option("APP", options->application, "The application, by id or uid")->required();
  options->selection.add_to(*command);
  command->add_option("--message", which->message, "Only this one, of --endpoint");
  command->add_flag("--all", which->is_all, "All of the application");
  add_run_flags(*command, *options);
  const ClientOptions client(*command);
  command->callback([&chosen, options, which, client] {
    chosen = [options, which, client] {
      return client.run(
          [&](ApiClient& api) { return discard(api, *options, *which, client.is_json()); },
          kPatience);
    };
  });
}

}  // namespace

void add_replay_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* command =
      cli.add_subcommand("replay", "Send dead, missed or former deliveries again, and watch that");
  auto options = std::make_shared<ReplayOptions>();
  auto task = std::make_shared<TaskOptions>();
  command->add_option("APP", options->application, "The application, by id or uid");
  CLI::Option* list = command->add_flag("--list", task->is_list, "List the tasks there are");
  CLI::Option* watch = command->add_option("--watch", task->watched, "Watch this task again");
  CLI::Option* cancel = command->add_option("--cancel", task->cancelled, "End this task");
  list->excludes(watch)->excludes(cancel);
  watch->excludes(cancel);
  command
      ->add_option("--what", options->what,
                   "dead: dead letters; missing: what --endpoint was never sent; sent: what it was "
                   "sent, delivered or not (dead)")
      ->check(CLI::IsMember({"dead", "missing", "sent"}));
  options->selection.add_to(*command);
  options->add_pace_to(*command);
  add_run_flags(*command, *options);
  const ClientOptions client(*command);
  command->callback([&chosen, options, task, client] {
    chosen = [options, task, client] {
      return client.run(
          [&](ApiClient& api) { return replay(api, *options, *task, client.is_json()); },
          kPatience);
    };
  });
}

void add_dead_letter_commands(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* group = cli.add_subcommand("dead-letter", "List, replay or discard dead letters");
  group->require_subcommand(1);
  add_dead_letter_list(*group, chosen);
  add_dead_letter_replay(*group, chosen);
  add_dead_letter_discard(*group, chosen);
}

}  // namespace petrel::app
