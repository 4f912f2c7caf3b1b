#include "app/send_command.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/client/client_options.h"
#include "app/client/json_view.h"
#include "app/command.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/ksuid.h"
#include "base/secure_random.h"
#include "base/try.h"

namespace petrel::app {
namespace {

// More than any server takes.
constexpr std::size_t kPayloadBytesMax = std::size_t{64} << 20U;

// The key makes it safe to ask again: the message is taken once.
constexpr int kTriesMax = 4;

struct SendOptions {
  std::string application;
  std::string event_type;
  std::string payload = "{}";
  std::string event_id;
  std::vector<std::string> channels;
  std::vector<std::string> tags;
  std::string deliver_at;
  std::string key;
};

void write_list(std::string_view name, const std::vector<std::string>& texts, JsonWriter& json) {
  if (texts.empty()) return;
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

Result<std::string> body_of(const SendOptions& options) {
  ASSIGN_OR_RETURN(const std::string payload,
                   under("PAYLOAD", text_argument(options.payload, kPayloadBytesMax)));
  // It goes out to the byte as it is, so it has to be whole.
  TRY(under("PAYLOAD", RawObject::parse(payload)));
  JsonWriter json;
  json.begin_object().field("eventType", options.event_type);
  if (!options.event_id.empty()) json.field("eventId", options.event_id);
  write_list("channels", options.channels, json);
  write_list("tags", options.tags, json);
  if (!options.deliver_at.empty()) json.field("deliverAt", options.deliver_at);
  json.key("payload").raw(payload).end_object();
  return json.take();
}

std::string key_of(const SendOptions& options) {
  if (!options.key.empty()) return options.key;
  SystemSecureRandom random;
  return "petrel-send-" + Ksuid::make(SystemClock().wall(), random).text();
}

Result<int> send(ApiClient& api, const SendOptions& options, bool is_json) {
  ASSIGN_OR_RETURN(std::string body, body_of(options));
  const std::string path =
      fmt::format("/app/{}/msg?with_content=false", escaped(options.application));
  ASSIGN_OR_RETURN(const ApiAnswer answer, api.post(path, std::move(body), key_of(options)));
  if (is_json) {
    fmt::print("{}\n", answer.text);
  } else {
    fmt::print("accepted {}\n", printable(text_at(answer.json, "id")));
  }
  return int{kExitOk};
}

}  // namespace

void add_send_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* command = cli.add_subcommand("send", "Send a message to an application's endpoints");
  auto options = std::make_shared<SendOptions>();
  command->add_option("APP", options->application, "The application, by id or uid")->required();
  command->add_option("EVENT_TYPE", options->event_type, "Such as invoice.paid")->required();
  command->add_option("PAYLOAD", options->payload, "A JSON object, @file, or - for stdin ({})");
  command->add_option("--event-id", options->event_id, "Your own id of it, taken once");
  command->add_option("--channel", options->channels, "Only endpoints with this channel")
      ->allow_extra_args(false);
  command->add_option("--tag", options->tags, "To find it by")->allow_extra_args(false);
  command->add_option("--deliver-at", options->deliver_at, "When to deliver it, RFC 3339");
  command->add_option("--idempotency-key", options->key,
                      "Again with the same key it is not doubled");
  const ClientOptions client(*command);
  command->callback([&chosen, options, client] {
    chosen = [options, client] {
      return client.run([&](ApiClient& api) { return send(api, *options, client.is_json()); },
                        {.tries_max = kTriesMax});
    };
  });
}

}  // namespace petrel::app
