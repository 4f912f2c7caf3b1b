#include "policy/rule.h"

#include <gtest/gtest.h>

#include "policy/tally.h"

namespace petrel::policy {
namespace {

TEST(Selector, ReadsStatusesClassesAndFailures) {
  for (const std::string_view text : {"404", "100", "999", "5xx", "2xx", "dns", "connect", "tls",
                                      "timeout", "reset", "protocol"}) {
    const Result<Selector> selector = Selector::parse(text);
    ASSERT_TRUE(selector.ok()) << text;
    EXPECT_EQ(selector->text(), text);
  }
}

TEST(Selector, RefusesAnythingElse) {
  for (const std::string_view text :
       {"", "40", "4040", "099", "0xx", "5XX", "xx5", "DNS", "4x4", "-04", "network", "404 "}) {
    EXPECT_FALSE(Selector::parse(text).ok()) << text;
  }
}

TEST(Selector, MatchesWhatItNames) {
  EXPECT_TRUE(Selector::parse("5xx")->matches(Outcome::answered(503)));
  EXPECT_FALSE(Selector::parse("5xx")->matches(Outcome::answered(403)));
  EXPECT_FALSE(Selector::parse("5xx")->matches(Outcome::failed(FailureKind::Reset)));
  EXPECT_TRUE(Selector::parse("tls")->matches(Outcome::failed(FailureKind::Tls)));
  EXPECT_FALSE(Selector::parse("tls")->matches(Outcome::blocked()));
}

TEST(Action, NamesReadBack) {
  for (const Action action : {Action::Success, Action::Retry, Action::Fail, Action::Pause}) {
    EXPECT_EQ(*parse_action(to_string(action)), action);
  }
  EXPECT_FALSE(parse_action("drop").ok());
}

TEST(Outcome, EveryWayReadsBack) {
  for (int status = 100; status <= 999; ++status) {
    const Outcome outcome = Outcome::answered(status);
    EXPECT_EQ(Outcome::from_code(outcome.code()), outcome);
  }
  for (int kind = 0; kind <= static_cast<int>(FailureKind::Protocol); ++kind) {
    const Outcome outcome = Outcome::failed(static_cast<FailureKind>(kind));
    EXPECT_EQ(Outcome::from_code(outcome.code()), outcome);
  }
  EXPECT_EQ(Outcome::from_code(Outcome::blocked().code()), Outcome::blocked());
  EXPECT_EQ(Outcome::from_code(Outcome::our_fault().code()), Outcome::our_fault());
  EXPECT_EQ(Outcome::from_code(0), Outcome::our_fault());
}

TEST(Outcome, SaysWhatItIs) {
  EXPECT_EQ(Outcome::answered(503).text(), "503");
  EXPECT_EQ(Outcome::failed(FailureKind::Dns).text(), "dns");
  EXPECT_EQ(Outcome::blocked().text(), "blocked");
  EXPECT_EQ(Outcome::our_fault().text(), "our fault");
}

TEST(Tally, CountsByWayAndByClass) {
  Tally tally;
  tally.add(Outcome::answered(500));
  tally.add(Outcome::answered(503));
  tally.add(Outcome::answered(503));
  tally.add(Outcome::failed(FailureKind::Dns));

  EXPECT_EQ(tally.count(*Selector::parse("503")), 2);
  EXPECT_EQ(tally.count(*Selector::parse("5xx")), 3);
  EXPECT_EQ(tally.count(*Selector::parse("dns")), 1);
  EXPECT_EQ(tally.count(*Selector::parse("404")), 0);
  EXPECT_EQ(Tally(tally.entries()), tally);
}

}  // namespace
}  // namespace petrel::policy
