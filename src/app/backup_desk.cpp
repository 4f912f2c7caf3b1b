#include "app/backup_desk.h"

#include <utility>

#include <fmt/format.h>
#include <pthread.h>

namespace petrel::app {

std::string text_of(const store::BackupReport& report) {
  constexpr double kMebibyte = 1024 * 1024;
  std::string text = fmt::format("{} files, {:.1f} MiB", report.files,
                                 static_cast<double>(report.bytes) / kMebibyte);
  if (report.links > 0) {
    text += fmt::format(
        "; {} of them are hard links to the store's own files, so copy the folder to another disk",
        report.links);
  }
  return text;
}

void log_backup_begun(log::Log& log, const std::string& to) {
  log.tell(log::Kind::BackupBegun, [&] {
    return to.empty() ? log::Words{"a backup is staged in the store's own folder"}
                      : log::Words{"a backup begins", {{"to", to}}};
  });
}

void log_backup_ended(log::Log& log, const std::string& to, const Result<std::string>& done) {
  log.tell(done.ok() ? log::Kind::BackupDone : log::Kind::BackupFailed, [&] {
    log::Words words{done.ok() ? "the backup is made: " + *done
                               : "the backup has failed: " + done.error().text()};
    if (!to.empty()) words.fields.emplace_back("to", to);
    return words;
  });
}

BackupDesk::BackupDesk(Work work) : work_(std::move(work)) {}

BackupDesk::~BackupDesk() {
  if (thread_.joinable()) thread_.join();
}

void BackupDesk::begin(const std::string& to, Done done) {
  if (is_busy_.exchange(true)) {
    return done(conflict("another backup is under way: wait until it is done"));
  }
  if (thread_.joinable()) thread_.join();  // It has answered, and ends.
  thread_ = std::thread([this, to, done = std::move(done)] {
    pthread_setname_np(pthread_self(), "backup");
    const Result<store::BackupReport> report = work_(to);
    is_busy_ = false;
    done(report.ok() ? Result<std::string>(text_of(*report)) : report.error());
  });
}

}  // namespace petrel::app
