// The log's way to a descriptor that takes lines, or does not.

#include "app/stderr_log.h"

#include <chrono>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/clock.h"

namespace petrel::app {
namespace {

using log::Kind;
using log::Words;

struct StderrLogTest : testing::Test {
  StderrLogTest() { EXPECT_EQ(::pipe(ends), 0); }
  ~StderrLogTest() override {
    for (const int end : ends) ::close(end);
  }

  std::unique_ptr<StderrLog> make(StderrLog::Settings settings = {}) {
    settings.descriptor = ends[1];
    return std::make_unique<StderrLog>(settings, clock);
  }

  // All that was written, after the log has ended.
  std::string read_all() {
    ::close(std::exchange(ends[1], -1));
    return read_rest();
  }

  std::string read_rest() {
    std::string all;
    std::string part(65'536, '\0');
    for (ssize_t got = 1; got > 0;) {
      got = ::read(ends[0], part.data(), part.size());
      if (got > 0) all.append(part, 0, static_cast<std::size_t>(got));
    }
    return all;
  }

  static void tell(StderrLog& log, int number) {
    log.tell(Kind::ServerWarning, [&] { return Words{"line", {{"number", number}}}; });
  }

  static std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++found;
    }
    return found;
  }

  SystemClock clock;
  int ends[2];
};

TEST_F(StderrLogTest, WritesEachLineInItsForm) {
  auto log = make();
  tell(*log, 1);
  log->tell(Kind::CircuitClosed, [] { return Words{"back"}; });
  log.reset();
  const std::string text = read_all();
  EXPECT_NE(text.find("Z warn  server.warning: line  number=1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Z info  circuit.closed: back\n"), std::string::npos) << text;
}

TEST_F(StderrLogTest, WritesJsonAndFromTheLevelOn) {
  auto log = make({.level = log::Level::Warn, .format = LogFormat::Json});
  log->tell(Kind::CircuitClosed, [] { return Words{"back"}; });
  tell(*log, 7);
  log.reset();
  const std::string text = read_all();
  EXPECT_EQ(text.find("{\"time\":\""), 0U) << text;
  EXPECT_NE(text.find(R"("kind":"server.warning","message":"line","number":7})"),
            std::string::npos);
  EXPECT_EQ(count(text, "\n"), 1U) << text;
}

// A pipe holds 64 KiB, and nobody reads it.
TEST_F(StderrLogTest, APipeThatNobodyReadsHoldsNobodyUp) {
  auto log = make();
  const MonoTime began = clock.mono();
  for (int i = 0; i < 20'000; ++i) tell(*log, i);
  EXPECT_LT(clock.mono() - began, std::chrono::seconds(5));
  EXPECT_GT(log->dropped(), 10'000U);

  const MonoTime ending = clock.mono();
  log.reset();
  EXPECT_LT(clock.mono() - ending, StderrLog::kCloseMax + std::chrono::seconds(3));
}

TEST_F(StderrLogTest, SaysHowManyLinesWereDroppedOnceTheyGoOutAgain) {
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  auto log = make();
  for (int i = 0; i < 20'000; ++i) tell(*log, i);
  const std::uint64_t dropped = log->dropped();

  std::string said;
  const MonoTime end = clock.mono() + std::chrono::seconds(30);
  while (count(said, "log.dropped") == 0 && clock.mono() < end) {
    said += read_rest();
    log->look();
  }
  EXPECT_EQ(
      count(said, fmt::format(": {} lines were dropped, as stderr did not take them", dropped)),
      1U);
  EXPECT_EQ(count(said, "server.warning"), 20'000 - dropped);
  EXPECT_EQ(count(said, "number=19999\n"), 1U) << "the newest are kept";
}

TEST_F(StderrLogTest, ADiskThatIsFullCostsLinesOnlyAndIsSpokenOfOnceItIsNot) {
  const int place = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(place, 0);
  const MonoTime end = clock.mono() + std::chrono::seconds(30);
  std::string said;
  {
    StderrLog log({.descriptor = place}, clock);
    for (int i = 0; i < 100; ++i) tell(log, i);
    while (log.dropped() < 100 && clock.mono() < end) std::this_thread::yield();
    EXPECT_EQ(log.dropped(), 100U);
    log.look();  // A word of it would be lost, too.

    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    ASSERT_EQ(::dup2(ends[1], place), place);
    tell(log, 100);
    while (count(said, "log.dropped") == 0 && clock.mono() < end) {
      said += read_rest();
      log.look();
    }
  }
  ::close(place);
  EXPECT_EQ(count(said, ": 100 lines were dropped"), 1U) << said;
  EXPECT_LT(said.find("number=100\n"), said.find("log.dropped")) << said;
  EXPECT_EQ(count(said, "\n"), 2U) << said;
}

}  // namespace
}  // namespace petrel::app
