#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class UntrueRecordTest : public testing::Test {
 protected:
  Trial trial;
  EndpointId endpoint = trial.endpoint();
  DeliveryName name{endpoint, trial.post()};
  std::uint64_t request = trial.request(name);

  std::string judged(const OnDisk& record) {
    trial.hear(record);
    return trial.rules();
  }
};

TEST_F(UntrueRecordTest, ARecordThatSaysWhatWasSeenIsTrue) {
  trial.reply(request, 503);

  EXPECT_EQ(judged(trial.retry(request, seconds(5))), "");
}

TEST_F(UntrueRecordTest, AnotherOutcomeIsNot) {
  trial.reply(request, 503);
  OnDisk record = trial.retry(request, seconds(5));
  record.attempt->status = 500;

  EXPECT_EQ(judged(record), "untrue record");
}

TEST_F(UntrueRecordTest, AnotherUrlIsNot) {
  trial.reply(request, 503);
  OnDisk record = trial.retry(request, seconds(5));
  record.attempt->url = "https://b.example/";

  EXPECT_EQ(judged(record), "untrue record");
}

TEST_F(UntrueRecordTest, AnAttemptThatNobodyMadeIsNot) {
  trial.reply(request, 503);
  OnDisk record = trial.retry(request, seconds(5));
  record.attempt->started_at -= seconds(1);

  EXPECT_EQ(judged(record), "untrue record");
}

TEST_F(UntrueRecordTest, ASecondRecordOfOneRequestIsNot) {
  trial.reply(request, 503);
  trial.hear(trial.retry(request, seconds(5)));

  EXPECT_EQ(judged(trial.retry(request, seconds(5))).substr(0, 13), "untrue record");
}

TEST_F(UntrueRecordTest, DeliveredTakesASuccess) {
  trial.reply(request, 503);

  EXPECT_EQ(judged(trial.record(request, "delivered")), "untrue record");
}

TEST_F(UntrueRecordTest, ASuccessIsDelivered) {
  trial.reply(request, 200);

  EXPECT_EQ(judged(trial.retry(request, seconds(5))).substr(0, 13), "untrue record");
}

TEST_F(UntrueRecordTest, ARuleMayMakeASuccess) {
  trial.change(endpoint, R"({"retryPolicy": {"rules": [{"on": "409", "action": "success"}]}})");
  trial.reply(request, 409);

  EXPECT_EQ(judged(trial.record(request, "delivered")), "");
}

TEST_F(UntrueRecordTest, AFaultOfOursIsNoAttempt) {
  trial.reply(request, {.kind = Reply::OurFault});

  EXPECT_EQ(judged(trial.retry(request, seconds(5))).substr(0, 13), "untrue record");
}

TEST_F(UntrueRecordTest, TheEndOnRecordIsWhenTheNodeWasTold) {
  trial.reply(request, 503);
  OnDisk record = trial.retry(request, seconds(5));
  record.attempt->ended_at += milliseconds(1);

  EXPECT_EQ(judged(record), "untrue record");
}

TEST_F(UntrueRecordTest, WhatEndedIsOnRecordAtRest) {
  trial.order(Act::Pause, endpoint);
  trial.reply(request, 503);

  trial.dump();

  EXPECT_EQ(trial.rules(), "untrue record");
}

TEST_F(UntrueRecordTest, WhatADeathCutOffNeedsNoRecord) {
  trial.order(Act::Pause, endpoint);
  trial.reply(request, 503);
  trial.die();
  trial.start();

  trial.dump();

  EXPECT_EQ(trial.rules(), "");
}

// Times on record only grow. The second attempt begins at the very moment at which the first ended.
TEST(MovedRecord, FollowsTheOneBeforeAtOnce) {
  for (const auto& [moved, rules] :
       {std::pair(Duration(1), ""), std::pair(Duration(milliseconds(5)), "untrue record")}) {
    Trial trial;
    const EndpointId endpoint = trial.endpoint(
        R"({"url": "https://a.example/", "retryPolicy": {"baseDelay": "0s", "jitter": "none"}})");
    const DeliveryName name{endpoint, trial.post()};
    trial.attempt(name, 500, Duration::zero());
    const std::uint64_t second = trial.request(name);
    trial.reply(second, 500);

    OnDisk record = trial.retry(second, Duration::zero());
    record.attempt->started_at += moved;
    record.attempt->ended_at += moved;
    trial.hear(record);

    EXPECT_EQ(trial.rules(), rules);
  }
}

TEST_F(UntrueRecordTest, NothingIsSentThatIsNotOnDisk) {
  trial.request({endpoint, trial.next_message()});

  EXPECT_EQ(trial.rules(), "untrue record");
}

}  // namespace
}  // namespace petrel::sim::judge
