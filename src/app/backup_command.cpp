#include "app/backup_command.h"

#include <filesystem>
#include <memory>
#include <string>
#include <sys/file.h>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "app/backup_desk.h"
#include "app/command.h"
#include "app/control_socket.h"
#include "app/folder_copy.h"
#include "app/owners_rights.h"
#include "app/progress_bar.h"
#include "app/secret_file.h"
#include "app/settings_options.h"
#include "app/store_access.h"
#include "app/terminal.h"
#include "base/clock.h"
#include "base/duration_text.h"
#include "base/json_writer.h"
#include "base/try.h"
#include "store/rocksdb/backup.h"

namespace petrel::app {
namespace {

namespace fs = std::filesystem;

struct BackupOptions {
  std::string folder;
  bool wants_links = false;
  bool is_json = false;
};

// Held while a backup is made. It goes with the process, however that ends.
class BackupLock {
 public:
  static Result<std::unique_ptr<BackupLock>> take(const std::string& store) {
    const int folder = ::open(store.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
      return not_found(fmt::format("there is no store at {}: {}", store, std::strerror(errno)));
    }
    auto lock = std::unique_ptr<BackupLock>(new BackupLock(folder));
    if (::flock(folder, LOCK_EX | LOCK_NB) != 0) {
      return conflict("another backup of this store is under way: wait until it is done");
    }
    return lock;
  }

  ~BackupLock() { ::close(folder_); }
  BackupLock(const BackupLock&) = delete;
  BackupLock& operator=(const BackupLock&) = delete;

 private:
  explicit BackupLock(int folder) : folder_(folder) {}

