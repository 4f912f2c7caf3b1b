#include "policy/classify.h"

#include <vector>

#include <gtest/gtest.h>

namespace petrel::policy {
namespace {

Action action_of(const Outcome& outcome, const std::vector<Rule>& rules = {}) {
  return classify(outcome, rules).action;
}

TEST(Classify, A5_EveryStatusHasTheMeaningOfItsClass) {
  for (int status = 100; status <= 999; ++status) {
    Action expected = Action::Retry;
    if (status / 100 == 2) expected = Action::Success;
    if (status / 100 == 3 || status / 100 == 4) expected = Action::Fail;
    if (status == 404 || status == 408 || status == 429) expected = Action::Retry;
    if (status == 410) expected = Action::Pause;

    EXPECT_EQ(action_of(Outcome::answered(status)), expected) << status;
  }
}

TEST(Classify, OnlyNotFoundAndDnsHaveALimitOfTheirOwn) {
  EXPECT_EQ(classify(Outcome::answered(404), {}).attempts_max, 3);
  EXPECT_EQ(classify(Outcome::failed(FailureKind::Dns), {}).attempts_max, 3);
  EXPECT_EQ(classify(Outcome::answered(503), {}).attempts_max, std::nullopt);
  EXPECT_EQ(classify(Outcome::failed(FailureKind::Timeout), {}).attempts_max, std::nullopt);
}

TEST(Classify, TheMostSpecificRuleWinsWhateverTheirOrder) {
  const Rule exact{*Selector::parse("503"), Action::Fail};
  const Rule wide{*Selector::parse("5xx"), Action::Success};

  EXPECT_EQ(action_of(Outcome::answered(503), {exact, wide}), Action::Fail);
  EXPECT_EQ(action_of(Outcome::answered(503), {wide, exact}), Action::Fail);
  EXPECT_EQ(action_of(Outcome::answered(500), {wide, exact}), Action::Success);
}

TEST(Classify, ARuleForAClassBeatsTheBuiltInLineForAStatus) {
  const Rule rule{*Selector::parse("4xx"), Action::Fail};

  EXPECT_EQ(action_of(Outcome::answered(410), {rule}), Action::Fail);
  EXPECT_EQ(action_of(Outcome::answered(429), {rule}), Action::Fail);
}

TEST(Classify, ARuleForAFailureLeavesTheOthersAlone) {
  const Rule rule{*Selector::parse("timeout"), Action::Fail};

  EXPECT_EQ(action_of(Outcome::failed(FailureKind::Timeout), {rule}), Action::Fail);
  EXPECT_EQ(action_of(Outcome::failed(FailureKind::Reset), {rule}), Action::Retry);
}

}  // namespace
}  // namespace petrel::policy
