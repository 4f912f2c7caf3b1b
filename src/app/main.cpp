#include <cstdio>
#include <exception>
#include <functional>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/about_commands.h"
#include "app/backup_command.h"
#include "app/command.h"
#include "app/command_mistake.h"
#include "app/doctor_command.h"
#include "app/endpoint_command.h"
#include "app/health_command.h"
#include "app/import_command.h"
#include "app/inspect_command.h"
#include "app/policy_command.h"
#include "app/replay_command.h"
#include "app/send_command.h"
#include "app/serve_command.h"
#include "app/simulate_command.h"
#include "app/status_command.h"
#include "app/tail_command.h"
#include "app/token_command.h"
#include "app/version.h"

namespace {

using namespace petrel::app;

int run(int argc, char** argv) {
  ::umask(0077);  // Payloads and secrets are for this user alone.
  CLI::App cli("Petrel delivers webhooks: durably, and without making an outage worse.", "petrel");
  cli.set_version_flag("--version", fmt::format("petrel {}", version_text()));
  cli.require_subcommand(1);
  cli.footer("petrel help COMMAND says more.");
  std::function<int()> chosen;
  add_serve_command(cli, chosen);
  add_status_command(cli, chosen);
  add_send_command(cli, chosen);
  add_tail_command(cli, chosen);
  add_dead_letter_commands(cli, chosen);
  add_replay_command(cli, chosen);
  add_endpoint_commands(cli, chosen);
  add_import_command(cli, chosen);
  add_token_command(cli, chosen);
  add_policy_command(cli, chosen);
  add_simulate_command(cli, chosen);
  add_backup_commands(cli, chosen);
  add_inspect_command(cli, chosen);
  add_doctor_command(cli, chosen);
  add_health_command(cli, chosen);
  add_about_commands(cli, chosen);

  try {
    cli.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return cli.exit(success);  // --help and --version.
  } catch (const CLI::ParseError& error) {
    const CommandMistake mistake = mistake_of(cli, error);
    complain(mistake.what, mistake.hint);
    return kExitUsage;
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    complain(error.what());
    return kExitFailure;
  }
}
