#include "app/client/client_options.h"

#include <CLI/CLI.hpp>

#include "app/command.h"
#include "app/config_file.h"
#include "app/environment.h"
#include "app/settings.h"
#include "app/unknown_settings.h"
#include "base/duration_text.h"
#include "base/try.h"

namespace petrel::app {
namespace {

std::string variable(const std::string& name) { return environment_variable(name).value_or(""); }

std::string value_of(const std::map<std::string, std::string>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::string() : found->second;
}

}  // namespace

ClientOptions::ClientOptions(CLI::App& command, const std::string& server_names)
    : words_(std::make_shared<Words>()) {
  command.add_option(server_names, words_->flags.server,
                     "The server's URL (the server on this machine) [PETREL_URL]");
  command.add_option("--token", words_->flags.token,
                     "A token, or @file with one: a command line can be seen by other users "
                     "[PETREL_TOKEN]");
  command.add_option("--store", words_->store,
                     "Folder of a server on this machine, which needs no token (./petrel-data) "
                     "[PETREL_STORE]");
  command.add_option("--org", words_->organisation,
                     "The organisation to be, at a server on this machine (a default one)");
  command.add_option("--config", words_->config, "A TOML file; its [client] has server and token")
      ->envname("PETREL_CONFIG");
  command.add_option("--timeout", words_->timeout, "How long one request may take (30s)");
  command.add_flag("--json", words_->is_json, "Print JSON");
}

Result<Duration> ClientOptions::timeout() const {
  ASSIGN_OR_RETURN(const Duration timeout, under("--timeout", parse_duration(words_->timeout)));
  if (timeout < std::chrono::milliseconds(100) || timeout > std::chrono::hours(1)) {
    return invalid("--timeout", "must be between 100ms and 1h");
  }
  return timeout;
}

Result<AccessSources> ClientOptions::sources() const {
  for (const std::string& warning : unknown_variables(environment_variables())) complain(warning);
  AccessSources sources{
      .flags = words_->flags,
      .environment = {.server = variable("PETREL_URL"), .token = variable("PETREL_TOKEN")},
      .file = {},
      .organisation = words_->organisation,
      .store = words_->store};
  if (sources.store.empty()) sources.store = variable("PETREL_STORE");
  if (!words_->config.empty()) {
    ASSIGN_OR_RETURN(const ConfigFile file, read_whole_config_file(words_->config));
    sources.file = {.server = value_of(file.client, "server"),
                    .token = value_of(file.client, "token")};
    if (sources.store.empty()) sources.store = value_of(file.settings, "store");
  }
  if (sources.store.empty()) sources.store = Settings().store;
  return sources;
}

Result<FoundAccess> ClientOptions::access() const {
  ASSIGN_OR_RETURN(const AccessSources found, sources());
  return find_access(found);
}

int ClientOptions::run(const std::function<Result<int>(ApiClient&)>& work,
                       Patience patience) const {
  const Interrupt interrupt;
  const Result<Duration> patient_for = timeout();
  const Result<AccessSources> named = sources();
  const Result<FoundAccess> found = named.ok() ? find_access(*named) : named.error();
  for (const Error* error :
       {patient_for.ok() ? nullptr : &patient_for.error(), found.ok() ? nullptr : &found.error()}) {
    if (error != nullptr) return exit_code(Status(*error));
  }
  ClientSettings settings{.timeout = *patient_for, .patience = patience};
  if (found->is_by_socket) {
    settings.renew = [store = named->store, organisation = named->organisation] {
      return access_by_socket(store, organisation);
    };
  }
  ApiClient api(found->access, std::move(settings), interrupt);
  const Result<int> done = work(api);
  return done.ok() ? *done : exit_code(Status(done.error()));
}

}  // namespace petrel::app
