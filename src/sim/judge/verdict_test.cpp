#include "sim/judge/verdict.h"

#include <gtest/gtest.h>

#include "sim/judge/backoff_bounds.h"
#include "sim/judge/json_field.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

const Policy kPolicy = preset("standard-webhooks");

Verdict verdict(int status) { return verdict_of(kPolicy, Reply::Answered, status); }

TEST(Verdict, FailuresAreWhatTheContractCallsSo) {
  EXPECT_EQ(verdict(200), Verdict::Success);
  EXPECT_EQ(verdict(408), Verdict::Failure);
  EXPECT_EQ(verdict(404), Verdict::Reachable);
  EXPECT_EQ(verdict(429), Verdict::Throttled);
  EXPECT_EQ(verdict(500), Verdict::Failure);
  EXPECT_EQ(verdict_of(kPolicy, Reply::Connect, 0), Verdict::Failure);
  EXPECT_EQ(verdict_of(kPolicy, Reply::StaleReset, 0), Verdict::Nothing);
  EXPECT_EQ(verdict_of(kPolicy, Reply::OurFault, 0), Verdict::Nothing);
}

TEST(Verdict, ARuleCanMakeASuccessOfAFailure) {
  const Policy policy =
      read_policy(read_json(R"({"rules": [{"on": "500", "action": "success"}]})"));

  EXPECT_EQ(verdict_of(policy, Reply::Answered, 500), Verdict::Success);
}

TEST(Verdict, PushbackIsOverloadAndTimeout) {
  EXPECT_EQ(load_of(kPolicy, Reply::Answered, 503), Load::Pushback);
  EXPECT_EQ(load_of(kPolicy, Reply::Answered, 500), Load::Nothing);
  EXPECT_EQ(load_of(kPolicy, Reply::Answered, 404), Load::Good);
  EXPECT_EQ(load_of(kPolicy, Reply::Answered, 408), Load::Nothing);
  EXPECT_EQ(load_of(kPolicy, Reply::Timeout, 0), Load::Pushback);
}

TEST(Verdict, ReadsWhatTheReceiverAsksFor) {
  const WallTime now = wall_from_unix_seconds(784111777);  // Sun, 06 Nov 1994 08:49:37 GMT
  const auto wish = [&](std::string_view retry_after, std::string_view date = "") {
    return wish_of({.request = 1,
                    .status = 503,
                    .retry_after = std::string(retry_after),
                    .date = std::string(date)},
                   now);
  };

  EXPECT_EQ(wish("120"), seconds(120));
  EXPECT_EQ(wish("Sun, 06 Nov 1994 08:50:37 GMT"), seconds(60));
  EXPECT_EQ(wish("Sun, 06 Nov 1994 08:50:37 GMT", "Sun, 06 Nov 1994 08:50:07 GMT"), seconds(30));
  EXPECT_EQ(wish("Sun, 06 Nov 1994 08:49:37 GMT"), std::nullopt);
  EXPECT_EQ(wish("-1"), std::nullopt);
  EXPECT_EQ(wish("soon"), std::nullopt);
  EXPECT_TRUE(disables_endpoint({.request = 1, .status = 200, .webhook_delivery = "x, DISABLE"}));
  EXPECT_FALSE(aborts_message({.request = 1, .status = 200, .webhook_delivery = "abort"}));
}

TEST(BackoffBounds, JitterSpreadsTheNominalDelay) {
  const auto bounds = [](std::string_view json, const Failure& failure) {
    return delay_bounds(read_policy(read_json(json)), failure);
  };

  EXPECT_EQ(bounds(R"({"jitter": "none"})", {.number = 3}).longest, seconds(120));
  EXPECT_EQ(bounds(R"({"jitter": "full"})", {.number = 3}).shortest, seconds(0));
  EXPECT_EQ(bounds(R"({"jitter": "equal"})", {.number = 1}).shortest, seconds(15));
  EXPECT_EQ(bounds(R"({"strategy": "linear", "jitter": "none"})", {.number = 3}).longest,
            seconds(90));
  EXPECT_EQ(bounds(R"("svix")", {.number = 1}).longest, seconds(6));
  EXPECT_EQ(bounds(R"({"jitter": "decorrelated"})", {.number = 2}).longest, seconds(540));
  EXPECT_EQ(bounds(R"({"jitter": "decorrelated"})", {.number = 1}).longest, seconds(90));
}

TEST(BackoffBounds, A429WithoutAHeaderDoublesAndIsCapped) {
  const Policy policy = read_policy(read_json(R"({"jitter": "none", "maxDelay": "50s"})"));

  EXPECT_EQ(delay_bounds(policy, {.number = 1, .is_throttled = true}).longest, seconds(50));
  EXPECT_EQ(delay_bounds(policy, {.number = 1, .is_throttled = true, .wish = seconds(1)}).longest,
            seconds(30));
}

TEST(BackoffBounds, TheReceiversWishLengthensUpToTheCap) {
  const Policy policy = read_policy(read_json(R"({"jitter": "none", "retryAfterCap": "1h"})"));

  EXPECT_EQ(delay_bounds(policy, {.number = 1, .wish = seconds(40)}).shortest, seconds(40));
  EXPECT_EQ(delay_bounds(policy, {.number = 1, .wish = hours(9)}).longest, hours(1));
}

}  // namespace
}  // namespace petrel::sim::judge
