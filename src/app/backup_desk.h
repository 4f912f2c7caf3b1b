// BackupDesk makes the backups of a running server, one at a time, on a thread of their own: a copy
// to another disk takes as long as it takes, and nothing else waits for it.
//
// Thread: confined; `backup` is the thread that it runs, on which it answers.

#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "base/result.h"
#include "log/log.h"
#include "store/rocksdb/rocks_store.h"

namespace petrel::app {

// What a backup consists of, in a line.
std::string text_of(const store::BackupReport& report);

// `to` as below.
void log_backup_begun(log::Log& log, const std::string& to);
void log_backup_ended(log::Log& log, const std::string& to, const Result<std::string>& done);

class BackupDesk {
 public:
  using Work = std::function<Result<store::BackupReport>(const std::string& to)>;
  using Done = std::function<void(Result<std::string>)>;

  explicit BackupDesk(Work work);
  BackupDesk(const BackupDesk&) = delete;
  BackupDesk& operator=(const BackupDesk&) = delete;

  // Waits for the one that is under way.
  ~BackupDesk();

  // `to` is a folder, or nothing: then it is staged in the store's own. A Conflict, here and now,
  // if another is under way.
  void begin(const std::string& to, Done done);

 private:
  const Work work_;
  std::atomic<bool> is_busy_ = false;
  std::thread thread_;
};

}  // namespace petrel::app
