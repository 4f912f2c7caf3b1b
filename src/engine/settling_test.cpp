#include "engine/settling.h"

#include <chrono>

#include <gtest/gtest.h>

#include "engine/testing/samples.h"

namespace petrel::engine {
namespace {

using model::DeliveryState;
using policy::DeadReason;
using policy::Decision;
using policy::FailureKind;
using policy::Outcome;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const std::string kUrl = "https://example.com/hook";

model::AttemptResult answered(int status) {
  model::AttemptResult result;
  result.outcome = Outcome::answered(status);
  return result;
}

template <typename Fate>
Decision with(Fate fate) {
  Decision decision;
  decision.fate = fate;
  return decision;
}

Decision delivered() { return with(policy::Delivered{}); }
Decision dead(DeadReason reason) { return with(policy::Dead{reason}); }
Decision again_at(WallTime at) { return with(policy::TryAgain{.at = at, .delay = seconds(10)}); }

policy::AttemptEnd end_with(Outcome outcome) {
  return {.outcome = outcome,
          .retry_after = std::nullopt,
          .started_at = kWallStart,
          .ended_at = kWallStart + seconds(1)};
}

// Settles attempts that begin and end at the moments given.
class Settler {
 public:
  explicit Settler(std::uint64_t seed = 1) : random_(seed) {}

  model::Settlement settle(const model::Delivery& delivery, const Decision& decision,
                           Duration started, Duration ended) {
    const AttemptContext context{.delivery = delivery,
                                 .url = kUrl,
                                 .started_at = kWallStart + started,
                                 .ended_at = kWallStart + ended};
    return settlement_of(context, decision, answered(500), ids_);
  }

