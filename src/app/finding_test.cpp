#include "app/finding.h"

#include <chrono>

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kGibibyte = 1ULL << 30U;
const WallTime kNow = wall_from_unix_seconds(1'800'000'000);

TEST(Finding, ADiskIsWellIfItSyncsQuicklyAndHasRoom) {
  const Finding good = judge_disk({milliseconds(20), 10 * kGibibyte, 100 * kGibibyte});
  EXPECT_EQ(good.verdict, Verdict::Ok);
  EXPECT_EQ(good.what, "a sync takes 20.0 ms, 10.0 GiB are free");
  EXPECT_EQ(good.remedy, "");
}

TEST(Finding, ASlowOrNearlyFullDiskIsWarnedOfWithTheRemedy) {
  const auto verdict = [](DiskMeasure disk) { return judge_disk(disk).verdict; };
  EXPECT_EQ(verdict({milliseconds(21), 10 * kGibibyte, 100 * kGibibyte}), Verdict::Warning);
  EXPECT_EQ(verdict({milliseconds(1), kGibibyte - 1, 2 * kGibibyte}), Verdict::Warning);
  EXPECT_EQ(verdict({milliseconds(1), 49 * kGibibyte, 1000 * kGibibyte}), Verdict::Warning);
  EXPECT_EQ(verdict({milliseconds(1), 50 * kGibibyte, 1000 * kGibibyte}), Verdict::Ok);
  EXPECT_NE(judge_disk({milliseconds(21), 10 * kGibibyte, 0}).remedy, "");
}

TEST(Finding, AClockThatWasNeverSetIsAProblemAndOneThatDriftsAWarning) {
  EXPECT_EQ(judge_clock(kNow, true).verdict, Verdict::Ok);
  EXPECT_EQ(judge_clock(kNow, false).verdict, Verdict::Warning);
  EXPECT_EQ(judge_clock(wall_from_unix_seconds(0), true).verdict, Verdict::Problem);
}

TEST(Finding, TooFewFilesAreWarnedOf) {
  EXPECT_EQ(judge_files(1024).verdict, Verdict::Warning);
  EXPECT_EQ(judge_files(4096).verdict, Verdict::Ok);
}

TEST(Finding, TheTableHasALineForEachAndTheRemedyBelow) {
  const std::vector<Finding> findings = {
      {.about = "disk", .what = "quick", .remedy = ""},
      {.about = "store", .verdict = Verdict::Problem, .what = "damaged", .remedy = "restore it"}};
  EXPECT_EQ(to_table(findings, false),
            "disk   ok       quick\n"
            "store  problem  damaged\n"
            "                restore it\n");
  EXPECT_NE(to_table(findings, true).find("\x1b[31mproblem\x1b[0m"), std::string::npos);
  EXPECT_TRUE(has_problem(findings));
  EXPECT_EQ(to_json(findings),
            R"({"ok":false,"findings":[)"
            R"({"about":"disk","verdict":"ok","what":"quick","remedy":""},)"
            R"({"about":"store","verdict":"problem","what":"damaged","remedy":"restore it"}]})");
}

TEST(Finding, WarningsAreNoProblem) {
  EXPECT_FALSE(has_problem({judge_files(1), judge_clock(kNow, false)}));
}

}  // namespace
}  // namespace petrel::app
