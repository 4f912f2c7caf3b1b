#include "app/serve_command.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>

#include "app/command.h"
#include "app/public_url.h"
#include "app/secret_file.h"
#include "app/server.h"
#include "app/settings_options.h"
#include "base/clock.h"
#include "base/secure_random.h"

namespace petrel::app {
namespace {

// The signals that end us, and the one to read the certificate anew, kept from every thread: this
// one waits for them.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // A receiver that hangs up is no reason to end.
  return signals;
}

int wait_for_signal(const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
  return signal;
}

// What is said with one start and not kept.
struct ServeFlags {
  bool accepts_data_loss = false;
  bool makes_secret_anew = false;
};

int serve(const SettingsOptions& options, const ServeFlags& flags) {
  Result<Settings> settings = options.read();
  if (!settings.ok()) {
    complain(settings.error().text(), "petrel serve --help lists the settings");
    return kExitUsage;
  }
  settings->accepts_data_loss = flags.accepts_data_loss;
  settings->makes_secret_anew = flags.makes_secret_anew;
  for (const std::string& warning : exposed_files(*settings)) complain(warning);
  const sigset_t signals = block_signals();
  const SystemClock clock;
  SystemSecureRandom random;
  Result<std::unique_ptr<Server>> server = Server::start(*settings, clock, random);
  if (!server.ok()) {
    const ExitCode code = exit_code_of(server.error());
    complain(server.error().text(),
             code == kExitUsage ? "petrel serve --help lists the settings" : "");
    return code;
  }
  if (const auto port = (*server)->metrics_port()) {
    fmt::print("petrel shows its metrics on {}/metrics\n", metrics_url(*settings, *port));
  }
  fmt::print("petrel listens on {}\n", listen_url(*settings, (*server)->port()));
  std::fflush(stdout);

  while (wait_for_signal(signals) == SIGHUP) {
    const Status reloaded = (*server)->reload_tls();
    if (!reloaded.ok()) complain("SIGHUP: nothing changes: " + reloaded.error().text());
  }
  (*server)->stop(settings->shutdown_grace);
  return kExitOk;
}

}  // namespace

void add_serve_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* command = cli.add_subcommand("serve", "Run the server");
  const SettingsOptions options(*command);
  // Shared with the callback, which runs after this has returned.
  auto flags = std::make_shared<ServeFlags>();
  command->add_flag("--accept-data-loss", flags->accepts_data_loss,
                    "Start although a log of the store is missing or cut");
  command->add_flag("--new-jwt-secret", flags->makes_secret_anew,
                    "Make a jwt-secret if it is missing: no token stays valid");
  command->callback(
      [&chosen, options, flags] { chosen = [options, flags] { return serve(options, *flags); }; });
}

}  // namespace petrel::app
