#include "sim/judge/circuit_model.h"

#include <gtest/gtest.h>

namespace petrel::sim::judge {
namespace {

using Objection = CircuitModel::Objection;
using std::chrono::milliseconds;
using std::chrono::seconds;

const std::vector<Guards> kGuards = {Guards{}};

MonoTime at(double second) {
  return MonoTime(Duration(static_cast<Duration::rep>((1000 + second) * 1e6)));
}

// A circuit with a loop that is never late, and the requests that it saw.
class Driven {
 public:
  CircuitModel model{Duration::zero()};

  Objection objection(double second, int in_flight = 1) const {
    return model.objection({order_ + 1, at(second), at(second), in_flight});
  }
  std::uint64_t start(double second, int in_flight = 1) {
    ++order_;
    model.started({order_, at(second), at(second), in_flight});
    return order_;
  }
  void end(std::uint64_t order, double second, Verdict verdict) {
    model.ended({order, order_, at(second), {verdict}}, kGuards);
  }
  void attempt(double second, Verdict verdict) { end(start(second), second, verdict); }
  std::uint64_t last_order() const { return order_; }

 private:
  std::uint64_t order_ = 0;
};

Driven opened_at_0() {
  Driven driven;
  for (int i = 0; i < 20; ++i) driven.attempt(0, Verdict::Failure);
  return driven;
}

TEST(CircuitModel, OpensWithTheTwentiethFailureInARow) {
  Driven driven;
  for (int i = 0; i < 19; ++i) driven.attempt(0, Verdict::Failure);
  EXPECT_EQ(driven.objection(1), Objection::None);

  driven.attempt(0, Verdict::Failure);

  EXPECT_EQ(driven.objection(1), Objection::Circuit);
}

TEST(CircuitModel, WhatEndsBeforeAPauseHoldsCountsTowardsTheRampAfterIt) {
  Driven driven;
  driven.attempt(0, Verdict::Success);
  driven.model.may_pause(at(1));
  for (int i = 0; i < 29; ++i) driven.attempt(1, Verdict::Success);
  driven.model.has_paused();
  for (int i = 0; i < 30; ++i) driven.attempt(1, Verdict::Success);  // These come too late.
  driven.model.may_resume(at(10), kGuards);
  driven.model.has_resumed(at(10));

  driven.attempt(10, Verdict::Success);

  // 30 a second before, so three a second at first.
  EXPECT_EQ(driven.objection(10.32), Objection::RampRate);
  EXPECT_EQ(driven.objection(10.34), Objection::None);
}

TEST(CircuitModel, ALateLoopMayLetOneGoThatIsNoProbe) {
  CircuitModel model{milliseconds(100)};
  for (std::uint64_t i = 1; i <= 20; ++i) {
    model.started({i, at(0), at(0), 1});
    model.ended({i, i, at(0), {Verdict::Failure}}, kGuards);
  }
  EXPECT_EQ(model.objection({21, at(0.101), at(0.101), 1}), Objection::Circuit);
  EXPECT_EQ(model.objection({21, at(0.1), at(0.1), 1}), Objection::None);

  model.started({21, at(0.1), at(0.1), 1});

  EXPECT_EQ(model.states().front().phase, CircuitState::Phase::Open);
}

TEST(CircuitModel, ASuccessWithinTheLastSecondKeepsItClosed) {
  Driven blip;
  Driven outage;
  blip.attempt(0, Verdict::Success);
  outage.attempt(0, Verdict::Success);
  for (int i = 0; i < 20; ++i) blip.attempt(0.999, Verdict::Failure);
  for (int i = 0; i < 20; ++i) outage.attempt(1, Verdict::Failure);

  EXPECT_TRUE(blip.model.must_be_closed());
  EXPECT_FALSE(outage.model.may_be_closed());
}

TEST(CircuitModel, OpensWhenHalfOfFortyFail) {
  Driven driven;
  for (int i = 0; i < 20; ++i) driven.attempt(i, Verdict::Success);
  for (int i = 0; i < 19; ++i) {
    driven.attempt(20 + i, Verdict::Failure);
    if (i == 10) driven.attempt(20 + i, Verdict::Reachable);
  }
  EXPECT_TRUE(driven.model.must_be_closed()) << "19 of 40";

  driven.attempt(40, Verdict::Failure);
  EXPECT_TRUE(driven.model.must_be_closed()) << "20 of 41";
  driven.attempt(40, Verdict::Failure);

  EXPECT_FALSE(driven.model.may_be_closed()) << "21 of 42";
}

TEST(CircuitModel, WhatEndedJustAWindowAgoMayCountOrNot) {
  Driven driven;
  driven.attempt(0, Verdict::Failure);
  driven.attempt(10, Verdict::Success);
  for (int i = 0; i < 18; ++i) driven.attempt(10, Verdict::Failure);
  driven.attempt(11, Verdict::Success);
  for (int i = 0; i < 18; ++i) driven.attempt(12, Verdict::Failure);

  driven.attempt(59.5, Verdict::Failure);

  EXPECT_TRUE(driven.model.may_be_closed());
  EXPECT_TRUE(driven.model.may_be_open());
}

TEST(CircuitModel, OpensOnTenExhaustedWithoutASuccess) {
  CircuitModel model{Duration::zero()};
  for (int i = 0; i < 9; ++i) model.given_up({std::nullopt, 0, {at(i), at(i)}}, kGuards);
  EXPECT_TRUE(model.must_be_closed());

  model.given_up({std::nullopt, 0, {at(9), at(9)}}, kGuards);

  EXPECT_FALSE(model.may_be_closed());
}

TEST(CircuitModel, OneProbeNotBeforeTheOpenTime) {
  Driven driven = opened_at_0();
  EXPECT_EQ(driven.objection(14.999), Objection::Circuit);
  EXPECT_EQ(driven.objection(15), Objection::None);

  driven.start(15);

  EXPECT_EQ(driven.objection(16), Objection::Circuit) << "a second one";
}

TEST(CircuitModel, TheOpenTimeGrowsWithTheTimeSinceTheFirstOpening) {
  Driven driven = opened_at_0();
  driven.attempt(240, Verdict::Failure);

  EXPECT_EQ(driven.objection(269.9), Objection::Circuit);
  EXPECT_EQ(driven.objection(270), Objection::None) << "an eighth of 240 s";
  EXPECT_EQ(driven.model.states().front().open_until.latest, at(277.5));
}

TEST(CircuitModel, AGoodProbeClosesAndBeginsARamp) {
  Driven driven = opened_at_0();

  driven.attempt(15, Verdict::Reachable);

  EXPECT_TRUE(driven.model.must_be_closed());
  EXPECT_EQ(driven.objection(15.1, 1), Objection::None);
  EXPECT_EQ(driven.objection(15.1, 2), Objection::RampInFlight);
}

TEST(CircuitModel, TheRampsRateHolds) {
  Driven driven = opened_at_0();
  driven.attempt(15, Verdict::Success);
  driven.attempt(15, Verdict::Success);

  EXPECT_EQ(driven.objection(15.4), Objection::RampRate) << "a tenth of 20 a second is 2";
  EXPECT_EQ(driven.objection(15.5), Objection::None);
}

TEST(CircuitModel, A429ToAProbeMeansAgainAfterItsHold) {
  Driven driven = opened_at_0();
  const std::uint64_t probe = driven.start(15);

  driven.model.ended({probe, probe, at(15), {Verdict::Throttled}, Span{at(90), at(90)}}, kGuards);

  EXPECT_EQ(driven.objection(89), Objection::Circuit);
  EXPECT_EQ(driven.objection(90), Objection::None);
}

TEST(CircuitModel, A429ToAProbeThatAsksForNoTimeMeansAgainAfterTheOpenTime) {
  Driven driven = opened_at_0();
  const std::uint64_t probe = driven.start(15);

  driven.model.ended({probe, probe, at(15), {Verdict::Throttled}, Span{at(15), at(15)}}, kGuards);

  EXPECT_EQ(driven.objection(29), Objection::Circuit);
  EXPECT_EQ(driven.objection(30), Objection::None);
}

// Nineteen failures, the last of which is handed over for the second time after the one that opens
// the circuit has ended.
struct WrittenLate : testing::Test {
  Driven driven;
  std::uint64_t late = 0;

