#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/json_writer.h"
#include "policy/decision.h"
#include "policy/retry_policy_json.h"
#include "policy/testing/random_policy.h"

namespace petrel::policy {
namespace {

constexpr int kPolicies = 100'000;
const WallTime kStart = wall_from_unix_seconds(1'800'000'000);

std::string show(const RetryPolicy& policy) {
  JsonWriter json;
  write_policy_whole(policy, json);
  return json.take();
}

struct Bounds {
  Duration low;
  Duration high;
};

// What the definition of each jitter promises, written down a second time and independently.
Bounds promised(const Backoff& backoff, Duration nominal, Duration previous) {
  switch (backoff.jitter) {
    case Jitter::None:
      return {nominal, nominal};
    case Jitter::Full:
      return {Duration::zero(), nominal};
    case Jitter::Equal:
      return {nominal / 2, nominal};
    case Jitter::Percent:
      return {nominal - nominal * backoff.jitter_percent / 100,
              nominal + nominal * backoff.jitter_percent / 100};
    case Jitter::Decorrelated:
      return {backoff.delay_base,
              std::min(backoff.delay_max, 3 * std::max(previous, backoff.delay_base))};
  }
  return {};
}

// One delivery whose receiver answers at random, played to its end.
struct Life {
  RetryPolicy policy;
  std::vector<WallTime> attempts;
  std::vector<AttemptEnd> ends;
  std::vector<Decision> decisions;
};

Life play(std::uint64_t seed) {
  Random random(seed);
  Life life{.policy = random_policy(random), .attempts = {}, .ends = {}, .decisions = {}};
  WallTime now = kStart;
  Progress progress;
  for (int i = 0; i < 3000; ++i) {
    AttemptEnd end{.outcome = random_outcome(random),
                   .retry_after = std::nullopt,
                   .started_at = now,
                   .ended_at = now + random.between(Duration::zero(), std::chrono::seconds(15))};
    if (random.below(3) == 0) {
      end.retry_after = random.between(Duration::zero(), std::chrono::hours(30));
    }
    const Decision decision = decide(life.policy, progress, end, random);
    life.attempts.push_back(now);
    life.ends.push_back(end);
    life.decisions.push_back(decision);
    progress = decision.progress;
    if (const auto* again = std::get_if<TryAgain>(&decision.fate)) {
      now = again->at;
    } else if (std::holds_alternative<NotSpent>(decision.fate)) {
      now = end.ended_at;
    } else {
      break;
    }
  }
  return life;
}

TEST(PolicyProperties, A2_EveryJitteredDelayIsWithinItsBounds) {
  Random random(2);
  for (int i = 0; i < kPolicies; ++i) {
    const Backoff backoff = random_policy(random).backoff;
    Duration previous{};
    for (int failure = 1; failure <= 6; ++failure) {
      const Duration nominal = backoff.nominal(failure);
      const Bounds bounds = promised(backoff, nominal, previous);

      const Duration delay = backoff.draw(failure, 1, previous, random);

      ASSERT_GE(delay, bounds.low) << "policy " << i << ", failure " << failure;
      ASSERT_LE(delay, bounds.high) << "policy " << i << ", failure " << failure;
      previous = delay;
    }
  }
}

TEST(PolicyProperties, B2_NoNominalDelayIsAboveItsCap) {
  Random random(3);
  for (int i = 0; i < kPolicies; ++i) {
    const Backoff backoff = random_policy(random).backoff;
    const int failure = static_cast<int>(1 + random.below(1000));
    const int stretch = static_cast<int>(1 + random.below(2));

    ASSERT_LE(backoff.nominal(failure, stretch), backoff.delay_max);
  }
}

TEST(PolicyProperties, C3_DecorrelatedIsNeverAboveItsCapAlsoWhenThrottled) {
  Random random(4);
  for (int i = 0; i < kPolicies; ++i) {
    Backoff backoff = random_policy(random).backoff;
    backoff.jitter = Jitter::Decorrelated;
    Duration previous{};
    for (int failure = 1; failure <= 8; ++failure) {
      previous = backoff.draw(failure, static_cast<int>(1 + random.below(2)), previous, random);
      ASSERT_LE(previous, backoff.delay_max);
    }
  }
}

RC_GTEST_PROP(PolicyProperties, A6_RetryAfterIsNeverUndercut, (std::uint64_t seed)) {
  const Life life = play(seed);
  for (std::size_t i = 0; i < life.ends.size(); ++i) {
    const auto* again = std::get_if<TryAgain>(&life.decisions[i].fate);
    if (again == nullptr || !life.ends[i].retry_after) continue;
    const Duration granted = std::min(*life.ends[i].retry_after, life.policy.retry_after_cap);

    RC_ASSERT(again->at >= life.ends[i].ended_at + granted);
    RC_ASSERT(again->is_retry_after_capped == (*life.ends[i].retry_after > granted));
  }
}

RC_GTEST_PROP(PolicyProperties, A1_AttemptsAreNeverAboveTheMaximum, (std::uint64_t seed)) {
  const Life life = play(seed);
  int spent = 0;
  for (const AttemptEnd& end : life.ends) spent += end.outcome == Outcome::our_fault() ? 0 : 1;

  RC_ASSERT(spent <= life.policy.attempts_max);
  RC_ASSERT(life.decisions.back().progress.attempts == spent);
}

RC_GTEST_PROP(PolicyProperties, C4_NothingIsScheduledAfterTheGiveUpTime, (std::uint64_t seed)) {
  const Life life = play(seed);
  for (const Decision& decision : life.decisions) {
    if (const auto* again = std::get_if<TryAgain>(&decision.fate)) {
      RC_ASSERT(again->at <= *decision.progress.give_up_at);
    }
  }
}

RC_GTEST_PROP(PolicyProperties, C4_TheGiveUpTimeIsSetOnceByTheFirstAttempt, (std::uint64_t seed)) {
  const Life life = play(seed);
  std::optional<WallTime> first;
  for (std::size_t i = 0; i < life.ends.size(); ++i) {
    if (life.ends[i].outcome == Outcome::our_fault()) continue;
    if (!first) first = life.attempts[i] + life.policy.give_up_after;
    RC_ASSERT(life.decisions[i].progress.give_up_at == first);
  }
}

RC_GTEST_PROP(PolicyProperties, C9_OurOwnFaultChangesNothing, (std::uint64_t seed)) {
  Random random(seed);
  const Life life = play(seed);
  const Progress before = life.decisions.back().progress;
  const AttemptEnd end{Outcome::our_fault(), std::chrono::hours(1), kStart, kStart};

  const Decision decision = decide(life.policy, before, end, random);

  RC_ASSERT(std::holds_alternative<NotSpent>(decision.fate));
  RC_ASSERT(decision.progress == before);
  RC_ASSERT(!decision.lane_held_until && !decision.pauses_endpoint && !decision.raises_notice);
}

RC_GTEST_PROP(PolicyProperties, ASeedReproducesALife, (std::uint64_t seed)) {
  const Life one = play(seed);
  const Life two = play(seed);

  RC_ASSERT(one.attempts == two.attempts);
}

TEST(PolicyProperties, EveryPolicySurvivesBeingWrittenAndReadAgain) {
  Random random(5);
  for (int i = 0; i < 10'000; ++i) {
    const RetryPolicy policy = random_policy(random);
    const std::string text = show(policy);

    const Result<RetryPolicy> again = parse_policy(text);

    ASSERT_TRUE(again.ok()) << again.error().text() << "\n" << text;
    // What has no effect is not written, so it may come back with its default.
    ASSERT_EQ(show(*again), text);
    ASSERT_EQ(again->rules, policy.rules);
    ASSERT_EQ(again->backoff.nominal(3), policy.backoff.nominal(3)) << text;
  }
}

}  // namespace
}  // namespace petrel::policy
