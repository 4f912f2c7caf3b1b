#include "app/inspect_command.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/command.h"
#include "app/control_socket.h"
#include "app/owners_rights.h"
#include "app/settings_options.h"
#include "app/store_access.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/rfc3339.h"
#include "base/try.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/verification.h"

namespace petrel::app {
namespace {

using store::RocksStore;

struct InspectOptions {
  std::string message;
  bool is_verifying = false;
  bool is_json = false;
};

// More than these are counted only: a disk may have lost everything.
constexpr std::size_t kDamageShownMax = 10'000;

JsonWriter& count(JsonWriter& json, std::string_view name, std::uint64_t number) {
  return json.field(name, static_cast<std::int64_t>(number));
}

void write_message(const model::Message& message, const model::Application& application,
                   const std::vector<model::Delivery>& deliveries) {
  JsonWriter json;
  json.begin_object().field("id", message.id.text()).field("application", application.id.text());
  json.field("eventType", message.event_type).field("acceptedAt", to_rfc3339(message.accepted_at));
  json.key("deliveries").begin_array();
  for (const model::Delivery& delivery : deliveries) {
    json.begin_object().field("endpoint", delivery.key.endpoint.text());
    json.field("state", to_string(delivery.state)).key("reason");
    delivery.reason ? json.value(to_string(*delivery.reason)) : json.null();
    json.field("attempts", static_cast<std::int64_t>(delivery.attempts_total)).end_object();
  }
  json.end_array().end_object();
  fmt::print("{}\n", json.text());
}

void write_counts(const store::StoreCounts& counts, const std::vector<store::FamilySize>& sizes) {
  JsonWriter json;
  json.begin_object();
  count(json, "applications", counts.applications);
  count(json, "endpoints", counts.endpoints);
  count(json, "messages", counts.messages);
  count(json, "attempts", counts.attempts);
  json.key("deliveries").begin_object();
  count(json, "live", counts.deliveries_live);
  count(json, "delivered", counts.deliveries_delivered);
  count(json, "dead", counts.deliveries_dead);
  json.end_object().key("bytesOnDisk").begin_object();
  for (const store::FamilySize& size : sizes) count(json, size.name, size.bytes);
  json.end_object().end_object();
  fmt::print("{}\n", json.text());
}

Status print_message(RocksStore& store, const std::string& text, bool is_json) {
  ASSIGN_OR_RETURN(const MessageId id, under("message", MessageId::parse(text)));
  ASSIGN_OR_RETURN(const auto applications, store.all_applications());
  for (const model::Application& application : applications) {
    const Result<model::Message> message = store.message(application.id, id);
    if (!message.ok()) continue;
    ASSIGN_OR_RETURN(const auto deliveries, store.deliveries_of_message(id));
    if (is_json) {
      write_message(*message, application, deliveries);
      return Done{};
    }
    fmt::print("message     {}\napplication {} {}\nevent type  {}\naccepted    {}\n",
               message->id.text(), application.id.text(), application.name, message->event_type,
               to_rfc3339(message->accepted_at));
    for (const model::Delivery& delivery : deliveries) {
      fmt::print("delivery    {} {}{}{}, {} attempts\n", delivery.key.endpoint.text(),
                 to_string(delivery.state), delivery.reason ? " " : "",
                 delivery.reason ? to_string(*delivery.reason) : "", delivery.attempts_total);
    }
    return Done{};
  }
  return not_found(fmt::format("there is no message {}", id.text()));
}

Status print_counts(RocksStore& store, bool is_json) {
  ASSIGN_OR_RETURN(const store::StoreCounts counts, store.count());
  ASSIGN_OR_RETURN(const auto sizes, store.sizes());
  if (is_json) {
    write_counts(counts, sizes);
    return Done{};
  }
  fmt::print("applications {:>12}\nendpoints    {:>12}\nmessages     {:>12}\n", counts.applications,
             counts.endpoints, counts.messages);
  fmt::print("attempts     {:>12}\ndeliveries\n  live       {:>12}\n  delivered  {:>12}\n",
             counts.attempts, counts.deliveries_live, counts.deliveries_delivered);
  fmt::print("  dead       {:>12}\n", counts.deliveries_dead);
  fmt::print("\nbytes on disk\n");
  for (const store::FamilySize& size : sizes)
    fmt::print("  {:<20} {:>14}\n", size.name, size.bytes);
  return Done{};
}

void print_verification(const store::Verification& done,
                        const std::vector<store::StoreDamage>& damage, bool is_json) {
  if (!is_json) {
    fmt::print("read {} tables and {} records: {}\n", done.files, done.records,
               done.damaged == 0 ? "all whole" : fmt::format("{} damaged", done.damaged));
    return;
  }
  JsonWriter json;
  json.begin_object();
  count(json, "tables", done.files);
  count(json, "records", done.records);
  count(json, "damagedTotal", done.damaged);
  json.key("damaged").begin_array();
  for (const store::StoreDamage& each : damage) {
    json.begin_object().field("name", each.name).field("what", each.what).end_object();
  }
  json.end_array().end_object();
  fmt::print("{}\n", json.text());
}

// Says what is damaged, and what to do about it. How the command ends.
Result<int> verify(const Settings& settings, bool is_json) {
  // Whatever it says to this: that it answers is enough.
  const Result<std::string> asked =
      ControlSocket::ask(ControlSocket::path_in(settings.store), "verify");
  if (asked.ok() || asked.error().kind == ErrorKind::Unavailable) {
    return conflict("a server runs on this store: stop it first");
  }
  ASSIGN_OR_RETURN(const store::RocksSettings rocks, settings_to_look(settings));
  const SystemClock clock;
  std::vector<store::StoreDamage> found;
  const auto done = store::verify(rocks, clock, [&](const store::StoreDamage& damage) {
    if (is_json) {
      if (found.size() < kDamageShownMax) found.push_back(damage);
    } else {
      fmt::print("damaged: {}: {}\n", damage.name, damage.what);
    }
  });
  if (!done.ok()) return done.error();
  print_verification(*done, found, is_json);
  if (done->damaged == 0) return int{kExitOk};
  complain(
      "the store is damaged: restore a backup (petrel restore). A server starts on damaged tables "
      "and records and leaves them alone; on a log that is missing or cut only with "
      "--accept-data-loss");
  return int{kExitFindings};
}

Status inspect(const Settings& settings, const InspectOptions& options) {
  const SystemClock clock;
  ASSIGN_OR_RETURN(const std::unique_ptr<RocksStore> store, open_existing(settings, clock));
  return options.message.empty() ? print_counts(*store, options.is_json)
                                 : print_message(*store, options.message, options.is_json);
}

int run(const SettingsOptions& settings_options, const InspectOptions& options) {
  const Result<Settings> settings = settings_options.read();
  if (!settings.ok()) return exit_code(settings.error());
  const OwnersRights rights(settings->store);
  if (!options.is_verifying) return exit_code(inspect(*settings, options));
  const Result<int> verified = verify(*settings, options.is_json);
  return verified.ok() ? *verified : exit_code(verified.error());
}

}  // namespace

void add_inspect_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* command = cli.add_subcommand("inspect", "Say what a store holds, without a server");
  // Shared with the callback, which runs after this has returned.
  auto options = std::make_shared<InspectOptions>();
  command->add_option("message", options->message, "The id of a message to show");
  command->add_flag("--verify", options->is_verifying,
                    "Read everything and say what is damaged; exits with 3 if anything is");
  command->add_flag("--json", options->is_json, "Print JSON");
  const SettingsOptions settings(*command, {"store", "main-secret"});
  command->callback([&chosen, options, settings] {
    chosen = [options, settings] { return run(settings, *options); };
  });
}

}  // namespace petrel::app
