#include "node/attempt_figures.h"

#include <set>

#include <gtest/gtest.h>

#include "base/secure_random.h"

namespace petrel::node {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kNoon = wall_from_unix_seconds(1'750'000'000);

// Of a message that was accepted at noon, delivered two seconds later.
model::Settlement delivered() {
  SeededSecureRandom random(1);
  model::Settlement settlement;
  settlement.due_before = kNoon;
  settlement.delivery.key.message = MessageId(Ksuid::make(kNoon, random));
  settlement.delivery.state = model::DeliveryState::Delivered;
  settlement.attempt = model::Attempt{};
  settlement.attempt->ended_at = kNoon + seconds(2);
  return settlement;
}

TEST(DeliveryDelay, IsFromTheAcceptance) { EXPECT_EQ(delivery_delay(delivered()), seconds(2)); }

TEST(DeliveryDelay, OfWhatIsToBeSentLaterIsFromThen) {
  model::Settlement settlement = delivered();
  settlement.due_before = kNoon + seconds(1);
  EXPECT_EQ(delivery_delay(settlement), seconds(1));
}

TEST(DeliveryDelay, CountsTheTimeOfRetries) {
  model::Settlement settlement = delivered();
  settlement.state_before = model::DeliveryState::Retrying;
  settlement.due_before = kNoon + minutes(59);
  settlement.attempt->ended_at = kNoon + minutes(60);
  EXPECT_TRUE(is_retry(settlement));
  EXPECT_EQ(delivery_delay(settlement), minutes(60));
}

TEST(DeliveryDelay, IsNoneForWhatAPersonHasSentAgain) {
  model::Settlement settlement = delivered();
  settlement.delivery.is_manual = true;
  EXPECT_EQ(delivery_delay(settlement), std::nullopt);
}

TEST(DeliveryDelay, IsNothingIfTheClockWasSetBack) {
  model::Settlement settlement = delivered();
  settlement.attempt->ended_at = kNoon - minutes(1);
  EXPECT_EQ(delivery_delay(settlement), Duration::zero());
}

TEST(AttemptPhases, ThatDidNotHappenAreNotCounted) {
  metric::Metrics metrics("test");
  count_phases({.first_byte = milliseconds(20), .total = milliseconds(30)}, metrics);

  using metric::AttemptPhase;
  EXPECT_EQ(metrics.attempt_duration(AttemptPhase::FirstByte).sum(), 0.02);
  EXPECT_EQ(metrics.attempt_duration(AttemptPhase::Total).sum(), 0.03);
  for (const std::uint64_t count : metrics.attempt_duration(AttemptPhase::Dns).counts()) {
    EXPECT_EQ(count, 0U);
  }
}

TEST(OwnFaults, EveryCauseHasALabelOfItsOwn) {
  std::set<metric::OwnFaultLabel> labels;
  for (std::size_t i = 0; i < model::kFaultCauses; ++i) {
    labels.insert(label_of(static_cast<model::FaultCause>(i)));
  }
  EXPECT_EQ(labels.size(), model::kFaultCauses);
}

}  // namespace
}  // namespace petrel::node
