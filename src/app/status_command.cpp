#include "app/status_command.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/attention.h"
#include "app/client/client_options.h"
#include "app/client/fleet.h"
#include "app/client/json_view.h"
#include "app/client/text_table.h"
#include "app/command.h"
#include "app/progress_bar.h"
#include "app/terminal.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/rfc3339.h"
#include "base/try.h"

namespace petrel::app {
namespace {

// A question for each; more would keep a person waiting and the server from its work.
constexpr std::size_t kHealthMax = 2000;

struct StatusReport {
  std::vector<Concern> concerns;
  std::size_t applications = 0;
  std::size_t endpoints = 0;
  std::size_t looked_at = 0;
  std::int64_t tasks = 0;  // Under way.
};

class Survey {
 public:
  Survey(ApiClient& api, std::string only)
      : api_(api), only_(std::move(only)), bar_(clock_, is_terminal(stderr) ? stderr : nullptr) {}

  Result<StatusReport> make() {
    ASSIGN_OR_RETURN(applications_, applications_of(api_, only_));
    report_.applications = applications_.size();
    TRY(add_server());
    TRY(add_endpoints());
    TRY(add_dead());
    TRY(count_tasks());
    std::stable_sort(
        report_.concerns.begin(), report_.concerns.end(),
        [](const Concern& one, const Concern& other) { return rank_of(one) < rank_of(other); });
    return std::move(report_);
  }

 private:
  void add(std::vector<Concern> more) {
    for (Concern& each : more) report_.concerns.push_back(std::move(each));
  }

  Status add_server() {
    // A 503 says what is wrong as well.
    ASSIGN_OR_RETURN(const ApiAnswer health, api_.ask({.path = "/health"}));
    add(concerns_of_server(health.json));
    return Done{};
  }

  Status add_endpoints() {
    std::size_t done = 0;
    for (const NamedThing& application : applications_) {
      bar_.show(static_cast<double>(done++) / static_cast<double>(applications_.size()),
                fmt::format("{} endpoints", report_.endpoints));
      const auto endpoints = endpoints_of(api_, application);
      // Deleted meanwhile.
      if (!endpoints.ok() && endpoints.error().kind == ErrorKind::NotFound) continue;
      if (!endpoints.ok()) return endpoints.error();
      for (const NamedEndpoint& each : *endpoints) TRY(add_endpoint(application, each));
    }
    return Done{};
  }

  Status add_endpoint(const NamedThing& application, const NamedEndpoint& each) {
    ++report_.endpoints;
    if (report_.looked_at >= kHealthMax) return Done{};
    ++report_.looked_at;
    Result<ApiAnswer> health = api_.get(fmt::format(
        "/app/{}/endpoint/{}/health", escaped(application.id), escaped(each.endpoint.id)));
    if (!health.ok() && health.error().kind == ErrorKind::NotFound) return Done{};
    if (!health.ok()) return health.error();
    JsonValue::Object fields;
    if (health->json.as_object() != nullptr) fields = *health->json.as_object();
    // Why it is paused stands in its record.
    if (const JsonValue* pause = value_at(each.json, "pause")) fields.emplace_back("pause", *pause);
    add(concerns_of({.application = application.name,
                     .endpoint = each.endpoint.name,
                     .health = JsonValue(JsonValue::Value(std::move(fields)))},
                    clock_.wall()));
    return Done{};
  }

  Status add_dead() {
    if (!only_.empty()) {
      ASSIGN_OR_RETURN(const ApiAnswer tally,
                       api_.get(fmt::format("/app/{}/dead-letter/count", escaped(only_))));
      if (auto dead = concern_of_dead(tally.json, only_)) report_.concerns.push_back(*dead);
      return Done{};
    }
    ASSIGN_OR_RETURN(const ApiAnswer tally, api_.get("/dead-letter/count"));
    for (const JsonValue& each : list_at(tally.json, "applications")) {
      std::string name = text_at(each, "appId");
      const auto known = std::find_if(applications_.begin(), applications_.end(),
                                      [&](const NamedThing& thing) { return thing.id == name; });
      if (known != applications_.end()) name = known->name;
      if (auto dead = concern_of_dead(each, name)) report_.concerns.push_back(*dead);
    }
    return Done{};
  }

  Status count_tasks() {
    const std::string path = (only_.empty() ? "" : "/app/" + escaped(only_)) +
                             "/background-task?status=running&limit=250";
    ASSIGN_OR_RETURN(const ApiAnswer tasks, api_.get(path));
    report_.tasks = static_cast<std::int64_t>(list_at(tasks.json, "data").size());
    return Done{};
  }

  ApiClient& api_;
  const std::string only_;
  const SystemClock clock_;
  ProgressBar bar_;
  std::vector<NamedThing> applications_;
  StatusReport report_;
};

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(static_cast<std::int64_t>(count)), noun,
                     count == 1 ? "" : "s");
}

void print_text(const StatusReport& report) {
  const bool has_colours = shows_colours(stdout);
  for (const Concern& concern : report.concerns) {
    const Colour colour =
        concern.kind == "health" || concern.kind == "circuit" ? Colour::Red : Colour::Yellow;
    fmt::print("{}\n", coloured(concern.text, colour, has_colours));
    if (!concern.remedy.empty()) fmt::print("  {}\n", concern.remedy);
  }
  const std::string seen = fmt::format("{}, {}", plural(report.applications, "application"),
                                       plural(report.endpoints, "endpoint"));
  if (report.concerns.empty()) {
    fmt::print("{} Nothing needs attention: {}.\n", coloured("Well.", Colour::Green, has_colours),
               seen);
  } else {
    fmt::print("{} of {} {} attention.\n", plural(report.concerns.size(), "thing"), seen,
               report.concerns.size() == 1 ? "needs" : "need");
  }
  if (report.tasks > 0) {
    fmt::print("{} under way: petrel replay --list\n",
               plural(static_cast<std::size_t>(report.tasks), "task"));
  }
  if (report.looked_at < report.endpoints) {
    fmt::print("Only the first {} were looked at; --app names one application.\n",
               plural(report.looked_at, "endpoint"));
  }
}

void print_json(const StatusReport& report) {
  JsonWriter json;
  json.begin_object().field("isWell", report.concerns.empty());
  json.field("applications", static_cast<std::int64_t>(report.applications))
      .field("endpoints", static_cast<std::int64_t>(report.endpoints))
      .field("endpointsLookedAt", static_cast<std::int64_t>(report.looked_at))
      .field("tasksUnderWay", report.tasks);
  json.key("concerns").raw(to_json(report.concerns)).end_object();
  fmt::print("{}\n", json.text());
}

Result<int> show_status(ApiClient& api, const std::string& application, bool is_json) {
  ASSIGN_OR_RETURN(const StatusReport report, Survey(api, application).make());
  if (is_json) {
    print_json(report);
  } else {
    print_text(report);
  }
  return int{report.concerns.empty() ? kExitOk : kExitFindings};
}

}  // namespace

void add_status_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* command =
      cli.add_subcommand("status", "Say what needs attention; exits with 3 if anything does");
  auto application = std::make_shared<std::string>();
  command->add_option("--app", *application, "Only this application, by id or uid");
  const ClientOptions client(*command);
  command->callback([&chosen, application, client] {
    chosen = [application, client] {
      return client.run(
          [&](ApiClient& api) { return show_status(api, *application, client.is_json()); });
    };
  });
}

}  // namespace petrel::app
