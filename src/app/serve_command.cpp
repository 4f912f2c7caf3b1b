#include "app/serve_command.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <signal.h>

#include "app/command.h"
#include "app/public_url.h"
#include "app/secret_file.h"
#include "app/server.h"
#include "app/settings_options.h"
#include "app/start_lines.h"
#include "app/stderr_log.h"
#include "app/terminal.h"
#include "base/clock.h"
#include "base/duration_text.h"
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

StderrLog::Settings log_settings(const Settings& settings) {
  return {.level = settings.log_level,
          .format = settings.log_format,
          .paint = shows_colours(stderr) ? log::Paint::Colours : log::Paint::None};
}

ExitCode failed(StderrLog& log, const Error& error) {
  const ExitCode code = exit_code_of(error);
  log.tell(log::Kind::ServerFailed, [&] {
    log::Words words{error.text()};
    if (code == kExitUsage) {
      words.fields.emplace_back("hint", "petrel serve --help lists the settings");
    }
    return words;
  });
  return code;
}

void reload(Server& server, StderrLog& log) {
  const Status reloaded = server.reload_tls();
  if (reloaded.ok()) {
    log.tell(log::Kind::TlsReloaded,
             [] { return log::Words{"SIGHUP: new connections get the certificate as it is now"}; });
  } else {
    log.tell(log::Kind::TlsKept,
             [&] { return log::Words{"SIGHUP: nothing changes: " + reloaded.error().text()}; });
  }
}

int serve(const SettingsOptions& options, const ServeFlags& flags) {
  Result<Settings> settings = options.read_quietly();
  std::vector<std::string> warnings = SettingsOptions::warnings();
  if (!settings.ok()) {
    for (const std::string& warning : warnings) complain(warning);
    complain(settings.error().text(), "petrel serve --help lists the settings");
    return kExitUsage;
  }
  settings->accepts_data_loss = flags.accepts_data_loss;
  settings->makes_secret_anew = flags.makes_secret_anew;
  const sigset_t signals = block_signals();
  const SystemClock clock;
  SystemSecureRandom random;
  StderrLog log(log_settings(*settings), clock);  // Outlives the server.
  log_start(log, *settings);
  for (std::string& warning : exposed_files(*settings)) warnings.push_back(std::move(warning));
  for (const std::string& warning : warnings) {
    log.tell(log::Kind::ServerWarning, [&] { return log::Words{warning}; });
  }
  Result<std::unique_ptr<Server>> server = Server::start(*settings, clock, random, log);
  if (!server.ok()) return failed(log, server.error());
  log_listening(log, *settings, (*server)->port(), (*server)->shards());
  if (const auto port = (*server)->metrics_port()) {
    fmt::print("petrel shows its metrics on {}/metrics\n", metrics_url(*settings, *port));
  }
  fmt::print("petrel listens on {}\n", listen_url(*settings, (*server)->port()));
  std::fflush(stdout);

  int signal = wait_for_signal(signals);
  for (; signal == SIGHUP; signal = wait_for_signal(signals)) reload(**server, log);
  log.tell(log::Kind::ServerStopping, [&] {
    return log::Words{fmt::format("SIG{}: attempts in flight have {} to end", sigabbrev_np(signal),
                                  to_text(settings->shutdown_grace))};
  });
  (*server)->stop(settings->shutdown_grace);
  log.tell(log::Kind::ServerStopped, [] { return log::Words{"the store is closed"}; });
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
