#include "storm/comparison.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "policy/presets.h"

namespace petrel::storm {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Run scored(const std::string& name, bool is_guarded, const Score& score) {
  return {
      .contender = {.name = name, .policy = *policy::find_preset("svix"), .is_guarded = is_guarded},
      .score = score,
      .timeline = {}};
}

Score drained(Duration after) {
  Score score;
  score.delivered = 10;
  score.drained_after = after;
  return score;
}

TEST(Score, FewerCrashesCountMostThenWhatWasLostThenTheTime) {
  Score crashed = drained(seconds(1));
  crashed.crashes = 1;
  Score lost = drained(seconds(10));
  lost.dead = 1;
  Score unfinished = drained(seconds(10));
  unfinished.drained_after.reset();
  const Score good = drained(seconds(99));

  EXPECT_TRUE(is_better(good, lost));
  EXPECT_TRUE(is_better(lost, crashed));
  EXPECT_TRUE(is_better(drained(seconds(98)), good));
  EXPECT_TRUE(is_better(good, unfinished));
  EXPECT_FALSE(is_better(good, good));
}

TEST(Comparison, TheBestAreThoseWithinATenthOfTheBest) {
  Score lossy = drained(seconds(1));
  lossy.dead = 1;
  const Comparison comparison{
      .scenario = {},
      .runs = {scored("a", false, lossy), scored("a", true, drained(seconds(110))),
               scored("b", false, drained(seconds(111))),
               scored("b", true, drained(seconds(100)))}};

  const auto best = best_of(comparison);

  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0], &comparison.runs[1]);
  EXPECT_EQ(best[1], &comparison.runs[3]);
  EXPECT_EQ(verdict(comparison),
            "Best here, and too close to tell apart: with the guards a, b. 0 crashes, 0 messages "
            "not delivered, drained 1m 50s after recovery.");
}

TEST(Comparison, ASingleBestIsNamedByItself) {
  Score score = drained(seconds(5));
  score.crashes = 1;
  const Comparison comparison{.scenario = {}, .runs = {scored("svix", false, score)}};

  EXPECT_EQ(verdict(comparison),
            "Best here: alone svix. 1 crash, 0 messages not delivered, drained 5s after "
            "recovery.");
}

TEST(Comparison, TheWindowIsFromJustBeforeTheOutageToTheLastThatDrains) {
  Comparison comparison{.scenario = {}, .runs = {scored("a", true, drained(minutes(12)))}};
  comparison.scenario.outage_at = minutes(30);

  const Window window = window_of(comparison);

  EXPECT_EQ(window.from, minutes(29));
  EXPECT_EQ(window.to, minutes(53));
  EXPECT_EQ(place_in(window, minutes(41)), 0.5);
}

TEST(Comparison, TheWindowEndsAFewOutagesLaterAtTheLatest) {
  const Comparison comparison{.scenario = {},
                              .runs = {scored("a", true, drained(std::chrono::hours(9)))}};

  EXPECT_EQ(window_of(comparison).to, minutes(50));
}

TEST(Comparison, APeakOfOneSecondIsSeenHoweverWideAColumnIs) {
  std::vector<int> seconds_of_it(100, 1);
  seconds_of_it[42] = 999;

  const Window window{.from = seconds(0), .to = seconds(100)};
  EXPECT_EQ(peaks(seconds_of_it, window, 4), (std::vector<int>{1, 999, 1, 1}));
  EXPECT_EQ(peaks(seconds_of_it, window, 1), (std::vector<int>{999}));
}

TEST(Comparison, WhereNothingIsKnownThePeakIsZeroAndASecondCanFillSeveralColumns) {
  EXPECT_EQ(peaks({5, 7}, {.from = seconds(0), .to = seconds(4)}, 8),
            (std::vector<int>{5, 5, 7, 7, 0, 0, 0, 0}));
}

TEST(Comparison, IsWrittenAsJson) {
  Score score = drained(seconds(5));
  score.dead = 2;
  Comparison comparison{.scenario = {}, .runs = {scored("svix", false, score)}};
  comparison.scenario.seed = 18'446'744'073'709'551'615U;
  JsonWriter json;

  write_comparison(comparison, json);

  const std::string& text = json.text();
  EXPECT_EQ(text.find(R"({"scenario":{"events":10000,"batch":1,"spanMs":600000,)"), 0U) << text;
  EXPECT_NE(text.find(R"("seed":18446744073709551615})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("runs":[{"policy":"svix","retryPolicy":{"strategy":"schedule",)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("guards":false,"score":{"delivered":10,"dead":2,"unfinished":0,)"
                      R"("attempts":0,"wastedAttempts":0,"peakPerSecond":0,"crashes":0,)"
                      R"("drainedAfterMs":5000,"delayP50Ms":null,"delayP99Ms":null,)"
                      R"("neighbourP99Ms":null,"neighbourMaxMs":null,"paused":false}}]})"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace petrel::storm
