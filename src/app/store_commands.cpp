#include "app/store_commands.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/backup_desk.h"
#include "app/command.h"
#include "app/control_socket.h"
#include "app/secret_file.h"
#include "app/settings_options.h"
#include "base/clock.h"
#include "base/rfc3339.h"
#include "base/try.h"
#include "store/rocksdb/backup.h"
#include "store/rocksdb/commit_mark.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/verification.h"
#include "vault/vault.h"

namespace petrel::app {
namespace {

using store::RocksStore;

int report(const Status& status) {
  if (status.ok()) return kExitOk;
  complain(status.error().text());
  return status.error().kind == ErrorKind::Invalid ? kExitUsage : kExitFailure;
}

// Only a store that is there: opening one would make it.
bool has_store(const Settings& settings) {
  std::error_code ignored;
  const std::filesystem::path folder(settings.store);
  return std::filesystem::exists(folder / "CURRENT", ignored) ||
         std::filesystem::exists(folder / store::CommitMark::kFileName, ignored);
}

// The store's own, or one that opens nothing where open_vault() would make a secret: looking writes
// nothing.
Result<std::shared_ptr<const vault::Vault>> vault_to_look(const Settings& settings) {
  std::error_code ignored;
  const std::filesystem::path folder(settings.store);
  const bool has_secret =
      !settings.main_secret.empty() || std::filesystem::exists(folder / "main-secret", ignored);
  SystemSecureRandom random;
  if (has_secret || std::filesystem::exists(folder / "CURRENT", ignored)) {
    return open_vault(settings, random);
  }
  return std::make_shared<const vault::Vault>(std::vector<std::string>{"opens nothing"});
}

Result<store::RocksSettings> settings_to_look(const Settings& settings) {
  if (!has_store(settings)) {
    return not_found(fmt::format("there is no store at {}", settings.store));
  }
  store::RocksSettings rocks;
  rocks.path = settings.store;
  rocks.keeps_everything = true;  // Only a server's own retention drops anything.
  ASSIGN_OR_RETURN(rocks.vault, vault_to_look(settings));
  return rocks;
}

Result<std::unique_ptr<RocksStore>> open_existing(const Settings& settings, const Clock& clock) {
  ASSIGN_OR_RETURN(const store::RocksSettings rocks, settings_to_look(settings));
  return RocksStore::open(rocks, clock);
}

// After a restore the tokens that were handed out must still be good, and what is sealed must open.
Status copy_secrets(const std::string& from, const std::string& to) {
  for (const std::string_view name : kSecretFiles) {
    const std::filesystem::path source = std::filesystem::path(from) / name;
    std::error_code error;
    if (!std::filesystem::exists(source, error)) continue;
    std::filesystem::copy_file(source, std::filesystem::path(to) / name,
                               std::filesystem::copy_options::skip_existing, error);
    if (error) return unavailable(fmt::format("cannot copy {}: {}", name, error.message()));
  }
  return Done{};
}

Result<std::string> back_up_offline(const Settings& settings, const std::string& target) {
  const SystemClock clock;
  const Result<std::unique_ptr<RocksStore>> store = open_existing(settings, clock);
  if (!store.ok()) return store.error();
  ASSIGN_OR_RETURN(const store::BackupReport report, (*store)->checkpoint(target));
  return text_of(report);
}

Status back_up(const Settings& settings, const std::string& to) {
  const std::string target = std::filesystem::absolute(to).string();
  if (target.find('\n') != std::string::npos) return invalid("DIR", "must be one line");
  Result<std::string> asked =
      ControlSocket::ask(ControlSocket::path_in(settings.store), "backup " + target);
  if (!asked.ok() && asked.error().kind == ErrorKind::NotFound) {
    asked = back_up_offline(settings, target);
  }
  if (!asked.ok()) return asked.error();
  TRY(copy_secrets(settings.store, target));
  fmt::print("backed up to {}: {}\n", target, *asked);
  return Done{};
}

Status restore(const Settings& settings, const std::string& from) {
  const SystemClock clock;
  if (Status restored = store::restore(from, settings.store, clock); !restored.ok())
    return restored;
  return copy_secrets(from, settings.store);
}

Status print_message(RocksStore& store, const std::string& text) {
  ASSIGN_OR_RETURN(const MessageId id, under("message", MessageId::parse(text)));
  ASSIGN_OR_RETURN(const auto applications, store.all_applications());
  for (const model::Application& application : applications) {
    const Result<model::Message> message = store.message(application.id, id);
    if (!message.ok()) continue;
    fmt::print("message     {}\napplication {} {}\nevent type  {}\naccepted    {}\n",
               message->id.text(), application.id.text(), application.name, message->event_type,
               to_rfc3339(message->accepted_at));
    ASSIGN_OR_RETURN(const auto deliveries, store.deliveries_of_message(id));
    for (const model::Delivery& delivery : deliveries) {
      fmt::print("delivery    {} {}{}{}, {} attempts\n", delivery.key.endpoint.text(),
                 to_string(delivery.state), delivery.reason ? " " : "",
                 delivery.reason ? to_string(*delivery.reason) : "", delivery.attempts_total);
    }
    return Done{};
  }
  return not_found(fmt::format("there is no message {}", id.text()));
}

Status print_counts(RocksStore& store) {
  ASSIGN_OR_RETURN(const store::StoreCounts counts, store.count());
  fmt::print("applications {:>12}\nendpoints    {:>12}\nmessages     {:>12}\n", counts.applications,
             counts.endpoints, counts.messages);
  fmt::print("attempts     {:>12}\ndeliveries\n  live       {:>12}\n  delivered  {:>12}\n",
             counts.attempts, counts.deliveries_live, counts.deliveries_delivered);
  fmt::print("  dead       {:>12}\n", counts.deliveries_dead);
  ASSIGN_OR_RETURN(const auto sizes, store.sizes());
  fmt::print("\nbytes on disk\n");
  for (const store::FamilySize& size : sizes)
    fmt::print("  {:<20} {:>14}\n", size.name, size.bytes);
  return Done{};
}

// Says what is damaged, and what to do about it.
Status verify(const Settings& settings) {
  // Whatever it says to this: that it answers is enough.
  const Result<std::string> asked =
      ControlSocket::ask(ControlSocket::path_in(settings.store), "verify");
  if (asked.ok() || asked.error().kind == ErrorKind::Unavailable) {
    return conflict("a server runs on this store: stop it first");
  }
  ASSIGN_OR_RETURN(const store::RocksSettings rocks, settings_to_look(settings));
  const SystemClock clock;
  const auto done = store::verify(rocks, clock, [](const store::StoreDamage& damage) {
    fmt::print("damaged: {}: {}\n", damage.name, damage.what);
  });
  if (!done.ok()) return done.error();
  fmt::print("read {} tables and {} records: {}\n", done->files, done->records,
             done->damaged == 0 ? "all whole" : fmt::format("{} damaged", done->damaged));
  if (done->damaged == 0) return Done{};
  return corrupt(
      "the store is damaged: restore a backup (petrel restore). A server starts on damaged tables "
      "and records and leaves them alone; on a log that is missing or cut only with "
      "--accept-data-loss");
}

Status inspect(const Settings& settings, const std::string& message) {
  const SystemClock clock;
  ASSIGN_OR_RETURN(const std::unique_ptr<RocksStore> store, open_existing(settings, clock));
  return message.empty() ? print_counts(*store) : print_message(*store, message);
}

using Work = std::function<Status(const Settings&, const std::string&)>;

CLI::Option* add(CLI::App& command, const std::string& argument, const std::string& help,
                 const Work& work, std::function<int()>& chosen) {
  auto value = std::make_shared<std::string>();
  const SettingsOptions options(command, {"store", "main-secret"});
  CLI::Option* option = command.add_option(argument, *value, help);
  command.callback([&chosen, options, value, work] {
    chosen = [options, value, work] {
      const Result<Settings> settings = options.read();
      return report(settings.ok() ? work(*settings, *value) : Status(settings.error()));
    };
  });
  return option;
}

}  // namespace

void add_store_commands(CLI::App& cli, std::function<int()>& chosen) {
  add(*cli.add_subcommand("backup", "Copy the store, also while a server runs on it"), "DIR",
      "A folder that is not there yet", back_up, chosen)
      ->required();
  add(*cli.add_subcommand("restore", "Put a backup in the place of the store"), "DIR",
      "The backup's folder", restore, chosen)
      ->required();
  // Shared with the callback, which runs after this has returned.
  auto is_verifying = std::make_shared<bool>(false);
  CLI::App* command = cli.add_subcommand("inspect", "Say what a store holds, without a server");
  add(
      *command, "message", "The id of a message to show",
      [is_verifying](const Settings& settings, const std::string& message) {
        return *is_verifying ? verify(settings) : inspect(settings, message);
      },
      chosen);
  command->add_flag("--verify", *is_verifying,
                    "Read everything and say what is damaged; status 1 if anything is");
}

}  // namespace petrel::app