  int folder_;
};

// Removes the staged checkpoint at the end, whatever happens: it keeps old files on the disk.
struct Staging {
  explicit Staging(std::string the_store) : store(std::move(the_store)) {}
  ~Staging() { store::clear_staging(store); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const std::string store;
};

using Offline = std::function<Result<store::BackupReport>(store::RocksStore&)>;

// Has the server do it that runs on the store, or does it here if there is none.
Status ask_or_do(const Settings& settings, const std::string& line, const Offline& offline) {
  const Result<std::string> asked =
      ControlSocket::ask(ControlSocket::path_in(settings.store), line);
  if (asked.ok()) return Done{};
  if (asked.error().kind != ErrorKind::NotFound) return asked.error();
  const OwnersRights rights(settings.store);
  const SystemClock clock;
  ASSIGN_OR_RETURN(const std::unique_ptr<store::RocksStore> store, open_existing(settings, clock));
  const Result<store::BackupReport> done = offline(*store);
  return done.ok() ? Status(Done{}) : done.error();
}

Result<store::BackupReport> copy(const Settings& settings, const fs::path& target) {
  ASSIGN_OR_RETURN(FolderCopy copy, FolderCopy::begin(target));
  const Staging staging(settings.store);
  TRY(ask_or_do(settings, "stage", [](store::RocksStore& store) { return store.stage(); }));
  const SystemClock clock;
  {
    ProgressBar bar(clock, is_terminal(stderr) ? stderr : nullptr);
    TRY(copy.add_folder(fs::path(settings.store) / store::kStagingName,
                        [&](std::uint64_t done, std::uint64_t total) {
                          bar.show(static_cast<double>(done) / static_cast<double>(total),
                                   fmt::format("{} of {} MiB", done >> 20U, total >> 20U));
                        }));
  }
  for (const std::string_view name : kSecretFiles) {
    TRY(copy.add_file(fs::path(settings.store) / name));
  }
  ASSIGN_OR_RETURN(const FolderCopy::Report report, copy.finish());
  return store::BackupReport{.files = report.files, .bytes = report.bytes};
}

// After a restore the tokens that were handed out must still be good, and what is sealed must open.
Status copy_secrets(const std::string& from, const std::string& to) {
  for (const std::string_view name : kSecretFiles) {
    const fs::path source = fs::path(from) / name;
    std::error_code error;
    if (!fs::exists(source, error)) continue;
    fs::copy_file(source, fs::path(to) / name, fs::copy_options::skip_existing, error);
    if (error) return unavailable(fmt::format("cannot copy {}: {}", name, error.message()));
  }
  return Done{};
}

Result<store::BackupReport> link(const Settings& settings, const std::string& target) {
  std::error_code failed;
  fs::create_directories(fs::path(target).parent_path(), failed);
  if (failed) return unavailable(fmt::format("cannot make {}: {}", target, failed.message()));
  TRY(ask_or_do(settings, "backup " + target,
                [&](store::RocksStore& store) { return store.checkpoint(target); }));
  TRY(copy_secrets(settings.store, target));
  return store::report_on(target);
}

Status back_up(const Settings& settings, const BackupOptions& options) {
  const SystemClock clock;
  const MonoTime begin = clock.mono();
  const std::string target = fs::absolute(options.folder).lexically_normal().string();
  if (target.find('\n') != std::string::npos) return invalid("DIR", "must be one line");
  if (store::is_within(target, settings.store)) {
    return invalid("DIR", "must not be in the store's own folder");
  }
  if (!has_store(settings)) return not_found("there is no store at " + settings.store);
  ASSIGN_OR_RETURN(const auto lock, BackupLock::take(settings.store));
  ASSIGN_OR_RETURN(const store::BackupReport report,
                   options.wants_links ? link(settings, target) : copy(settings, target));
  const Duration took = clock.mono() - begin;
  if (!options.is_json) {
    fmt::print("backed up to {}: {}, in {}\n", target, text_of(report), to_words(took));
    return Done{};
  }
  JsonWriter json;
  json.begin_object().field("folder", target);
  json.field("files", static_cast<std::int64_t>(report.files))
      .field("bytes", static_cast<std::int64_t>(report.bytes))
      .field("hardLinks", static_cast<std::int64_t>(report.links))
      .field("seconds", std::chrono::duration<double>(took).count())
      .end_object();
  fmt::print("{}\n", json.text());
  return Done{};
}

Status restore(const Settings& settings, const BackupOptions& options) {
  const SystemClock clock;
  TRY(store::restore(options.folder, settings.store, clock));
  TRY(copy_secrets(options.folder, settings.store));
  ASSIGN_OR_RETURN(store::BackupReport report, store::report_on(settings.store));
  report.links = 0;
  if (!options.is_json) {
    fmt::print("restored {} to {}: {}, every block of it read\n", options.folder, settings.store,
               text_of(report));
    return Done{};
  }
  JsonWriter json;
  json.begin_object().field("folder", settings.store);
  json.field("files", static_cast<std::int64_t>(report.files))
      .field("bytes", static_cast<std::int64_t>(report.bytes))
      .end_object();
  fmt::print("{}\n", json.text());
  return Done{};
}

using Work = std::function<Status(const Settings&, const BackupOptions&)>;

void call(CLI::App& command, const std::shared_ptr<BackupOptions>& options, const Work& work,
          std::function<int()>& chosen) {
  command.add_flag("--json", options->is_json, "Print what was done as JSON");
  const SettingsOptions settings_options(command, {"store", "main-secret"});
  command.callback([&chosen, options, settings_options, work] {
    chosen = [options, settings_options, work] {
      const Result<Settings> settings = settings_options.read();
      return exit_code(settings.ok() ? work(*settings, *options) : Status(settings.error()));
    };
  });
}

}  // namespace

void add_backup_commands(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* backup = cli.add_subcommand("backup", "Copy the store, also while a server runs on it");
  auto options = std::make_shared<BackupOptions>();
  backup->add_option("DIR", options->folder, "A folder that is not there yet")->required();
  backup->add_flag("--hard-links", options->wants_links,
                   "Link to the store's files on the same disk: quick, but no copy");
  call(*backup, options, back_up, chosen);

  CLI::App* back = cli.add_subcommand("restore", "Put a backup in the place of the store");
  auto from = std::make_shared<BackupOptions>();
  back->add_option("DIR", from->folder, "The backup's folder")->required();
  call(*back, from, restore, chosen);
}

}  // namespace petrel::app
