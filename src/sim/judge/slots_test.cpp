#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::milliseconds;

JudgeSettings with_slots(int slots) {
  JudgeSettings settings = Trial::strict();
  settings.slots = slots;
  return settings;
}

std::vector<DeliveryName> posts(Trial& trial, EndpointId endpoint, int count) {
  std::vector<DeliveryName> names;
  for (int i = 0; i < count; ++i) names.push_back({endpoint, trial.post()});
  return names;
}

TEST(Slots, HalfOfThemAreForTheFirstOneOfEachEndpoint) {
  Trial trial(with_slots(4));
  const EndpointId endpoints[] = {trial.endpoint(), trial.endpoint(), trial.endpoint()};
  const MessageId message = trial.post();
  trial.request({endpoints[0], message});
  trial.request({endpoints[1], message});
  EXPECT_EQ(trial.rules(), "");

  trial.request({endpoints[2], message});

  EXPECT_EQ(trial.rules(), "slots");
}

TEST(Slots, TheOtherHalfIsForFurtherOnes) {
  Trial trial(with_slots(4));
  const EndpointId endpoints[] = {trial.endpoint(), trial.endpoint()};
  const MessageId messages[] = {trial.post(), trial.post(), trial.post()};
  for (const EndpointId endpoint : endpoints) {
    trial.request({endpoint, messages[0]});
    trial.request({endpoint, messages[1]});
  }
  EXPECT_EQ(trial.rules(), "");

  // Let go before there was any.
  trial.request({endpoints[0], messages[2]}, milliseconds(1));

  EXPECT_EQ(trial.rules(), "slots");
}

TEST(SlotShare, AFurtherOneGoesBelowAQuarterOfWhatIsLeft) {
  Trial trial(with_slots(20));
  const auto names = posts(trial, trial.endpoint(), 4);
  for (std::size_t i = 0; i < 3; ++i) trial.request(names[i]);
  EXPECT_EQ(trial.rules(), "");

  trial.request(names[3]);  // 4 × 2 < 10 − 2 does not hold.

  EXPECT_EQ(trial.rules(), "slot share");
}

TEST(SlotShare, WhatOthersHoldCounts) {
  Trial trial(with_slots(20));
  const EndpointId endpoints[] = {trial.endpoint(), trial.endpoint(), trial.endpoint(),
                                  trial.endpoint(), trial.endpoint(), trial.endpoint()};
  const MessageId messages[] = {trial.post(), trial.post(), trial.post()};
  for (const EndpointId endpoint : endpoints) {
    trial.request({endpoint, messages[0]});
    trial.request({endpoint, messages[1]});
  }
  EXPECT_EQ(trial.rules(), "");

  trial.request({endpoints[0], messages[2]});  // 4 × 1 < 10 − 6 does not hold.

  EXPECT_EQ(trial.rules(), "slot share");
}

TEST(SlotShare, WhatWaitedForItsPayloadWasLetGoBefore) {
  Trial trial(with_slots(20));
  const auto names = posts(trial, trial.endpoint(), 4);
  trial.request(names[0]);
  trial.request(names[1]);
  trial.wait(milliseconds(5));
  trial.request(names[2]);
  trial.wait(milliseconds(1));

  trial.request(names[3], milliseconds(2));

  EXPECT_EQ(trial.rules(), "");
}

TEST(SlotShare, WhatHasEndedIsFree) {
  Trial trial(with_slots(20));
  const auto names = posts(trial, trial.endpoint(), 4);
  trial.attempt(names[0], 200);
  for (std::size_t i = 1; i < 4; ++i) trial.request(names[i]);

  EXPECT_EQ(trial.rules(), "");
}

class KeptPlacesTest : public testing::Test {
 protected:
  KeptPlacesTest() : trial(settings()) {}

  static JudgeSettings settings() {
    JudgeSettings settings = Trial::strict();
    settings.authority_cap = 10;
    return settings;
  }

  void fill(EndpointId endpoint, int count) {
    for (const DeliveryName& name : posts(trial, endpoint, count)) trial.request(name);
  }

  Trial trial;
};

TEST_F(KeptPlacesTest, OneForEachOtherEndpointOfTheAuthority) {
  const EndpointId endpoint = trial.endpoint();
  trial.endpoint();
  fill(endpoint, 9);
  EXPECT_EQ(trial.rules(), "");

  fill(endpoint, 1);

  EXPECT_EQ(trial.rules(), "kept places");
}

TEST_F(KeptPlacesTest, NoneForOnesElsewhere) {
  const EndpointId endpoint = trial.endpoint();
  trial.endpoint(R"({"url": "https://b.example/"})");

  fill(endpoint, 10);

  EXPECT_EQ(trial.rules(), "");
}

TEST_F(KeptPlacesTest, AtMostHalfOfTheCap) {
  const EndpointId endpoint = trial.endpoint();
  for (int i = 0; i < 20; ++i) trial.endpoint();
  fill(endpoint, 5);
  EXPECT_EQ(trial.rules(), "");

  fill(endpoint, 1);

  EXPECT_EQ(trial.rules(), "kept places");
}

TEST_F(KeptPlacesTest, NotBeforeTheOtherEndpointIsThereForSure) {
  const EndpointId endpoint = trial.endpoint();
  fill(endpoint, 9);
  trial.wait(milliseconds(10));
  const auto last = posts(trial, endpoint, 1);
  trial.endpoint();

  trial.request(last[0], milliseconds(5));

  EXPECT_EQ(trial.rules(), "");
}

}  // namespace
}  // namespace petrel::sim::judge
