#include "node/suspicion.h"

#include <gtest/gtest.h>

namespace petrel::node {
namespace {

using engine::Suspicion;
using std::chrono::hours;
using std::chrono::minutes;

constexpr WallTime kNow = wall_from_unix_seconds(1'800'000'000);

class SuspicionTest : public testing::Test {
 protected:
  // A server of that version starts after a crash of `life`, in which the delivery was in flight.
  void crash(std::uint64_t life, const std::string& crashed = "0.1.0",
             const std::string& starts = "0.1.0") {
    start(engine::CrashMark{.delivery = {}, .life = life, .version = crashed}, starts);
  }

  void start(std::optional<engine::CrashMark> mark, const std::string& version = "0.1.0") {
    const SuspectVerdict verdict = judge_at_start(
        {known, std::move(mark), delivery}, {.now = now, .version = version, .paused = paused});
    known = verdict.suspect;
    release = verdict.release;
  }

  Suspicion suspicion() const { return known ? entry_for(*known).suspicion : Suspicion::None; }

  static model::Delivery live() {
    model::Delivery delivery;
    delivery.progress.give_up_at = kNow + hours(1);
    return delivery;
  }

  WallTime now = kNow;
  Duration paused{};
  std::optional<model::Suspect> known;
  std::optional<model::Settlement> release;
  std::optional<model::Delivery> delivery = live();
};

TEST_F(SuspicionTest, WatchesAfterTheFirstCrashSendsAloneAfterTheSecondHoldsAfterTheThird) {
  crash(1);
  EXPECT_EQ(suspicion(), Suspicion::Watched);
  crash(2);
  EXPECT_EQ(suspicion(), Suspicion::Alone);
  EXPECT_FALSE(known->held);
  crash(3);
  EXPECT_EQ(suspicion(), Suspicion::Barred);
  EXPECT_EQ(known->held->since, kNow);
  EXPECT_EQ(known->version, "0.1.0");
  EXPECT_EQ(
      entry_for(*known).why,
      "it was in flight at 3 crashes of the server in a row, and is held since "
      "2027-01-15T08:00:00.000000Z until a person releases it or a newer version of Petrel starts");
}

TEST_F(SuspicionTest, ACrashThatIsToldAgainIsCountedOnce) {
  crash(1);
  crash(1);
  EXPECT_EQ(known->crashes, 1);
}

TEST_F(SuspicionTest, AnAttemptThatEndedBetweenTwoCrashesBeginsTheCountAnew) {
  crash(1);
  crash(2);
  ++delivery->attempts_total;
  crash(3);
  EXPECT_EQ(known->crashes, 1);
  EXPECT_EQ(known->attempts_total, 1);
}

TEST_F(SuspicionTest, ACrashWithoutItSaysNothingAboutIt) {
  crash(1);
  crash(2);
  const auto before = known;
  start(std::nullopt);
  EXPECT_EQ(known, before);
  crash(4);
  EXPECT_EQ(suspicion(), Suspicion::Barred);
}

TEST_F(SuspicionTest, WhatHasEndedOrIsGoneIsNoSuspect) {
  crash(1);
  crash(2);
  crash(3);
  const auto held = known;
  delivery->state = model::DeliveryState::Dead;
  start(std::nullopt);
  EXPECT_FALSE(known);
  known = held;
  delivery.reset();
  crash(4);
  EXPECT_FALSE(known);
}

TEST_F(SuspicionTest, StaysHeldForTheSameVersionAndAnOlderOne) {
  for (int life = 1; life <= 3; ++life) crash(static_cast<std::uint64_t>(life));
  const auto held = known;
  for (const char* version : {"0.1.0", "0.0.9"}) {
    start(std::nullopt, version);
    EXPECT_EQ(known, held) << version;
    EXPECT_FALSE(release) << version;
  }
}

TEST_F(SuspicionTest, ANewerVersionReleasesItAloneWithTheTimeThatItHadLeft) {
  now = kNow;
  for (int life = 1; life <= 3; ++life) crash(static_cast<std::uint64_t>(life));
  now += hours(5);
  paused = hours(2);  // Its endpoint was off for some of that, which its clock knows by itself.
  start(std::nullopt, "0.1.1");
  EXPECT_EQ(suspicion(), Suspicion::Alone);
  EXPECT_EQ(known->version, "0.1.1");
  ASSERT_TRUE(release);
  EXPECT_EQ(release->delivery.progress.give_up_at, kNow + hours(1) + hours(3));
  EXPECT_FALSE(release->attempt);
  EXPECT_EQ(release->delivery.due_at, delivery->due_at);

  // Another crash of this one holds it again, and a start of the same version changes nothing.
  start(std::nullopt, "0.1.1");
  EXPECT_EQ(suspicion(), Suspicion::Alone);
  crash(9, "0.1.1", "0.1.1");
  EXPECT_EQ(suspicion(), Suspicion::Barred);
}

TEST_F(SuspicionTest, WhatTheOldVersionCrashedOverIsNotHeldByTheNewOne) {
  crash(1);
  crash(2);
  crash(3, "0.1.0", "0.2.0");
  EXPECT_EQ(suspicion(), Suspicion::Alone);
}

TEST_F(SuspicionTest, ADeliveryThatWasNeverTriedHasNoTimeToGiveUp) {
  delivery->progress.give_up_at.reset();
  for (int life = 1; life <= 3; ++life) crash(static_cast<std::uint64_t>(life));
  now += hours(5);
  start(std::nullopt, "0.2.0");
  EXPECT_EQ(suspicion(), Suspicion::Alone);
  EXPECT_FALSE(release);
}

TEST_F(SuspicionTest, AWallClockThatWasSetBackTakesNoTimeAway) {
  for (int life = 1; life <= 3; ++life) crash(static_cast<std::uint64_t>(life));
  now -= hours(5);
  start(std::nullopt, "0.2.0");
  EXPECT_EQ(release->delivery.progress.give_up_at, kNow + hours(1));
}

TEST(IsNewer, ComparesVersionsNumberByNumber) {
  EXPECT_TRUE(is_newer("0.1.1", "0.1.0"));
  EXPECT_TRUE(is_newer("0.10.0", "0.9.9"));
  EXPECT_TRUE(is_newer("1.0", "0.9.9"));
  EXPECT_FALSE(is_newer("0.1.0", "0.1.0"));
  EXPECT_FALSE(is_newer("0.1.0", "0.2.0"));
  EXPECT_FALSE(is_newer("", ""));
  EXPECT_FALSE(is_newer("what?", "0.1.0"));
  EXPECT_TRUE(is_newer("0.1.0", "what?"));
}

}  // namespace
}  // namespace petrel::node
