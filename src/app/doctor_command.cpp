#include "app/doctor_command.h"

#include <memory>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/checkup.h"
#include "app/command.h"
#include "app/finding.h"
#include "app/settings_options.h"
#include "app/terminal.h"
#include "base/clock.h"

namespace petrel::app {
namespace {

std::vector<Finding> examine(const SettingsOptions& options, const Clock& clock) {
  const Result<Settings> settings = options.read();
  if (!settings.ok()) {
    return {{.about = "settings",
             .verdict = Verdict::Problem,
             .what = settings.error().text(),
             .remedy = "correct it; `petrel serve --help` lists the settings"}};
  }
  return check_up(*settings, clock);
}

int run(const SettingsOptions& options, bool is_json) {
  const SystemClock clock;
  const std::vector<Finding> findings = examine(options, clock);
  if (is_json) {
    fmt::print("{}\n", to_json(findings));
  } else {
    fmt::print("{}", to_table(findings, shows_colours(stdout)));
  }
  return has_problem(findings) ? kExitFindings : kExitOk;
}

}  // namespace

void add_doctor_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* command =
      cli.add_subcommand("doctor", "Check what a server needs; exits with 3 if something is wrong");
  auto is_json = std::make_shared<bool>(false);
  command->add_flag("--json", *is_json, "Print JSON");
  const SettingsOptions options(*command);
  command->callback([&chosen, options, is_json] {
    chosen = [options, is_json] { return run(options, *is_json); };
  });
}

}  // namespace petrel::app