 private:
  SeededSecureRandom random_;
  KsuidMaker ids_{random_};
};

TEST(AttemptEnd, A6_TakesTheReceiversWishFromAnAnswer) {
  model::AttemptResult result = answered(503);
  result.retry_after = "120";

  const policy::AttemptEnd end = attempt_end(result, kWallStart, kWallStart + seconds(2));

  EXPECT_EQ(end.outcome, Outcome::answered(503));
  EXPECT_EQ(end.retry_after, seconds(120));
  EXPECT_EQ(end.started_at, kWallStart);
  EXPECT_EQ(end.ended_at, kWallStart + seconds(2));
}

TEST(AttemptEnd, HasNoWishWithoutAnAnswer) {
  model::AttemptResult result;
  result.outcome = Outcome::failed(FailureKind::Timeout);
  result.retry_after = "120";

  EXPECT_EQ(attempt_end(result, kWallStart, kWallStart).retry_after, std::nullopt);
}

TEST(AttemptEnd, TakesWhatTheReceiverSaysOfDeliveriesFromAnAnswer) {
  model::AttemptResult result = answered(503);
  result.webhook_delivery = "Disable";
  EXPECT_TRUE(attempt_end(result, kWallStart, kWallStart).directive.disables_endpoint);

  result.outcome = Outcome::failed(FailureKind::Timeout);
  EXPECT_EQ(attempt_end(result, kWallStart, kWallStart).directive, policy::ReceiverDirective{});
}

TEST(Settlement, KeepsWhyTheNextAttemptIsDueWhenItIs) {
  SeededSecureRandom secure_random{1};
  KsuidMaker ids{secure_random};
  const model::Delivery delivery = pending(1);
  AttemptContext context{.delivery = delivery,
                         .url = kUrl,
                         .started_at = kWallStart,
                         .ended_at = kWallStart + seconds(1)};
  policy::TryAgain again{
      .at = kWallStart + seconds(26), .delay = seconds(25), .nominal = seconds(30)};

  EXPECT_EQ(
      settlement_of(context, with(again), answered(503), ids).delivery.next,
      (model::Next{
          .basis = model::NextBasis::Schedule, .nominal = seconds(30), .jitter = seconds(-5)}));

  context.retry_after = hours(48);
  again.is_retry_after = true;
  again.at = kWallStart + hours(24);
  again.not_before = again.at;
  EXPECT_EQ(settlement_of(context, with(again), answered(503), ids).delivery.next,
            (model::Next{.basis = model::NextBasis::RetryAfter,
                         .nominal = seconds(30),
                         .jitter = seconds(-5),
                         .retry_after = hours(48),
                         .not_before = kWallStart + hours(24)}));

  EXPECT_EQ(settlement_of(context, delivered(), answered(200), ids).delivery.next, std::nullopt);
  EXPECT_EQ(ending_of(delivery, DeadReason::Expired, kWallStart).delivery.next, std::nullopt);
}

TEST(Settlement, RemembersThatTheReceiverAborted) {
  const auto settle = [](DeadReason reason) {
    return Settler().settle(pending(1), dead(reason), seconds(1), seconds(2)).delivery.is_aborted;
  };
  EXPECT_TRUE(settle(DeadReason::Cancelled));
  EXPECT_FALSE(settle(DeadReason::Permanent));
  EXPECT_FALSE(ending_of(pending(1), DeadReason::Cancelled, kWallStart).delivery.is_aborted);
}

TEST(AttemptReport, TellsTheLaneWhatTheDecisionMeans) {
  const auto report = [](const Decision& decision) {
    return report_of(decision, end_with(Outcome::answered(500)), moment(seconds(1)));
  };

  EXPECT_TRUE(report(delivered()).is_success);
  EXPECT_FALSE(report(again_at(kWallStart)).is_success);
  EXPECT_TRUE(report(dead(DeadReason::Permanent)).is_permanent);
  EXPECT_FALSE(report(dead(DeadReason::Permanent)).is_exhausted);
  EXPECT_TRUE(report(dead(DeadReason::Exhausted)).is_exhausted);
  EXPECT_TRUE(report(dead(DeadReason::Expired)).is_exhausted);
  EXPECT_FALSE(report(dead(DeadReason::Gone)).is_permanent);
  EXPECT_FALSE(report(dead(DeadReason::Gone)).is_exhausted);
}

TEST(AttemptReport, A6_AHoldIsMeasuredFromTheEndOfTheAttempt) {
  Decision decision = again_at(kWallStart);
  decision.lane_held_until = kWallStart + seconds(31);

  const auto report = report_of(decision, end_with(Outcome::answered(503)), moment(seconds(1)));

  EXPECT_EQ(report.held_until, kMonoStart + seconds(31));
}

TEST(Settlement, AnAttemptInABudgetThatAPersonGaveIsManual) {
  model::Delivery before = pending(1);
  EXPECT_EQ(Settler().settle(before, delivered(), seconds(1), seconds(2)).attempt->trigger,
            model::Trigger::Scheduled);
  before.is_manual = true;
  EXPECT_EQ(Settler().settle(before, delivered(), seconds(1), seconds(2)).attempt->trigger,
            model::Trigger::Manual);
}

TEST(Settlement, OnceItIsTriedAgainTheProducerNoLongerChoosesWhen) {
  model::Delivery before = pending(1);
  before.is_scheduled = true;

  const auto settlement =
      Settler().settle(before, again_at(kWallStart + seconds(9)), seconds(1), seconds(2));

  EXPECT_FALSE(settlement.delivery.is_scheduled);
}

TEST(Settlement, OfASuccessEndsTheDelivery) {
  const model::Delivery before = pending(1);

  const auto settlement = Settler().settle(before, delivered(), seconds(1), seconds(2));

  EXPECT_EQ(settlement.state_before, DeliveryState::Pending);
  EXPECT_EQ(settlement.due_before, kWallStart);
  EXPECT_EQ(settlement.delivery.key, before.key);
  EXPECT_EQ(settlement.delivery.state, DeliveryState::Delivered);
  EXPECT_EQ(settlement.delivery.reason, std::nullopt);
  EXPECT_EQ(settlement.delivery.attempts_total, 1);
  EXPECT_EQ(settlement.delivery.updated_at, kWallStart + seconds(2));
}

TEST(Settlement, OfAFailureIsDueAgainWithWhatThePolicyRemembers) {
  Decision decision = again_at(kWallStart + seconds(12));
  decision.progress.attempts = 1;
  decision.progress.delay_previous = seconds(10);

  const auto settlement = Settler().settle(pending(1), decision, seconds(1), seconds(2));

  EXPECT_EQ(settlement.delivery.state, DeliveryState::Retrying);
  EXPECT_EQ(settlement.delivery.due_at, kWallStart + seconds(12));
  EXPECT_EQ(settlement.due_before, kWallStart);
  EXPECT_EQ(settlement.delivery.progress, decision.progress);
  EXPECT_EQ(settlement.delivery.last_outcome, 500);
}

TEST(Settlement, A3_OfADeadDeliveryHasTheReason) {
  const auto settlement =
      Settler().settle(retrying(1), dead(DeadReason::Exhausted), seconds(1), seconds(2));

  EXPECT_EQ(settlement.state_before, DeliveryState::Retrying);
  EXPECT_EQ(settlement.delivery.state, DeliveryState::Dead);
  EXPECT_EQ(settlement.delivery.reason, DeadReason::Exhausted);
}

TEST(Settlement, RecordsTheAttemptAsItWas) {
  model::Delivery before = retrying(1);
  before.attempts_total = 7;  // In budgets before this one, too.
  before.application = nth<ApplicationId>(4);
  model::AttemptResult result = answered(502);
  result.response = "bad gateway";
  result.timings.total = milliseconds(80);
  SeededSecureRandom random(1);
  KsuidMaker ids(random);

  const AttemptContext context{.delivery = before,
                               .url = kUrl,
                               .started_at = kWallStart + seconds(1),
                               .ended_at = kWallStart + seconds(2)};
  const auto attempt =
      settlement_of(context, again_at(kWallStart + minutes(1)), result, ids).attempt;

  ASSERT_TRUE(attempt);
  EXPECT_EQ(attempt->delivery, before.key);
  EXPECT_EQ(attempt->application, nth<ApplicationId>(4));
  EXPECT_EQ(attempt->number, 8);
  EXPECT_EQ(attempt->url, kUrl);
  EXPECT_EQ(attempt->outcome, Outcome::answered(502));
  EXPECT_EQ(attempt->response, "bad gateway");
  EXPECT_EQ(attempt->timings.total, milliseconds(80));
  EXPECT_EQ(attempt->started_at, kWallStart + seconds(1));
  EXPECT_EQ(attempt->ended_at, kWallStart + seconds(2));
  EXPECT_EQ(attempt->id.time(), kWallStart + seconds(2));
}

TEST(Settlement, TimesAndIdsGrowAlsoWhenTheClockIsSetBack) {
  Settler settler;
  const auto first =
      settler.settle(pending(1), again_at(kWallStart + seconds(12)), seconds(1), seconds(2));

  const auto second =
      settler.settle(first.delivery, again_at(kWallStart), -hours(1), -hours(1) + seconds(1));
  const auto third =
      settler.settle(second.delivery, delivered(), -hours(1) + seconds(5), -hours(1) + seconds(6));

  EXPECT_EQ(second.attempt->started_at, kWallStart + seconds(2) + microseconds(1));
  EXPECT_EQ(second.attempt->ended_at, second.attempt->started_at);
  EXPECT_GT(third.attempt->started_at, second.attempt->ended_at);
  EXPECT_LE(third.attempt->started_at, kWallStart + seconds(2) + milliseconds(10));
  EXPECT_GE(third.delivery.updated_at, third.attempt->ended_at);
  EXPECT_LT(first.attempt->id, second.attempt->id);
  EXPECT_LT(second.attempt->id, third.attempt->id);
  EXPECT_EQ(second.delivery.due_at, kWallStart);  // The schedule goes by the clock as it is.
}

TEST(Settlement, IdsGrowAlsoWhenAnotherProcessGoesOnWithAClockThatIsBehind) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Settler settler(seed);
    settler.settle(pending(7), delivered(), hours(1), hours(1));  // Then the clock is set back.
    const auto first = settler.settle(pending(1), again_at(kWallStart), seconds(1), seconds(2));

