#include <gtest/gtest.h>

#include "sim/judge/trial.h"

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

  EXPECT_NE(trial.rules(), "") << "one is in flight, and the second waits";
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

TEST(Unfair, NoMoreInFlightThanSlots) {
  JudgeSettings settings = Trial::strict();
  settings.slots = 2;
  Trial trial(settings);
  const EndpointId endpoint = trial.endpoint();
  const DeliveryName names[] = {
      {endpoint, trial.post()}, {endpoint, trial.post()}, {endpoint, trial.post()}};
  trial.request(names[0]);
  trial.request(names[1]);
  EXPECT_EQ(trial.rules(), "");

  trial.request(names[2]);

  EXPECT_EQ(trial.rules(), "slots");
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
