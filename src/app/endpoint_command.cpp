#include "app/endpoint_command.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/client/client_options.h"
#include "app/client/json_view.h"
#include "app/command.h"
#include "base/json_writer.h"
#include "base/try.h"

namespace petrel::app {
namespace {

struct EndpointOptions {
  std::string application;
  std::string endpoint;
  std::string reason;
};

struct Act {
  const char* name;
  const char* about;
  const char* path;  // Below the endpoint's.
  const char* done;  // "{} is paused: …"
};

constexpr Act kPause{"pause", "Hold an endpoint's deliveries until it is resumed", "/pause",
                     "{} is paused: its deliveries wait, and their give-up clock stands still"};
constexpr Act kResume{"resume", "Let a paused endpoint's deliveries go, under a ramp", "/resume",
                      "{} is resumed: its deliveries go, slowly at first"};
constexpr Act kProbe{"probe", "Try an endpoint now whose circuit is open", "/circuit/probe",
                     "{} is tried now; `petrel status` says how that went"};

Result<int> carry_out(ApiClient& api, const Act& act, const EndpointOptions& options,
                      bool is_json) {
  const std::string path = fmt::format("/app/{}/endpoint/{}{}", escaped(options.application),
                                       escaped(options.endpoint), act.path);
  std::string body;
  if (!options.reason.empty()) {
    JsonWriter json;
    json.begin_object().field("reason", options.reason).end_object();
    body = json.take();
  }
  ASSIGN_OR_RETURN(const ApiAnswer answer, api.post(path, std::move(body)));
  if (is_json) {
    fmt::print("{}\n", answer.text.empty() ? "{}" : answer.text);
  } else {
    fmt::print("{}\n", fmt::format(fmt::runtime(act.done), printable(options.endpoint)));
  }
  return int{kExitOk};
}

void add(CLI::App& group, const Act& act, std::function<int()>& chosen) {
  CLI::App* command = group.add_subcommand(act.name, act.about);
  auto options = std::make_shared<EndpointOptions>();
  command->add_option("APP", options->application, "The application, by id or uid")->required();
  command->add_option("ENDPOINT", options->endpoint, "The endpoint, by id or uid")->required();
  if (&act == &kPause) {
    command->add_option("--reason", options->reason, "Shown to whoever asks why it is paused");
  }
  const ClientOptions client(*command);
  command->callback([&chosen, &act, options, client] {
    chosen = [&act, options, client] {
      return client.run(
          [&](ApiClient& api) { return carry_out(api, act, *options, client.is_json()); });
    };
  });
}

}  // namespace

void add_endpoint_commands(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* group = cli.add_subcommand("endpoint", "Pause, resume or probe an endpoint");
  group->require_subcommand(1);
  for (const Act* act : {&kPause, &kResume, &kProbe}) add(*group, *act, chosen);
}

}  // namespace petrel::app
