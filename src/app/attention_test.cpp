#include "app/attention.h"

#include <gtest/gtest.h>

#include "base/rfc3339.h"

namespace petrel::app {
namespace {

const WallTime kNow = *parse_rfc3339("2026-03-09T14:05:00Z");

std::vector<Concern> concerns(std::string_view health) {
  return concerns_of({.application = "acme", .endpoint = "billing", .health = *parse_json(health)},
                     kNow);
}

TEST(Attention, HasNothingToSayOfAnEndpointThatDoesWell) {
  EXPECT_TRUE(concerns(R"({"circuit": {"state": "closed"}, "paused": false, "disabled": false,
                           "queue": {"fresh": 3, "retrying": 0}, "oldestAt": "2026-03-09T14:04:30Z",
                           "heldUntil": null})")
                  .empty());
  EXPECT_TRUE(concerns("{}").empty());
  EXPECT_TRUE(concerns("[]").empty());
}

TEST(Attention, SaysSinceWhenAndWhyACircuitIsOpenAndWhatHelps) {
  const auto found = concerns(R"({"circuit": {"state": "open", "since": "2026-03-09T14:00:00Z",
      "why": "20 failures in a row", "nextProbeAt": "2026-03-09T14:05:20Z"}})");

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "circuit");
  EXPECT_EQ(found[0].text,
            "The circuit of billing (acme) is open for 5m: 20 failures in a row. "
            "It is tried again in 20s.");
  EXPECT_EQ(found[0].remedy, "petrel endpoint probe acme billing");
}

TEST(Attention, SaysOfAPausedEndpointThatAndWhatWaitsAndNotItsCircuit) {
  const auto found = concerns(R"({"circuit": {"state": "open"}, "paused": true,
      "pause": {"since": "2026-03-09T13:05:00Z", "reason": "gone\u001b[2J"},
      "queue": {"fresh": 1200, "retrying": 4}, "oldestAt": "2026-03-09T14:00:00Z"})");

  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].text, "billing (acme) is paused for 1h: gone [2J.");
  EXPECT_EQ(found[0].remedy, "petrel endpoint resume acme billing");
  EXPECT_EQ(found[1].kind, "backlog");
  EXPECT_EQ(found[1].text, "1,204 deliveries wait for billing (acme), the oldest for 5m.");
}

TEST(Attention, LeavesADisabledEndpointsCircuitAlone) {
  EXPECT_TRUE(concerns(R"({"circuit": {"state": "open"}, "disabled": true})").empty());
}

TEST(Attention, CountsDeadLettersByReason) {
  const auto dead = concern_of_dead(
      *parse_json(R"({"total": 1003, "reasons": {"exhausted": 1000, "gone": 3}})"), "acme");

  ASSERT_TRUE(dead);
  EXPECT_EQ(dead->text, "acme has 1,003 dead letters: 1,000 exhausted, 3 gone.");
  EXPECT_EQ(dead->remedy, "petrel dead-letter list acme");
  EXPECT_FALSE(concern_of_dead(*parse_json(R"({"total": 0})"), "acme"));
}

TEST(Attention, NamesNoCommandThatAShellWouldTakeForTwo) {
  const auto dead = concern_of_dead(*parse_json(R"({"total": 1})"), "a; b 'c'");

  ASSERT_TRUE(dead);
  EXPECT_EQ(dead->remedy, R"(petrel dead-letter list 'a; b '\''c'\''')");
}

TEST(Attention, PassesOnWhatTheServerSaysOfItself) {
  const auto found = concerns_of_server(*parse_json(
      R"({"database": {"status": "error"}, "problems": ["deliveries held after crashes: 2"]})"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text, "The server says: deliveries held after crashes: 2.");

  const auto silent = concerns_of_server(*parse_json(R"({"database": {"status": "error"}})"));
  ASSERT_EQ(silent.size(), 1U);
  EXPECT_EQ(silent[0].text, "The server's store is not well.");

  EXPECT_TRUE(
      concerns_of_server(*parse_json(R"({"database": {"status": "ok"}, "problems": []})")).empty());
}

TEST(Attention, PutsWhatIsGraverFirst) {
  EXPECT_LT(rank_of({.kind = "circuit", .text = ""}), rank_of({.kind = "paused", .text = ""}));
  EXPECT_LT(rank_of({.kind = "health", .text = ""}), rank_of({.kind = "dead-letters", .text = ""}));
}

}  // namespace
}  // namespace petrel::app