  void SetUp() override {
    for (int i = 0; i < 18; ++i) driven.attempt(0, Verdict::Failure);
    late = driven.start(0);
    const std::uint64_t last = driven.start(0);
    driven.end(late, 0, Verdict::Failure);
    driven.end(last, 2, Verdict::Failure);
    driven.model.recorded(last, at(2));
  }
  void restart() { driven.model.restarted(at(4), driven.last_order(), TwoClocks(), kGuards); }
};

TEST_F(WrittenLate, ARestartFindsTheCircuitAsItWasWhenTheSettlementWasHandedOver) {
  driven.model.recorded(late, at(3));

  restart();

  EXPECT_EQ(driven.objection(5), Objection::Circuit);
}

TEST_F(WrittenLate, WhatWasHandedOverBeforeMayKnowLess) {
  driven.model.recorded(late, at(1));

  restart();

  EXPECT_EQ(driven.objection(5), Objection::None);
}

TEST(CircuitModel, AFaultOfOursToAProbeMeansAgainAtOnce) {
  Driven driven = opened_at_0();

  driven.attempt(15, Verdict::Nothing);

  EXPECT_EQ(driven.objection(15), Objection::None);
}

TEST(CircuitModel, AnAttemptFromBeforeTheOpeningCountsForNothing) {
  Driven driven;
  const std::uint64_t late = driven.start(0);
  for (int i = 0; i < 20; ++i) driven.attempt(0, Verdict::Failure);

  driven.end(late, 1, Verdict::Success);

  EXPECT_FALSE(driven.model.may_be_closed());
}

TEST(CircuitModel, ProbeOrdersCountFromTheirAnswerAtTheLatest) {
  Driven driven = opened_at_0();

  driven.model.probe_asked(at(2));
  EXPECT_EQ(driven.objection(2), Objection::None);
  driven.model.probe_told(at(3));

  EXPECT_EQ(driven.model.states().front().open_until.latest, at(3));
}

TEST(CircuitModel, ACloseMayCountFromItsRequestAndMustFromItsAnswer) {
  Driven driven = opened_at_0();

  driven.model.close_asked(7, driven.last_order(), at(2), kGuards);
  EXPECT_TRUE(driven.model.may_be_closed());
  EXPECT_TRUE(driven.model.may_be_open());
  driven.model.close_told(7);

  EXPECT_TRUE(driven.model.must_be_closed());
}

TEST(CircuitModel, AfterACrashItIsAsTheLastSettlementOnDiskSays) {
  Driven kept = opened_at_0();
  Driven lost = opened_at_0();
  TwoClocks clocks;
  kept.model.recorded(20);

  kept.model.restarted(at(5), kept.last_order(), clocks, {Guards{}});
  lost.model.restarted(at(5), lost.last_order(), clocks, {Guards{}});

  EXPECT_EQ(kept.objection(14.9), Objection::Circuit);
  EXPECT_TRUE(lost.model.must_be_closed());
}

TEST(CircuitModel, AnEarlierSettlementMayHaveBeenHandedOutAtAnyMomentSince) {
  Driven driven = opened_at_0();
  driven.model.recorded(19);
  TwoClocks clocks;

  driven.model.restarted(at(5), driven.last_order(), clocks, {Guards{}});

  EXPECT_TRUE(driven.model.may_be_closed());
  EXPECT_TRUE(driven.model.may_be_open());
}

TEST(CircuitModel, AnOpenCircuitOnDiskStaysOpen) {
  Driven driven = opened_at_0();
  driven.attempt(15, Verdict::Failure);
  driven.model.recorded(21);
  TwoClocks clocks;

  driven.model.restarted(at(16), driven.last_order(), clocks, {Guards{}});

  EXPECT_FALSE(driven.model.may_be_closed());
}

TEST(CircuitModel, ResumingBeginsARampOnceItIsAnswered) {
  Driven driven;
  driven.model.may_pause(at(0));
  driven.model.has_paused();

  driven.model.may_resume(at(10), kGuards);
  EXPECT_EQ(driven.objection(10, 2), Objection::None);
  driven.model.has_resumed(at(10));

  EXPECT_EQ(driven.objection(10, 2), Objection::RampInFlight);
}

TEST(CircuitModel, AfterManyResumesThatDidNotHappenTheOneThatDidBeginsARamp) {
  Driven driven;
  driven.attempt(0, Verdict::Success);
  driven.model.may_pause(at(1));
  driven.model.has_paused();
  for (int i = 2; i < 100; ++i) {
    driven.model.may_resume(at(i), kGuards);
    driven.model.has_paused();
  }

  driven.model.may_resume(at(100), kGuards);
  driven.model.has_resumed(at(100));

  EXPECT_TRUE(driven.model.may_ramp());
  EXPECT_EQ(driven.objection(100, 2), Objection::RampInFlight);
}

TEST(CircuitModel, WhatASlowStoreHasWrittenMayBeAnyStateSinceThen) {
  Driven driven;
  for (int i = 0; i < 12; ++i) {
    driven.attempt(i, Verdict::Success);
    for (int n = 0; n < 3; ++n) driven.attempt(i, Verdict::Failure);
  }
  for (int i = 0; i < 20; ++i) driven.attempt(20, Verdict::Failure);
  ASSERT_TRUE(driven.model.may_be_open());
  driven.model.recorded(1);

  driven.model.restarted(at(21), driven.last_order(), TwoClocks(), kGuards);

  EXPECT_TRUE(driven.model.may_be_closed());
  EXPECT_TRUE(driven.model.may_be_open());
}

TEST(CircuitModel, OfManyOrdersToCloseItTheOneThatIsAnsweredHolds) {
  Driven driven = opened_at_0();
  for (std::uint64_t n = 1; n <= 100; ++n) {
    driven.model.close_asked(n, driven.last_order(), at(static_cast<double>(n)), kGuards);
  }

  driven.attempt(101, Verdict::Success);
  driven.model.close_asked(101, driven.last_order(), at(102), kGuards);

  driven.model.close_told(101);

  EXPECT_TRUE(driven.model.must_be_closed());
  EXPECT_TRUE(driven.model.may_ramp());
}

// Paused and resumed since it was last written, and the process dies.
Driven resumed_at_10() {
  Driven driven;
  driven.attempt(0, Verdict::Success);
  driven.model.recorded(1);
  driven.model.may_pause(at(1));
  driven.model.has_paused();
  driven.model.may_resume(at(10), kGuards);
  driven.model.has_resumed(at(10));
  return driven;
}

TEST(CircuitModel, AProcessThatStartsAtOnceGoesOnWithTheRampOfAResume) {
  Driven driven = resumed_at_10();
  driven.model.restarted(at(14.9), driven.last_order(), TwoClocks(), kGuards);
  EXPECT_EQ(driven.objection(15, 2), Objection::RampInFlight);
}

TEST(CircuitModel, LaterTheRampOfAResumeMayBeOver) {
  Driven driven = resumed_at_10();
  driven.model.restarted(at(15), driven.last_order(), TwoClocks(), kGuards);
  EXPECT_EQ(driven.objection(15, 2), Objection::None);
  EXPECT_TRUE(driven.model.may_ramp());
}

// A step of a ramp ends by itself, after the attempt that is written with it.
TEST(CircuitModel, ARestartGoesOnWithTheStepThatTheRampHadWhenItWasWritten) {
  for (const bool is_written_later : {false, true}) {
    Driven driven = resumed_at_10();
    const std::uint64_t order = driven.start(11);
    driven.end(order, 11, Verdict::Success);
    if (!is_written_later) driven.model.recorded(order);
    driven.model.pass(at(15.5), seconds(1));
    if (is_written_later) driven.model.recorded(order);
    driven.model.restarted(at(16), driven.last_order(), TwoClocks(), kGuards);
    EXPECT_EQ(driven.objection(16, 2),
              is_written_later ? Objection::None : Objection::RampInFlight);
  }
}

TEST(CircuitModel, AfterAClockThatWasSetTheRampOfAResumeMayBeOver) {
  Driven driven = resumed_at_10();
  TwoClocks clocks;
  clocks.noted({at(0), WallTime{}});
  clocks.noted({at(11), WallTime{} + std::chrono::hours(1)});
  driven.model.restarted(at(12), driven.last_order(), clocks, kGuards);
  EXPECT_EQ(driven.objection(12, 2), Objection::None);
}

}  // namespace
}  // namespace petrel::sim::judge
