#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

class RetentionTest : public testing::Test {
 protected:
  RetentionTest() {
    trial_.act({.act = Act::ChangeApplication,
                .application = trial_.application(),
                .json = R"({"retention": "2h", "retentionPayloads": "1h",
                            "retentionDeadLetters": "4h"})"});
    endpoint_ = trial_.endpoint();
  }

  DeliveryName posted() { return {endpoint_, trial_.post()}; }

  DeliveryName died() {
    const DeliveryName name = posted();
    const std::uint64_t request = trial_.request(name);
    trial_.reply(request, 400);
    trial_.hear(trial_.record(request, "dead", "permanent"));
    return name;
  }

  DeliveryName delivered() {
    const DeliveryName name = posted();
    trial_.attempt(name, 200);
    return name;
  }

  void drop(const DeliveryName& name) {
    trial_.hear(Dropped{trial_.application(), name.endpoint, name.message});
  }
  void drop_message(const DeliveryName& name) { drop({{}, name.message}); }
  void drop_payload(const DeliveryName& name) {
    trial_.hear(PayloadGone{
        .application = trial_.application(), .message = name.message, .by = By::Upkeep});
  }

  Trial trial_;
  EndpointId endpoint_;
};

TEST_F(RetentionTest, WhatHasEndedMayBeDroppedAfterItsPeriod) {
  const DeliveryName name = delivered();
  trial_.wait(hours(2));
  drop_payload(name);
  drop(name);
  drop_message(name);
  EXPECT_EQ(trial_.rules(), "");
}

TEST_F(RetentionTest, ADeliveryIsKeptForItsPeriod) {
  const DeliveryName name = delivered();
  trial_.wait(hours(2) - minutes(1));
  drop(name);
  EXPECT_EQ(trial_.rules(), "retention");
}

TEST_F(RetentionTest, APayloadIsKeptForItsPeriod) {
  const DeliveryName name = delivered();
  trial_.wait(hours(1) - minutes(1));
  drop_payload(name);
  EXPECT_EQ(trial_.rules(), "retention");
}

TEST_F(RetentionTest, ADeadLetterThatIsKeptKeepsItsPayload) {
  const DeliveryName name = died();
  trial_.wait(hours(3));
  drop_payload(name);
  EXPECT_EQ(trial_.rules(), "retention");
}

TEST_F(RetentionTest, ADeadLetterIsKeptForItsOwnPeriod) {
  const DeliveryName name = died();
  trial_.wait(hours(4) - minutes(1));
  drop(name);
  EXPECT_EQ(trial_.rules(), "retention");
}

TEST_F(RetentionTest, ADeadLetterMayBeDroppedAfterIt) {
  const DeliveryName name = died();
  trial_.wait(hours(4));
  drop(name);
  drop_payload(name);
  drop_message(name);
  EXPECT_EQ(trial_.rules(), "");
}

TEST_F(RetentionTest, NothingLiveIsDropped) {
  trial_.order(Act::Pause, endpoint_);
  const DeliveryName name = posted();
  trial_.wait(hours(100));
  drop(name);
  EXPECT_EQ(trial_.rules(), "retention");
}

TEST_F(RetentionTest, AMessageIsNotDroppedBeforeItsDeliveries) {
  const DeliveryName name = died();
  trial_.wait(hours(3));
  drop_message(name);
  EXPECT_EQ(trial_.rules(), "retention");
}

TEST_F(RetentionTest, WhatIsLongOverIsNotThereAtRest) {
  // Of the application's periods the first may hold: those of the server.
  trial_.act({.act = Act::SetServer, .json = R"({"retention": "2h"})"});
  delivered();
  trial_.start();
  trial_.wait(hours(3));
  trial_.dump();
  EXPECT_EQ(trial_.rules(), "retention");
}

TEST_F(RetentionTest, WhatIsNotLongOverMayBe) {
  delivered();
  trial_.start();
  trial_.wait(hours(2) + minutes(29));
  trial_.dump();
  EXPECT_EQ(trial_.rules(), "");
}

}  // namespace
}  // namespace petrel::sim::judge
