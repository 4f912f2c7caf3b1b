#include "app/process_watch.h"

#include <map>

#include <gtest/gtest.h>

#include "base/testing/hand_loop.h"

namespace petrel::app {
namespace {

constexpr std::string_view kStat =
    "4242 (a) b (c) S 1 4242 4242 0 -1 4194560 5000 0 3 0 150 50 0 0 20 0 9 0 12300 104857600 "
    "2560 "
    "18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 1 0 0 0 0 0\n";

TEST(ProcessState, IsReadBehindANameThatHoldsSpacesAndBrackets) {
  EXPECT_EQ(parse_process_state(kStat, {.ticks_per_second = 100, .page_bytes = 4096}),
            (ProcessState{.cpu_seconds = 2,
                          .threads = 9,
                          .virtual_bytes = 104'857'600,
                          .resident_bytes = 10'485'760,
                          .started_after_boot = 123}));
}

TEST(ProcessState, IsNotMadeOfATextThatIsCut) {
  for (const std::string_view cut :
       {"", "4242 (petrel", "4242 (petrel)", "4242 (petrel) S 1 2 3"}) {
    EXPECT_EQ(parse_process_state(cut, {}), std::nullopt) << cut;
  }
}

TEST(BootTime, IsALineAmongOthers) {
  EXPECT_EQ(parse_boot_time("cpu 1 2\nctxt 5\nbtime 1750000000\nprocesses 3\n"), 1'750'000'000);
  EXPECT_EQ(parse_boot_time("cpu 1 2\nctxt 5\n"), std::nullopt);
}

class ProcessWatchTest : public testing::Test {
 protected:
  std::string text() const { return registry_.text(); }

  HandClock clock_{WallTime{}, MonoTime{}};
  HandLoop loop_{clock_};
  metric::Registry registry_;
  std::map<std::string, std::string> files_;
  std::size_t open_ = 5;
  ProcessWatch watch_{{.loop = loop_,
                       .clock = clock_,
                       .registry = registry_,
                       .read = [this](const std::string& path) -> std::optional<std::string> {
                         const auto found = files_.find(path);
                         if (found == files_.end()) return std::nullopt;
                         return found->second;
                       },
                       .count_open = [this] { return open_; },
                       .descriptor_limit = 1024}};
};

TEST_F(ProcessWatchTest, IsThereAtZeroWhereTheSystemSaysNothing) {
  for (const char* const line :
       {"process_cpu_seconds_total 0", "process_resident_memory_bytes 0", "process_threads 0",
        "process_start_time_seconds 0", "process_open_fds 5", "process_max_fds 1024"}) {
    EXPECT_NE(text().find('\n' + std::string(line) + '\n'), std::string::npos) << line;
  }
}

TEST_F(ProcessWatchTest, ShowsWhatTheSystemSaysEverySecond) {
  files_ = {{"/proc/self/stat", std::string(kStat)}, {"/proc/stat", "cpu 1\nbtime 1000\n"}};
  open_ = 6;
  loop_.run_for(clock_, ProcessWatch::kLookEvery);

  EXPECT_NE(text().find("\nprocess_threads 9\n"), std::string::npos);
  EXPECT_NE(text().find("\nprocess_open_fds 6\n"), std::string::npos);
  EXPECT_NE(text().find("# TYPE process_cpu_seconds_total counter\n"), std::string::npos);
}

}  // namespace
}  // namespace petrel::app
