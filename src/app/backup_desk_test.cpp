#include "app/backup_desk.h"

#include <future>
#include <vector>

#include <gtest/gtest.h>

#include "log/testing/kept_log.h"

namespace petrel::app {
namespace {

// A backup that takes until it is let go on.
struct SlowBackup {
  BackupDesk::Work work() {
    return [this](const std::string& to) -> Result<store::BackupReport> {
      began.set_value(to);
      may_end.get_future().wait();
      return store::BackupReport{.files = 3, .bytes = 2 * 1024 * 1024, .links = 2};
    };
  }

  std::promise<std::string> began;
  std::promise<void> may_end;
};

TEST(BackupDesk, EachBackupIsInTheLogWithWhatBecameOfIt) {
  log::KeptLog log;
  log_backup_begun(log, "/backup");
  log_backup_ended(log, "/backup", std::string("3 files, 2.0 MiB"));
  log_backup_ended(log, "", unavailable("the disk is full"));
  EXPECT_EQ(log.lines, (std::vector<std::string>{
                           "info  backup.begun: a backup begins  to=/backup",
                           "info  backup.done: the backup is made: 3 files, 2.0 MiB  to=/backup",
                           "error backup.failed: the backup has failed: the disk is full"}));
}

TEST(BackupDesk, LetsItsCallerGoOnMeanwhile) {
  SlowBackup slow;
  std::promise<Result<std::string>> answer;
  BackupDesk desk(slow.work());

  desk.begin("/backup", [&](Result<std::string> done) { answer.set_value(std::move(done)); });

  EXPECT_EQ(slow.began.get_future().get(), "/backup");
  slow.may_end.set_value();
  EXPECT_EQ(answer.get_future().get().value(),
            "3 files, 2.0 MiB; 2 of them are hard links to the store's own files, so copy the "
            "folder to another disk");
}

TEST(BackupDesk, RefusesASecondOneWhileOneIsUnderWay) {
  SlowBackup slow;
  BackupDesk desk(slow.work());
  desk.begin("/first", [](const auto&) {});
  slow.began.get_future().wait();

  std::vector<Result<std::string>> answers;
  desk.begin("/second", [&](Result<std::string> done) { answers.push_back(std::move(done)); });

  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].error().kind, ErrorKind::Conflict);
  slow.may_end.set_value();
}

TEST(BackupDesk, TakesTheNextOneOnceTheLastHasAnswered) {
  BackupDesk desk([](const std::string&) -> Result<store::BackupReport> {
    return unavailable("the disk is full");
  });
  for (int round = 0; round < 3; ++round) {
    std::promise<Result<std::string>> answer;
    desk.begin("/backup", [&](Result<std::string> done) { answer.set_value(std::move(done)); });
    EXPECT_EQ(answer.get_future().get().error().kind, ErrorKind::Unavailable);
  }
}

}  // namespace
}  // namespace petrel::app
