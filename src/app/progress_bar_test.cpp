#include "app/progress_bar.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SetClock final : public Clock {
 public:
  WallTime wall() const override { return WallTime(now.time_since_epoch()); }
  MonoTime mono() const override { return now; }

  MonoTime now{};
};

// What a bar has written so far.
struct Paper {
  std::string text() const {
    std::string all;
    std::fflush(file.get());
    std::rewind(file.get());
    std::array<char, 256> part{};
    while (const std::size_t read = std::fread(part.data(), 1, part.size(), file.get())) {
      all.append(part.data(), read);
    }
    return all;
  }

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), std::fclose};
};

TEST(ProgressBar, ShowsNothingInTheFirstSecond) {
  SetClock clock;
  const Paper paper;

  {
    ProgressBar bar(clock, paper.file.get());
    clock.now += milliseconds(999);
    bar.show(0.5, "svix");
  }

  EXPECT_EQ(paper.text(), "");
}

TEST(ProgressBar, DrawsAtMostTenTimesASecondAndTakesItselfAway) {
  SetClock clock;
  const Paper paper;

  {
    ProgressBar bar(clock, paper.file.get());
    clock.now += seconds(1);
    bar.show(0.25, "svix");
    clock.now += milliseconds(99);
    bar.show(0.5, "svix");
    clock.now += milliseconds(1);
    bar.show(0.75, "svix");
  }

  EXPECT_EQ(paper.text(),
            "\r\x1b[K" + bar_text(0.25, "svix") + "\r\x1b[K" + bar_text(0.75, "svix") + "\r\x1b[K");
}

TEST(ProgressBar, IsSilentWithNobodyToLookAtIt) {
  SetClock clock;
  ProgressBar bar(clock, nullptr);

  clock.now += seconds(2);
  bar.show(0.5, "svix");
}

TEST(ProgressBar, NeverSaysThatItIsDoneBeforeItIs) {
  EXPECT_EQ(bar_text(0.999, "svix"), "[███████████████████████░]  99 %  svix");
  EXPECT_EQ(bar_text(1, "svix"), "[████████████████████████] 100 %  svix");
  EXPECT_EQ(bar_text(0, ""), "[░░░░░░░░░░░░░░░░░░░░░░░░]   0 %  ");
}

}  // namespace
}  // namespace petrel::app
