#include "policy/decision.h"

#include <gtest/gtest.h>

#include "policy/presets.h"
#include "policy/retry_policy_json.h"

namespace petrel::policy {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const WallTime kNow = wall_from_unix_seconds(1'800'000'000);

// Waits exactly as it says, so that the tests can.
RetryPolicy exact_policy() {
  return *parse_policy(R"({"strategy": "fixed", "baseDelay": "1m", "jitter": "none"})");
}

AttemptEnd ended(Outcome outcome, std::optional<Duration> retry_after = std::nullopt) {
  return {outcome, retry_after, kNow - seconds(2), kNow};
}

Decision decide_first(const RetryPolicy& policy, const AttemptEnd& end) {
  Random random(1);
  return decide(policy, Progress{}, end, random);
}

// The decision after the same outcome `times` times over.
Decision decide_repeated(const RetryPolicy& policy, const AttemptEnd& end, int times) {
  Random random(1);
  Decision decision;
  for (int i = 0; i < times; ++i) decision = decide(policy, decision.progress, end, random);
  return decision;
}

std::string fate_of(const Decision& decision) {
  if (std::holds_alternative<Delivered>(decision.fate)) return "delivered";
  if (std::holds_alternative<TryAgain>(decision.fate)) return "retry";
  if (std::holds_alternative<NotSpent>(decision.fate)) return "not spent";
  return std::string(to_string(std::get<Dead>(decision.fate).reason));
}

struct Line {
  std::string_view demand;
  Outcome outcome;
  std::string_view first;  // After the first attempt that ended so.
  std::string_view third;  // After the third.
  bool pauses = false;
  bool notice = false;  // On the decision that ends it.
};

std::vector<Line> every_line() {
  const auto status = [](int code) { return Outcome::answered(code); };
  const auto failed = [](FailureKind kind) { return Outcome::failed(kind); };
  return {
      {"A5", status(200), "delivered", "delivered"},
      {"A5", status(204), "delivered", "delivered"},
      {"A5", status(299), "delivered", "delivered"},
      {"A5", failed(FailureKind::Connect), "retry", "retry"},
      {"A5", failed(FailureKind::Reset), "retry", "retry"},
      {"A5", failed(FailureKind::Timeout), "retry", "retry"},
      {"A5", failed(FailureKind::Tls), "retry", "retry"},
      {"A5", failed(FailureKind::Protocol), "retry", "retry"},
      {"B4", status(408), "retry", "retry"},
      {"B4", status(429), "retry", "retry"},
      {"C1", status(500), "retry", "retry"},
      {"C1", status(502), "retry", "retry"},
      {"C1", status(503), "retry", "retry"},
      {"C1", status(504), "retry", "retry"},
      {"C1", status(599), "retry", "retry"},
      {"D7", status(400), "permanent", "permanent", false, true},
      {"D7", status(401), "permanent", "permanent", false, true},
      {"D7", status(403), "permanent", "permanent", false, true},
      {"D7", status(422), "permanent", "permanent", false, true},
      {"D7", status(405), "permanent", "permanent", false, true},
      {"D7", status(418), "permanent", "permanent", false, true},
      {"E5", status(301), "permanent", "permanent"},
      {"E5", status(302), "permanent", "permanent"},
      {"E5", status(304), "permanent", "permanent"},
      {"E5", status(308), "permanent", "permanent"},
      {"A5 404", status(404), "retry", "permanent", false, true},
      {"A5 dns", failed(FailureKind::Dns), "retry", "permanent"},
      {"C9", Outcome::our_fault(), "not spent", "not spent"},
      {"C10", status(410), "gone", "gone", true, true},
      {"unlisted", status(101), "retry", "retry"},
      {"unlisted", status(600), "retry", "retry"},
      {"guard", Outcome::blocked(), "blocked", "blocked"},
  };
}

TEST(Decision, A5_B4_C1_D7_E5_EveryLineOfDecidingAfterAnAttempt) {
  for (const Line& line : every_line()) {
    SCOPED_TRACE(std::string(line.demand) + " " + line.outcome.text());
    const AttemptEnd end = ended(line.outcome);

    const Decision first = decide_first(exact_policy(), end);
    const Decision third = decide_repeated(exact_policy(), end, 3);

    EXPECT_EQ(fate_of(first), line.first);
    EXPECT_EQ(fate_of(third), line.third);
    EXPECT_EQ(third.pauses_endpoint, line.pauses);
    EXPECT_EQ(third.raises_notice, line.notice);
  }
}

TEST(Decision, A5_NotFoundIsFinalInFourPresets) {
  for (const std::string_view name : {"gethook", "anyhook", "storm-safe", "webhookstream"}) {
    const Decision decision = decide_first(*find_preset(name), ended(Outcome::answered(404)));
    EXPECT_EQ(fate_of(decision), "permanent") << name;
  }
  for (const std::string_view name : {"svix", "standard-webhooks", "three-days"}) {
    const Decision decision = decide_first(*find_preset(name), ended(Outcome::answered(404)));
    EXPECT_EQ(fate_of(decision), "retry") << name;
  }
}

TEST(Decision, A5_TheThirdDnsFailureIsFinalAlsoWithOtherFailuresBetween) {
  Random random(1);
  const RetryPolicy policy = exact_policy();
  Decision decision;
  const auto end_with = [&](Outcome outcome) {
    decision = decide(policy, decision.progress, ended(outcome), random);
  };

  end_with(Outcome::failed(FailureKind::Dns));
  end_with(Outcome::answered(500));
  end_with(Outcome::failed(FailureKind::Dns));
  EXPECT_EQ(fate_of(decision), "retry");
  end_with(Outcome::failed(FailureKind::Dns));

  EXPECT_EQ(fate_of(decision), "permanent");
  EXPECT_EQ(decision.progress.attempts, 4);
}

TEST(Decision, A6_TheLargerOfRetryAfterAndBackoffCounts) {
  const auto due = [](Duration retry_after) {
    const AttemptEnd end = ended(Outcome::answered(500), retry_after);
    return std::get<TryAgain>(decide_first(exact_policy(), end).fate);
  };

  EXPECT_EQ(due(seconds(10)).at, kNow + minutes(1));
  EXPECT_FALSE(due(seconds(10)).is_retry_after);
  EXPECT_EQ(due(minutes(5)).at, kNow + minutes(5));
  EXPECT_TRUE(due(minutes(5)).is_retry_after);
  EXPECT_FALSE(due(hours(24)).is_retry_after_capped);
  EXPECT_EQ(due(hours(25)).at, kNow + hours(24));
  EXPECT_TRUE(due(hours(25)).is_retry_after_capped);
}

TEST(Decision, SaysWhatTheBackoffAndTheReceiverEachWanted) {
  const auto again = [](int status, std::optional<Duration> retry_after) {
    const AttemptEnd end = ended(Outcome::answered(status), retry_after);
    return std::get<TryAgain>(decide_first(exact_policy(), end).fate);
  };

  EXPECT_EQ(again(500, std::nullopt).nominal, minutes(1));
  EXPECT_EQ(again(500, std::nullopt).not_before, std::nullopt);
  EXPECT_EQ(again(429, std::nullopt).nominal, minutes(2));
  EXPECT_EQ(again(500, seconds(10)).not_before, kNow + seconds(10)) << "though the backoff wins";
  EXPECT_EQ(again(500, hours(25)).not_before, kNow + hours(24)) << "as far as it is granted";
  EXPECT_EQ(again(500, hours(25)).nominal, minutes(1));
}

TEST(Decision, A6_RetryAfterIsHonouredOnEveryFailedAnswer) {
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    const AttemptEnd end = ended(Outcome::answered(status), hours(1));
    const Decision decision = decide_first(exact_policy(), end);
    EXPECT_EQ(std::get<TryAgain>(decision.fate).at, kNow + hours(1)) << status;
  }
}

TEST(Decision, A6_RetryAfterHoldsTheWholeLaneOn429And503Only) {
  const auto held = [](int status) {
    return decide_first(exact_policy(), ended(Outcome::answered(status), minutes(7)))
        .lane_held_until;
  };

  EXPECT_EQ(held(429), kNow + minutes(7));
  EXPECT_EQ(held(503), kNow + minutes(7));
  EXPECT_EQ(held(500), std::nullopt);
  EXPECT_EQ(held(200), std::nullopt);
}

TEST(Decision, A6_TheLaneIsHeldAlsoWhenTheDeliveryIsGivenUp) {
  RetryPolicy policy = exact_policy();
  policy.attempts_max = 1;
  const AttemptEnd end = ended(Outcome::answered(503), minutes(7));

  const Decision decision = decide_first(policy, end);

  EXPECT_EQ(fate_of(decision), "exhausted");
  EXPECT_EQ(decision.lane_held_until, kNow + minutes(7));
}

TEST(Decision, A5_A429WithoutTheHeaderWaitsTwiceAsLong) {
  const auto due = [](std::optional<Duration> retry_after) {
    const AttemptEnd end = ended(Outcome::answered(429), retry_after);
    return std::get<TryAgain>(decide_first(exact_policy(), end).fate).at;
  };

  EXPECT_EQ(due(std::nullopt), kNow + minutes(2));
  EXPECT_EQ(due(seconds(1)), kNow + minutes(1));
}

TEST(Decision, A5_TheDoublingComesBeforeTheCap) {
  const RetryPolicy policy = *parse_policy(
      R"({"strategy": "fixed", "baseDelay": "40s", "maxDelay": "1m", "jitter": "none"})");

  const Decision decision = decide_first(policy, ended(Outcome::answered(429)));

  EXPECT_EQ(std::get<TryAgain>(decision.fate).at, kNow + minutes(1));
}

TEST(Decision, A1_TheLastAttemptExhaustsTheDelivery) {
  RetryPolicy policy = exact_policy();
  policy.attempts_max = 3;
  const AttemptEnd end = ended(Outcome::answered(500));

  EXPECT_EQ(fate_of(decide_repeated(policy, end, 2)), "retry");
  EXPECT_EQ(fate_of(decide_repeated(policy, end, 3)), "exhausted");
}

TEST(Decision, C4_ADeliveryWhoseNextAttemptComesTooLateExpiresAtOnce) {
  RetryPolicy policy = exact_policy();
  policy.give_up_after = minutes(1) + seconds(2);  // It started two seconds ago.
  const AttemptEnd end = ended(Outcome::answered(500));
  EXPECT_EQ(fate_of(decide_first(policy, end)), "retry");

  policy.give_up_after -= std::chrono::milliseconds(1);
  EXPECT_EQ(fate_of(decide_first(policy, end)), "expired");
}

TEST(Decision, C4_ARetryAfterBeyondTheGiveUpTimeExpiresTheDelivery) {
  RetryPolicy policy = exact_policy();
  policy.give_up_after = hours(1);

  const Decision decision = decide_first(policy, ended(Outcome::answered(503), hours(2)));

  EXPECT_EQ(fate_of(decision), "expired");
}

TEST(Decision, ARuleOverridesTheTable) {
  RetryPolicy policy = exact_policy();
  policy.rules = {{*Selector::parse("404"), Action::Fail},
                  {*Selector::parse("4xx"), Action::Retry},
                  {*Selector::parse("503"), Action::Pause},
                  {*Selector::parse("302"), Action::Success},
                  {*Selector::parse("dns"), Action::Retry, 5}};

  EXPECT_EQ(fate_of(decide_first(policy, ended(Outcome::answered(404)))), "permanent");
  EXPECT_EQ(fate_of(decide_first(policy, ended(Outcome::answered(410)))), "retry");
  EXPECT_EQ(fate_of(decide_first(policy, ended(Outcome::answered(503)))), "gone");
  EXPECT_TRUE(decide_first(policy, ended(Outcome::answered(503))).pauses_endpoint);
  EXPECT_EQ(fate_of(decide_first(policy, ended(Outcome::answered(302)))), "delivered");
  const AttemptEnd dns = ended(Outcome::failed(FailureKind::Dns));
  EXPECT_EQ(fate_of(decide_repeated(policy, dns, 4)), "retry");
  EXPECT_EQ(fate_of(decide_repeated(policy, dns, 5)), "permanent");
}

TEST(Decision, ARulesLimitCountsWhateverMatchesIt) {
  Random random(1);
  RetryPolicy policy = exact_policy();
  policy.rules = {{*Selector::parse("5xx"), Action::Retry, 2}};

  Decision decision = decide(policy, {}, ended(Outcome::answered(500)), random);
  EXPECT_EQ(fate_of(decision), "retry");
  decision = decide(policy, decision.progress, ended(Outcome::answered(503)), random);

  EXPECT_EQ(fate_of(decision), "permanent");
}

TEST(Decision, C3_DecorrelatedRemembersTheDelayBefore) {
  Random random(7);
  const RetryPolicy policy = *parse_policy(R"({"baseDelay": "1s", "jitter": "decorrelated"})");
  Decision decision = decide(policy, {}, ended(Outcome::answered(500)), random);
  const Duration first = decision.progress.delay_previous;
  EXPECT_EQ(std::get<TryAgain>(decision.fate).delay, first);

  decision = decide(policy, decision.progress, ended(Outcome::answered(500)), random);

  EXPECT_LE(decision.progress.delay_previous, 3 * first);
}

AttemptEnd asking_for(int status, const ReceiverDirective& directive) {
  AttemptEnd end = ended(Outcome::answered(status));
  end.directive = directive;
  return end;
}

constexpr ReceiverDirective kAbort{.aborts_message = true, .disables_endpoint = false};
constexpr ReceiverDirective kDisable{.aborts_message = false, .disables_endpoint = true};
constexpr ReceiverDirective kBoth{.aborts_message = true, .disables_endpoint = true};

TEST(Decision, AbortMessageEndsADeliveryWhateverTheStatusButASuccess) {
  for (const int status : {101, 302, 400, 404, 410, 429, 503, 600}) {
    const Decision decision = decide_first(exact_policy(), asking_for(status, kAbort));
    EXPECT_EQ(fate_of(decision), "cancelled") << status;
    EXPECT_EQ(decision.pauses_endpoint, status == 410) << status;
    EXPECT_FALSE(decision.raises_notice) << status;
    EXPECT_EQ(decision.progress.attempts, 1) << status;
  }
  const Decision decision = decide_first(exact_policy(), asking_for(204, kAbort));
  EXPECT_EQ(fate_of(decision), "delivered");
  EXPECT_FALSE(decision.pauses_endpoint);
}

TEST(Decision, DisablePausesTheEndpointAndKeepsTheDeliveryWithAllItsAttempts) {
  Random random(1);
  RetryPolicy policy = exact_policy();
  policy.attempts_max = 3;
  const Progress before = decide_repeated(policy, ended(Outcome::answered(500)), 2).progress;

  for (const int status : {101, 302, 400, 404, 410, 500, 503}) {
    const Decision decision = decide(policy, before, asking_for(status, kDisable), random);
    ASSERT_EQ(fate_of(decision), "retry") << status;
    EXPECT_EQ(std::get<TryAgain>(decision.fate).at, kNow) << status;
    EXPECT_EQ(decision.progress, before) << status;
    EXPECT_TRUE(decision.pauses_endpoint) << status;
    EXPECT_FALSE(decision.raises_notice) << status;
  }
}

TEST(Decision, DisableInASuccessPausesTheEndpointAfterIt) {
  const Decision decision = decide_first(exact_policy(), asking_for(200, kDisable));
  EXPECT_EQ(fate_of(decision), "delivered");
  EXPECT_TRUE(decision.pauses_endpoint);
  EXPECT_EQ(decision.progress.attempts, 1);
}

TEST(Decision, AReceiverMayAskForBoth) {
  const Decision decision = decide_first(exact_policy(), asking_for(500, kBoth));
  EXPECT_EQ(fate_of(decision), "cancelled");
  EXPECT_TRUE(decision.pauses_endpoint);
}

TEST(Decision, DisableDoesNotShortenARetryAfter) {
  AttemptEnd end = asking_for(503, kDisable);
  end.retry_after = hours(2);
  const Decision decision = decide_first(exact_policy(), end);
  EXPECT_EQ(std::get<TryAgain>(decision.fate).at, kNow + hours(2));
  EXPECT_EQ(decision.lane_held_until, kNow + hours(2));
}

TEST(Decision, AProbeBeforeItsTimeThatIsToBeTriedAgainSpendsNothing) {
  const Decision first = decide_first(exact_policy(), ended(Outcome::answered(500)));
  AttemptEnd probe = ended(Outcome::answered(500));
  probe.early_for = kNow + seconds(30);
  Random random(1);

  const Decision second = decide(exact_policy(), first.progress, probe, random);

  EXPECT_EQ(second.progress, first.progress);
  EXPECT_EQ(std::get<TryAgain>(second.fate).at, kNow + seconds(30));
  EXPECT_TRUE(std::get<TryAgain>(second.fate).is_early);
}

TEST(Decision, AProbeBeforeItsTimeDoesNotExhaustTheDelivery) {
  RetryPolicy policy = exact_policy();
  policy.attempts_max = 2;
  const Decision first = decide_first(policy, ended(Outcome::answered(500)));
  AttemptEnd probe = ended(Outcome::failed(FailureKind::Connect));
  probe.early_for = kNow + seconds(30);
  Random random(1);

  EXPECT_EQ(fate_of(decide(policy, first.progress, probe, random)), "retry");
  probe.early_for.reset();
  EXPECT_EQ(fate_of(decide(policy, first.progress, probe, random)), "exhausted");
}

TEST(Decision, AProbeBeforeItsTimeWaitsForLongerIfTheReceiverAsksForIt) {
  const Decision first = decide_first(exact_policy(), ended(Outcome::answered(500)));
  AttemptEnd probe = ended(Outcome::answered(503), minutes(5));
  probe.early_for = kNow + seconds(30);
  Random random(1);

  const TryAgain again =
      std::get<TryAgain>(decide(exact_policy(), first.progress, probe, random).fate);
  EXPECT_EQ(again.at, kNow + minutes(5));
  EXPECT_EQ(again.not_before, kNow + minutes(5));

  probe.retry_after = hours(200);
  RetryPolicy patient = exact_policy();
  patient.retry_after_cap = hours(200);
  EXPECT_EQ(fate_of(decide(patient, first.progress, probe, random)), "expired");
}

TEST(Decision, AProbeBeforeItsTimeThatIsAnsweredForGoodCountsAsUsual) {
  AttemptEnd probe = ended(Outcome::answered(200));
  probe.early_for = kNow + seconds(30);
  EXPECT_EQ(fate_of(decide_first(exact_policy(), probe)), "delivered");
  probe.outcome = Outcome::answered(400);
  EXPECT_EQ(fate_of(decide_first(exact_policy(), probe)), "permanent");
}

TEST(Decision, DeadReasonsHaveNamesThatReadBack) {
  for (int i = 0; i <= static_cast<int>(DeadReason::Blocked); ++i) {
    const auto reason = static_cast<DeadReason>(i);
    EXPECT_EQ(parse_dead_reason(to_string(reason)), reason);
  }
  EXPECT_EQ(parse_dead_reason("tired"), std::nullopt);
}

}  // namespace
}  // namespace petrel::policy
