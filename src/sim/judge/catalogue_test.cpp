#include "sim/judge/catalogue.h"

#include <gtest/gtest.h>

namespace petrel::sim::judge {
namespace {

using std::chrono::seconds;

const ApplicationId kApplication;
const EndpointId kEndpoint;

MonoTime at(int second) { return MonoTime(seconds(second)); }

Asked change(std::uint64_t number, Act act, std::string json = "{}") {
  return {.number = number, .act = act, .json = std::move(json)};
}

std::vector<int> limits(const Catalogue& catalogue, int from, int to) {
  std::vector<int> found;
  for (const Possible* each : catalogue.between(kEndpoint, at(from), at(to))) {
    if (each->exists) found.push_back(each->settings.max_in_flight);
  }
  return found;
}

Catalogue with_endpoint(std::string json) {
  Catalogue catalogue;
  catalogue.asked(change(1, Act::CreateEndpoint, std::move(json)), at(1));
  catalogue.told(1, true, at(2));
  return catalogue;
}

TEST(Catalogue, BetweenRequestAndAnswerOldAndNewBothHold) {
  Catalogue catalogue = with_endpoint(R"({"maxInFlight": 5})");

  catalogue.asked(change(2, Act::ChangeEndpoint, R"({"maxInFlight": 7})"), at(10));
  EXPECT_EQ(limits(catalogue, 11, 11), (std::vector{5, 7}));
  catalogue.told(2, true, at(12));

  EXPECT_EQ(limits(catalogue, 9, 9), std::vector{5});
  EXPECT_EQ(limits(catalogue, 12, 12), std::vector{7});
  EXPECT_EQ(limits(catalogue, 9, 12), (std::vector{5, 7}));
}

TEST(Catalogue, WhatWasRefusedNeverHeld) {
  Catalogue catalogue = with_endpoint(R"({"maxInFlight": 5})");
  catalogue.asked(change(2, Act::ChangeEndpoint, R"({"maxInFlight": 7})"), at(10));

  catalogue.told(2, false, at(12));

  EXPECT_EQ(limits(catalogue, 12, 12), std::vector{5});
}

TEST(Catalogue, OfChangesTogetherEveryOrderMayHold) {
  Catalogue catalogue = with_endpoint(R"({"maxInFlight": 5})");
  catalogue.asked(change(2, Act::ChangeEndpoint, R"({"maxInFlight": 7})"), at(10));
  catalogue.asked(change(3, Act::ChangeEndpoint, R"({"maxInFlight": 9})"), at(11));

  catalogue.told(2, true, at(12));
  catalogue.told(3, true, at(12));

  EXPECT_EQ(limits(catalogue, 12, 12), (std::vector{7, 9}));
}

TEST(Catalogue, AnApplicationsChangeReachesItsEndpoints) {
  Catalogue catalogue = with_endpoint("{}");
  catalogue.asked(change(2, Act::ChangeApplication, R"({"maxInFlight": 3})"), at(10));
  catalogue.told(2, true, at(11));

  EXPECT_EQ(limits(catalogue, 11, 11), std::vector{3});
}

TEST(Catalogue, CountsTheTimeForWhichItWasHeldForSureAndAtMost) {
  Catalogue catalogue = with_endpoint("{}");
  catalogue.asked(change(2, Act::Pause), at(10));
  EXPECT_TRUE(catalogue.may_send(kEndpoint, at(10)));
  catalogue.told(2, true, at(12));
  EXPECT_FALSE(catalogue.may_send(kEndpoint, at(12)));
  catalogue.asked(change(3, Act::Resume), at(20));
  catalogue.told(3, true, at(23));

  const HeldBounds held = catalogue.held(kEndpoint, at(5), at(30));

  EXPECT_EQ(held.shortest, seconds(8));
  EXPECT_EQ(held.longest, seconds(13));
  EXPECT_TRUE(catalogue.must_send(kEndpoint, at(23)));
}

TEST(Catalogue, WhatWasDeletedIsNoMore) {
  Catalogue catalogue = with_endpoint("{}");
  EXPECT_TRUE(catalogue.must_exist(kEndpoint, at(2)));
  catalogue.asked(change(2, Act::DeleteEndpoint), at(10));
  EXPECT_TRUE(catalogue.may_exist(kEndpoint, at(10)));

  catalogue.told(2, true, at(11));

  EXPECT_FALSE(catalogue.may_exist(kEndpoint, at(11)));
}

}  // namespace
}  // namespace petrel::sim::judge