    const auto second =
        Settler(seed + 100).settle(first.delivery, delivered(), seconds(3), seconds(4));

    ASSERT_LT(first.attempt->id, second.attempt->id);
    ASSERT_LT(first.attempt->ended_at, second.attempt->ended_at);
  }
}

TEST(Settlement, AClockThatIsSetBackDuringAnAttemptEndsItWhenItBegan) {
  const auto settlement = Settler().settle(pending(1), delivered(), seconds(5), -hours(1));

  EXPECT_EQ(settlement.attempt->started_at, kWallStart + seconds(5));
  EXPECT_EQ(settlement.attempt->ended_at, kWallStart + seconds(5));
}

// A replay takes what had died when it was asked for, so a death may not be dated ahead.
TEST(Settlement, AFirstAttemptThatEndsAtOnceIsDatedWhenItEnded) {
  Settler settler;
  const auto ended = milliseconds(1);
  const model::Settlement settlement =
      settler.settle(pending(0), dead(DeadReason::Exhausted), microseconds(200), ended);
  EXPECT_EQ(settlement.delivery.updated_at, kWallStart + ended);
}

TEST(Expiry, ComesOnlyAfterTheGiveUpTime) {
  model::Delivery delivery = retrying(1);
  delivery.progress.give_up_at = kWallStart + hours(1);

  EXPECT_FALSE(has_expired(delivery, kWallStart + hours(1)));
  EXPECT_TRUE(has_expired(delivery, kWallStart + hours(1) + microseconds(1)));
}

TEST(Expiry, NeverComesBeforeTheFirstAttempt) {
  EXPECT_FALSE(has_expired(pending(1), kWallStart + hours(10'000)));
}

TEST(Expiry, EndsADeliveryWithoutAnAttempt) {
  const model::Delivery before = retrying(1, seconds(30));

  const auto settlement = ending_of(before, DeadReason::Expired, kWallStart + hours(2));

  EXPECT_EQ(settlement.attempt, std::nullopt);
  EXPECT_EQ(settlement.state_before, DeliveryState::Retrying);
  EXPECT_EQ(settlement.due_before, kWallStart + seconds(30));
  EXPECT_EQ(settlement.delivery.state, DeliveryState::Dead);
  EXPECT_EQ(settlement.delivery.reason, DeadReason::Expired);
  EXPECT_EQ(settlement.delivery.attempts_total, before.attempts_total);
  EXPECT_EQ(settlement.delivery.progress, before.progress);
  EXPECT_EQ(settlement.delivery.updated_at, kWallStart + hours(2));
}

TEST(Expiry, IsNotRecordedBeforeTheLastChange) {
  model::Delivery before = retrying(1);
  before.updated_at = kWallStart + hours(9);

  EXPECT_EQ(ending_of(before, DeadReason::Expired, kWallStart).delivery.updated_at,
            kWallStart + hours(9) + microseconds(1));
}

}  // namespace
}  // namespace petrel::engine
