#include "app/import_command.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/client/client_options.h"
#include "app/client/json_view.h"
#include "app/command.h"
#include "app/environment.h"
#include "app/import/import_journal.h"
#include "app/import/import_run.h"
#include "app/progress_bar.h"
#include "app/terminal.h"
#include "base/clock.h"
#include "base/ksuid.h"
#include "base/secure_random.h"
#include "base/try.h"
#include "base/url.h"

namespace petrel::app {
namespace {

// A source that limits its rate, or is away for a minute or two, is waited for.
constexpr Patience kPatience{.tries_max = 12};

struct ImportOptions {
  std::string from;
  std::string from_token;
  std::string journal;
  std::vector<std::string> applications;
  bool is_dry = false;
};

constexpr std::string_view kFooter =
    R"(The source may be any server that speaks this API: Svix, hosted or not, or another Petrel. It
is only read. What has been taken is noted in the journal: run the same command again to go on
after an interruption, or to take what is new. Nothing that is in the target is changed.

Example:
  petrel import --from https://api.svix.com --from-token @svix-token --dry-run)";

Result<ServerAccess> source_of(const ImportOptions& options) {
  std::string token = options.from_token;
  if (token.empty()) token = environment_variable("PETREL_FROM_TOKEN").value_or("");
  if (token.empty()) {
    return invalid("--from-token",
                   "is missing: the token for --from (--token is that of the "
                   "server that is imported into)");
  }
  AccessSources sources;
  sources.flags = {.server = options.from, .token = token};
  const Result<FoundAccess> found = find_access(sources);
  if (!found.ok()) {
    Error error = found.error();
    error.field = error.field == "token" ? "--from-token" : "--from";
    return error;
  }
  return found->access;
}

ImportJournal::Place journal_place(const ImportOptions& options, const std::string& from,
                                   const std::string& to) {
  SystemSecureRandom random;
  ImportJournal::Place place{.path = options.journal, .from = from, .to = to, .run = {}};
  place.run = Ksuid::make(SystemClock().wall(), random).text();
  if (place.path.empty()) {
    const Result<Url> url = Url::parse(from);
    place.path = fmt::format("petrel-import-{}.jsonl", url.ok() ? url->host : "source");
  }
  return place;
}

void print_report(const ImportReport& report, const ImportOptions& options, bool is_json) {
  if (is_json) {
    fmt::print("{}\n", report.json(options.is_dry));
  } else {
    fmt::print("{}", report.text(options.is_dry));
  }
  std::fflush(stdout);
}

Result<int> import(ApiClient& target, const ClientOptions& client, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const ServerAccess access, source_of(options));
  ASSIGN_OR_RETURN(const Duration timeout, client.timeout());
  ApiClient source(access, {.timeout = timeout, .patience = kPatience, .renew = {}},
                   target.interrupt());
  const ImportJournal::Place place = journal_place(options, source.url(), target.url());
  ASSIGN_OR_RETURN(const std::unique_ptr<ImportJournal> journal,
                   options.is_dry ? ImportJournal::look(place) : ImportJournal::open(place));
  const SystemClock clock;
  Status done = Done{};
  ImportReport report;
  {
    ProgressBar bar(clock, is_terminal(stderr) ? stderr : nullptr);
    ImportRun run({.source = source,
                   .target = target,
                   .journal = *journal,
                   .bar = bar,
                   .only = options.applications,
                   .is_dry = options.is_dry});
    done = run.run();
    report = run.report();
  }
  print_report(report, options, client.is_json());
  if (!done.ok()) {
    complain(fmt::format("the import has not come to its end: {}", done.error().text()),
             options.is_dry ? ""
                            : fmt::format("the same command goes on where it was; {} says how far "
                                          "that is",
                                          journal->path()));
    return int{exit_code_of(done.error())};
  }
  if (!client.is_json() && !options.is_dry) {
    fmt::print("{} says which id has become which.\n", journal->path());
  }
  return int{report.has_notes() ? kExitFindings : kExitOk};
}

}  // namespace

void add_import_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* command = cli.add_subcommand(
      "import", "Copy applications, endpoints and event types from another server");
  auto options = std::make_shared<ImportOptions>();
  command->add_option("--from", options->from, "URL of the server to copy from")->required();
  command->add_option("--from-token", options->from_token,
                      "A token of the organisation there, or @file with one [PETREL_FROM_TOKEN]");
  command
      ->add_option("--app", options->applications,
                   "Only this application of it, by id or uid; can be repeated")
      ->allow_extra_args(false);
  command->add_option("--journal", options->journal,
                      "Where to note what has been taken (petrel-import-HOST.jsonl)");
  command->add_flag("--dry-run", options->is_dry, "Only say what would be done");
  command->footer(std::string(kFooter));
  const ClientOptions client(*command, "--server,--to");
  command->callback([&chosen, options, client] {
    chosen = [options, client] {
      return client.run([&](ApiClient& api) { return import(api, client, *options); }, kPatience);
    };
  });
}

}  // namespace petrel::app
