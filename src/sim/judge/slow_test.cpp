#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim::judge {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Slow, WhatIsDueAndAllowedStartsWithinTheSlack) {
  Trial trial;
  trial.endpoint();
  trial.post();
  trial.wait(seconds(1));
  trial.hear(Counted{});
  EXPECT_EQ(trial.rules(), "");
  trial.wait(Duration(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "slow");
}

TEST(Slow, ARetryIsNotDueBeforeItsTime) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  trial.attempt({endpoint, trial.post()}, 500, seconds(5));
  trial.wait(seconds(6));
  trial.hear(Counted{});
  EXPECT_EQ(trial.rules(), "");
  trial.wait(Duration(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "slow");
}

TEST(Slow, OneWhosePayloadIsGoneHasItsTurnAsWell) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  const MessageId gone = trial.post();
  trial.post();
  trial.act({.act = Act::Expunge, .message = gone});
  trial.wait(seconds(1));
  trial.hear(OnDisk{.application = trial.application(),
                    .endpoint = endpoint,
                    .message = gone,
                    .state = "dead",
                    .reason = "cancelled"});
  trial.wait(seconds(1));
  trial.hear(Counted{});
  EXPECT_EQ(trial.rules(), "");
  trial.wait(Duration(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "slow");
}

// Four endpoints of an application that may have one attempt a second have one delivery each, and
// the first is sent.
class InLineTest : public testing::Test {
 protected:
  Trial trial;

  void SetUp() override {
    std::vector<EndpointId> endpoints;
    for (int i = 0; i < 4; ++i) endpoints.push_back(trial.endpoint());
    limit(1);
    const MessageId message = trial.post();
    trial.attempt({endpoints.front(), message}, 200);
  }
  void limit(int rate) {
    trial.act({.act = Act::ChangeApplication,
               .application = trial.application(),
               .json = R"({"throttleRate": )" + std::to_string(rate) + "}"});
  }
};

TEST_F(InLineTest, EachHasItsTurnWhenTheOthersHaveHadOne) {
  trial.wait(seconds(1 + 5));  // The slack, and one for each and for a late one.
  trial.hear(Counted{});
  EXPECT_EQ(trial.rules(), "");
  trial.wait(Duration(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "slow");
}

TEST_F(InLineTest, ARaisedRateCountsForEndpointsThatWaitAlready) {
  trial.wait(milliseconds(500));
  limit(10);
  trial.wait(seconds(1) + milliseconds(500));
  trial.hear(Counted{});
  EXPECT_EQ(trial.rules(), "");
  trial.wait(Duration(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "slow");
}

TEST(Slow, NothingIsLateWhileSomethingStandsInTheWay) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint(R"({"url": "https://a.example/", "maxInFlight": 1})");
  const DeliveryName first{endpoint, trial.post()};
  trial.post();
  const std::uint64_t request = trial.request(first);
  trial.wait(minutes(1));
  trial.hear(StoreAway{.verb = "settle"});
  trial.reply(request, 200);
  trial.wait(minutes(1));
  trial.hear(StoreAway{.verb = "settle", .is_over = true});
  trial.die();
  trial.wait(minutes(1));
  trial.start();
  trial.order(Act::Pause, endpoint);
  trial.wait(minutes(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "");
}

TEST(Slow, ARampThatHasNothingToHoldBackIsOver) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  trial.order(Act::Pause, endpoint);
  trial.order(Act::Resume, endpoint);
  trial.wait(seconds(11));
  trial.hear(Counted{});
  const DeliveryName first{endpoint, trial.post()};
  trial.post();
  trial.request(first);
  trial.wait(seconds(1) + Duration(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "ramp endless") << "one is in flight, and the second waits";
}

// Whoever sends two at once is not in the ramp any more, whatever else keeps it.
TEST(Slow, WhatHadMoreInFlightThanARampBeginsWithIsNotInARamp) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  trial.order(Act::Pause, endpoint);
  trial.order(Act::Resume, endpoint);
  trial.wait(seconds(11));
  trial.hear(Counted{});
  trial.request({endpoint, trial.post()});
  trial.request({endpoint, trial.post()});
  trial.post();
  trial.wait(seconds(1) + Duration(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "slow");
}

TEST(Slow, WhereNothingGoesAtAllItIsNotTheRamp) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  trial.order(Act::Pause, endpoint);
  trial.order(Act::Resume, endpoint);
  trial.wait(seconds(11));
  trial.hear(Counted{});
  trial.post();
  trial.wait(seconds(1) + Duration(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "slow");
}

TEST(Slow, ARampMayGoOnForTwoStepsWithoutWork) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  trial.order(Act::Pause, endpoint);
  trial.order(Act::Resume, endpoint);
  trial.wait(seconds(11) - Duration(1));  // Two steps and the slack.
  trial.hear(Counted{});
  const DeliveryName first{endpoint, trial.post()};
  trial.post();
  trial.request(first);
  trial.wait(seconds(1) + Duration(1));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "");
}

TEST(Slow, ARampMayHoldBackASecond) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  trial.order(Act::Pause, endpoint);
  trial.order(Act::Resume, endpoint);
  const DeliveryName first{endpoint, trial.post()};
  trial.post();
  trial.request(first);
  trial.wait(seconds(4));

  trial.hear(Counted{});

  EXPECT_EQ(trial.rules(), "");
}

// With one in flight at a time, a retry waits while first attempts go on.
TEST(Unfair, FreshAndRetryAreTakenInTurn) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint(R"({"url": "https://a.example/", "maxInFlight": 1})");
  trial.attempt({endpoint, trial.post()}, 500, seconds(5));
  trial.wait(seconds(5));
  const DeliveryName names[] = {{endpoint, trial.post()},
                                {endpoint, trial.post()},
                                {endpoint, trial.post()},
                                {endpoint, trial.post()}};
  const auto serve = [&](const DeliveryName& name) {
    const std::uint64_t request = trial.request(name);
    trial.wait(seconds(2));
    trial.reply(request, 200);
    trial.hear(trial.record(request, "delivered"));
  };
  serve(names[0]);
  serve(names[1]);
  serve(names[2]);
  EXPECT_EQ(trial.rules(), "");

  serve(names[3]);

  EXPECT_EQ(trial.rules(), "unfair");
}

}  // namespace
}  // namespace petrel::sim::judge
