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
#include "base/json_writer.h"
#include "base/rfc3339.h"
#include "base/try.h"

namespace petrel::app {
namespace {

struct TokenOptions {
  std::string organisation = std::string(api::kDefaultOrganisation);
  std::string application;
  std::string expires = "365d";
  bool is_json = false;
};

// One that lives longer outlives the people and machines it was made for.
constexpr Duration kLifetimeAmple = std::chrono::days(366);

struct Token {
  std::string text;
  WallTime expires_at;
};

Result<Token> mint(const TokenOptions& options, const Settings& settings) {
  api::Caller caller;
  ASSIGN_OR_RETURN(caller.organisation,
                   under("--org", OrganisationId::parse(options.organisation)));
  if (!options.application.empty()) {
    ASSIGN_OR_RETURN(caller.application, under("--app", ApplicationId::parse(options.application)));
  }
  ASSIGN_OR_RETURN(const Duration lifetime, under("--expires", parse_duration(options.expires)));
  ASSIGN_OR_RETURN(const std::string secret, find_jwt_secret(settings));
  if (lifetime > kLifetimeAmple) {
    complain(
        fmt::format("this token is good for {}: should it leak, only a logout with it or a new "
                    "jwt-secret ends it",
                    to_words(lifetime)),
        "--expires 365d makes one for a year");
  }
  const WallTime now = SystemClock().wall();
  std::string text = api::Auth(secret).mint(caller, now, lifetime);
  return Token{std::move(text), now + lifetime};
}

int create_token(const TokenOptions& options, const SettingsOptions& settings_options) {
  const Result<Settings> settings = settings_options.read();
  const Result<Token> token =
      settings.ok() ? mint(options, *settings) : Result<Token>(settings.error());
  if (!token.ok()) {
    const bool is_missing = token.error().kind == ErrorKind::NotFound;
    complain(token.error().text(), is_missing
                                       ? "start the server once, or give --store or --jwt-secret"
                                       : "petrel token create --help says what it takes");
    return exit_code_of(token.error());
  }
  if (!options.is_json) {
    fmt::print("{}\n", token->text);
    return kExitOk;
  }
  JsonWriter json;
  json.begin_object().field("token", token->text);
  json.field("expiresAt", to_rfc3339(token->expires_at)).end_object();
  fmt::print("{}\n", json.text());
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
  create->add_option("--expires", options->expires, "How long it is good, such as 30d (365d)");
  create->add_flag("--json", options->is_json, "Print JSON, with the moment it expires");
  const SettingsOptions settings(*create, {"store", "jwt-secret"});
  create->callback([&chosen, options, settings] {
    chosen = [options, settings] { return create_token(*options, settings); };
  });
}

}  // namespace petrel::app
