#include "app/token_command.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "api/http/auth.h"
#include "app/command.h"
#include "app/secret_file.h"
#include "app/settings_options.h"
#include "base/clock.h"
#include "base/duration_text.h"
#include "base/try.h"

namespace petrel::app {
namespace {

struct TokenOptions {
  std::string organisation = std::string(api::kDefaultOrganisation);
  std::string application;
  std::string expires = "3650d";
};

Result<std::string> mint(const TokenOptions& options, const Settings& settings) {
  api::Caller caller;
  ASSIGN_OR_RETURN(caller.organisation,
                   under("--org", OrganisationId::parse(options.organisation)));
  if (!options.application.empty()) {
    ASSIGN_OR_RETURN(caller.application, under("--app", ApplicationId::parse(options.application)));
  }
  ASSIGN_OR_RETURN(const Duration lifetime, under("--expires", parse_duration(options.expires)));
  ASSIGN_OR_RETURN(const std::string secret, find_jwt_secret(settings));
  return api::Auth(secret).mint(caller, SystemClock().wall(), lifetime);
}

int create_token(const TokenOptions& options, const SettingsOptions& settings_options) {
  const Result<Settings> settings = settings_options.read();
  const Result<std::string> token =
      settings.ok() ? mint(options, *settings) : Result<std::string>(settings.error());
  if (!token.ok()) {
    const bool is_missing = token.error().kind == ErrorKind::NotFound;
    complain(token.error().text(),
             is_missing ? "start the server once, or give --store or --jwt-secret" : "");
    return is_missing ? kExitFailure : kExitUsage;
  }
  fmt::print("{}\n", *token);
  return kExitOk;
}

}  // namespace

void add_token_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* group = cli.add_subcommand("token", "Make bearer tokens");
  group->require_subcommand(1);
  CLI::App* create = group->add_subcommand("create",
                                           "Print a token for an organisation or one of "
                                           "its applications");
  auto options = std::make_shared<TokenOptions>();
  create->add_option("--org", options->organisation, "The organisation's id (a default one)");
  create->add_option("--app", options->application, "Only this application, by its id");
  create->add_option("--expires", options->expires, "How long it is good (3650d)");
  const SettingsOptions settings(*create, {"store", "jwt-secret"});
  create->callback([&chosen, options, settings] {
    chosen = [options, settings] { return create_token(*options, settings); };
  });
}

}  // namespace petrel::app
