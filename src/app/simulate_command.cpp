#include "app/simulate_command.h"

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "app/command.h"
#include "app/progress_bar.h"
#include "app/simulate_options.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "storm/chart.h"
#include "storm/comparison.h"
#include "storm/page.h"
#include "storm/table.h"

namespace petrel::app {
namespace {

constexpr std::string_view kHint = "petrel simulate --help explains the flags";

constexpr std::string_view kFooter = R"(Policies:
  storm-safe                        a preset; petrel policy list shows them
  fixed:60s                         every 60 s, no jitter
  exponential:1s:maxDelay=1m:jitter=full:maxAttempts=20
                                    also linear:…; fields as in a policy's JSON
  schedule:5s+5m+30m                these delays, one after the other
  @policy.json                      a file

Example:
  petrel simulate --outage 10m --capacity 200/s --policy storm-safe,fixed:30s --html report.html

docs/simulate.md explains the model and every number.)";

storm::Comparison compare(const storm::Scenario& scenario,
                          const std::vector<storm::Contender>& contenders) {
  const SystemClock clock;
  ProgressBar bar(clock, isatty(STDERR_FILENO) == 1 ? stderr : nullptr);
  storm::Comparison comparison{.scenario = scenario, .runs = {}};
  for (const storm::Contender& contender : contenders) {
    const auto done = static_cast<double>(comparison.runs.size());
    const auto show = [&](double share) {
      bar.show((done + share) / static_cast<double>(contenders.size()), full_name(contender));
    };
    comparison.runs.push_back(storm::play(scenario, contender, show));
  }
  return comparison;
}

// Opened before the work begins, so that a wrong path is not found out after it.
struct OutputFile {
  std::string path;
  std::ofstream file;

  explicit OutputFile(std::string where) : path(std::move(where)) {
    if (!path.empty()) file.open(path, std::ios::binary | std::ios::trunc);
  }

  bool is_fine() const { return path.empty() || file.good(); }

  template <typename Text>
  bool write(Text text) {
    if (path.empty()) return true;
    file << text() << std::flush;
    if (file.good()) fmt::print(stderr, "petrel: wrote {}\n", path);
    return file.good();
  }
};

void print_text(const storm::Comparison& comparison) {
  fmt::print("{}.\n\n{}\n{}\n{}\n", describe(comparison.scenario), score_table(comparison),
             request_plot(comparison), verdict(comparison));
}

int simulate(const SimulateOptions& options) {
  const Result<storm::Scenario> scenario = read_scenario(options);
  if (!scenario.ok()) {
    complain("--" + scenario.error().text(), kHint);
    return kExitUsage;
  }
  const Result<std::vector<storm::Contender>> contenders = read_contenders(options);
  if (!contenders.ok()) {
    complain("--" + contenders.error().text(), kHint);
    return kExitUsage;
  }
  OutputFile html(options.html);
  OutputFile svg(options.svg);
  for (const OutputFile* output : {&html, &svg}) {
    if (output->is_fine()) continue;
    complain(fmt::format("cannot write the file {}", output->path));
    return kExitFailure;
  }

  const storm::Comparison comparison = compare(*scenario, *contenders);
  if (options.is_json) {
    JsonWriter json;
    write_comparison(comparison, json);
    fmt::print("{}\n", json.text());
  } else {
    print_text(comparison);
  }
  std::fflush(stdout);
  const bool is_written = html.write([&] {
    return page(comparison, command_for(*scenario, options));
  }) && svg.write([&] { return chart_file(comparison, storm::Subject::Requests); });
  if (is_written) return kExitOk;
  complain("cannot write the report: is the disk full?");
  return kExitFailure;
}

void add_options(CLI::App& command, SimulateOptions& options) {
  command.add_option("--policy", options.policies, "The policies to compare, with commas between")
      ->allow_extra_args(false);
  command.add_option("--events", options.events, "How many messages come (10000)");
  command.add_option("--span", options.span, "Over how long they come (as long as the outage)");
  command.add_option("--batch", options.batch, "How many come at the same moment (1)");
  command.add_option("--outage", options.outage, "How long the receiver is away (10m)");
  command.add_option("--outage-at", options.outage_at,
                     "When it begins (in the middle of the span)");
  command.add_option("--outage-kind", options.outage_kind, "refuse, 503 or hang (refuse)");
  command.add_option("--capacity", options.capacity, "What the receiver can serve (200/s)");
  command.add_option("--latency", options.latency, "How long it takes for an answer (50ms)");
  command.add_option("--crash-after", options.crash_after,
                     "It falls over when it is asked for this much work more than it can do (2s)");
  command.add_option("--crash-for", options.crash_for, "How long it is gone then (30s)");
  command.add_option("--in-flight", options.in_flight, "The endpoint's maxInFlight (10)");
  command.add_option("--timeout", options.timeout, "The endpoint's timeout (15s)");
  command.add_option(
      "--duration", options.duration,
      "When to stop if it is not over before (a day after the last message and the outage)");
  command.add_option("--seed", options.seed, "The same seed gives the same result (1)");
  CLI::Option* guards =
      command
          .add_option("--guards", options.guards,
                      "on: as an endpoint of Petrel has them; off: the policy alone; both (both)")
          ->check(CLI::IsMember({"on", "off", "both"}));
  command.add_flag("--no-breaker", options.is_without_breaker, "The same as --guards off")
      ->excludes(guards);
  command.add_flag("--json", options.is_json, "Print JSON instead of a table");
  command.add_option("--html", options.html, "Also write a report for a browser to this file");
  command.add_option("--svg", options.svg, "Also write the picture of the requests to this file");
}

}  // namespace

void add_simulate_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* command =
      cli.add_subcommand("simulate", "Play an outage with several retry policies and compare them");
  auto options = std::make_shared<SimulateOptions>();
  add_options(*command, *options);
  command->footer(std::string(kFooter));
  command->callback([&chosen, options] { chosen = [options] { return simulate(*options); }; });
}

}  // namespace petrel::app
