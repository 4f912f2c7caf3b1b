#include "sim/totals.h"

#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim {
namespace {

using judge::Act;
using judge::DeliveryName;
using judge::Trial;
using std::chrono::milliseconds;

TEST(Totals, CountWhatAJudgeHasSeen) {
  Trial trial;
  const EndpointId endpoint = trial.endpoint();
  const DeliveryName delivered{endpoint, trial.post()};
  const DeliveryName dead{endpoint, trial.post()};
  const DeliveryName live{endpoint, trial.post()};
  trial.attempt(delivered, 200);
  const std::uint64_t last = trial.request(dead);
  trial.reply(last, 410);
  trial.hear(trial.record(last, "dead", "gone"));
  trial.attempt(live, 500);

  const Totals totals = totals_of(trial.judge().scene());

  EXPECT_EQ(totals.messages, 3U);
  EXPECT_EQ(totals.deliveries, 3U);
  EXPECT_EQ(totals.attempts, 3U);
  EXPECT_EQ(totals.delivered, 1U);
  EXPECT_EQ(totals.dead, 1U);
}

TEST(Totals, AMessageThatWasPromisedTwiceIsOne) {
  Trial trial;
  const std::uint64_t first =
      trial.ask({.act = Act::Post, .key = "k", .json = R"({"eventType": "a"})"});
  const std::uint64_t again =
      trial.ask({.act = Act::Post, .key = "k", .json = R"({"eventType": "a"})"});
  const std::uint64_t refused = trial.ask({.act = Act::Post, .json = R"({"eventType": "a"})"});
  const MessageId message = trial.next_message();
  trial.hear(judge::Told{.number = first, .status = 202, .message = message});
  trial.hear(judge::Told{.number = again, .status = 202, .message = message});
  trial.hear(judge::Told{.number = refused, .status = 503});

  EXPECT_EQ(totals_of(trial.judge().scene()).messages, 1U);
}

TEST(Totals, AddUpAndKeepTheLargestCostOfAStorm) {
  Totals sum{.messages = 1,
             .deliveries = 2,
             .attempts = 3,
             .delivered = 4,
             .dead = 5,
             .storm_cost_max = milliseconds(7)};

  sum.add({.messages = 10,
           .deliveries = 20,
           .attempts = 30,
           .delivered = 40,
           .dead = 50,
           .storm_cost_max = milliseconds(6)});

  EXPECT_EQ(sum.messages, 11U);
  EXPECT_EQ(sum.deliveries, 22U);
  EXPECT_EQ(sum.attempts, 33U);
  EXPECT_EQ(sum.delivered, 44U);
  EXPECT_EQ(sum.dead, 55U);
  EXPECT_EQ(sum.storm_cost_max, milliseconds(7));
}

}  // namespace
}  // namespace petrel::sim
