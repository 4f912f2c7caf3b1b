#include "sim/lookout.h"

#include <gtest/gtest.h>

#include "sim/judge/testing/trial.h"

namespace petrel::sim {
namespace {

using judge::Act;
using judge::DeliveryName;
using judge::Replied;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// A Trial whose evidence a lookout sees as well.
class Watched {
 public:
  Watched() : lookout_(trial.judge()) {
    trial.listen([this](const judge::Evidence& evidence) { lookout_.before(evidence); },
                 [this](const judge::Evidence& evidence) { lookout_.after(evidence); });
    endpoint = trial.endpoint();
  }

  std::uint64_t of(Landmark landmark) const { return lookout_.reached().of(landmark); }

  // Opens the circuit by its streak.
  void open() {
    for (int i = 0; i < 20; ++i) trial.attempt({endpoint, trial.post()}, 500, minutes(30));
  }

  // The oldest that waits goes as a probe.
  std::uint64_t probe() {
    trial.wait(seconds(19));
    return trial.request({endpoint, trial.post()});
  }

  judge::Trial trial;
  EndpointId endpoint;

 private:
  Lookout lookout_;
};

TEST(Lookout, TellsHowACircuitOpened) {
  Watched world;
  world.open();
  EXPECT_EQ(world.of(Landmark::OpenedByStreak), 1U);
  EXPECT_EQ(world.of(Landmark::OpenedByWindow), 0U);

  Watched mixed;
  for (int i = 0; i < 20; ++i) {
    mixed.trial.attempt({mixed.endpoint, mixed.trial.post()}, 200);
    mixed.trial.attempt({mixed.endpoint, mixed.trial.post()}, 500, minutes(30));
  }
  EXPECT_EQ(mixed.of(Landmark::OpenedByStreak), 0U);
  EXPECT_EQ(mixed.of(Landmark::OpenedByWindow), 1U);
}

TEST(Lookout, SeesWhatBecomesOfAProbe) {
  Watched world;
  world.open();
  const std::uint64_t probe = world.probe();
  world.trial.reply(probe, 429);
  EXPECT_EQ(world.of(Landmark::ProbeThrottled), 1U);
  EXPECT_EQ(world.of(Landmark::ProbeFailed), 0U);

  Watched other;
  other.open();
  other.trial.reply(other.probe(), 500);
  EXPECT_EQ(other.of(Landmark::ProbeFailed), 1U);
  EXPECT_EQ(other.of(Landmark::ProbeThrottled), 0U);
}

TEST(Lookout, TellsAResentProbeFromAnotherDelivery) {
  Watched world;
  world.open();
  world.trial.wait(seconds(19));
  const MessageId probe = world.trial.post();
  world.trial.request({world.endpoint, probe});
  world.trial.ask({.act = Act::Resend, .endpoint = world.endpoint, .message = world.trial.post()});
  EXPECT_EQ(world.of(Landmark::ResentProbe), 0U);

  world.trial.ask({.act = Act::Resend, .endpoint = world.endpoint, .message = probe});

  EXPECT_EQ(world.of(Landmark::ResentProbe), 1U);
}

TEST(Lookout, SeesAProbeThatACrashCutsOff) {
  Watched world;
  world.open();
  world.probe();

  world.trial.die();
  EXPECT_EQ(world.of(Landmark::ProbeLost), 1U);
  world.trial.start();

  EXPECT_EQ(world.of(Landmark::StartedWithOpenCircuit), 1U);
  EXPECT_EQ(world.of(Landmark::StartedWithRamp), 0U);
}

TEST(Lookout, SeesWhatAStartingProcessFinds) {
  Watched world;
  const std::uint64_t held = world.trial.request({world.endpoint, world.trial.post()});
  world.trial.reply(held, Replied{.status = 503, .retry_after = "600"});
  world.trial.hear(world.trial.retry(held, seconds(600)));
  world.trial.die();
  world.trial.start();
  EXPECT_EQ(world.of(Landmark::StartedWithHold), 1U);

  Watched paused;
  paused.trial.attempt({paused.endpoint, paused.trial.post()}, 200);
  paused.trial.order(Act::Pause, paused.endpoint);
  paused.trial.die();
  paused.trial.start();
  EXPECT_EQ(paused.of(Landmark::StartedWithPausedLane), 1U);
  EXPECT_EQ(paused.of(Landmark::StartedWithHold), 0U);

  Watched ramped;
  ramped.open();
  const std::uint64_t probe = ramped.probe();
  ramped.trial.reply(probe, 200);
  ramped.trial.hear(ramped.trial.record(probe, "delivered"));
  ramped.trial.die();
  ramped.trial.start();
  EXPECT_EQ(ramped.of(Landmark::StartedWithRamp), 1U);
  EXPECT_EQ(ramped.of(Landmark::StartedWithOpenCircuit), 0U);
}

TEST(Lookout, SeesAMoveWhileSomethingIsInFlightAndItsCrash) {
  Watched world;
  world.trial.change(world.endpoint, R"({"url": "https://b.example/"})");
  EXPECT_EQ(world.of(Landmark::MovedInFlight), 0U);
  world.trial.request({world.endpoint, world.trial.post()});

  world.trial.change(world.endpoint, R"({"url": "https://c.example/"})");
  EXPECT_EQ(world.of(Landmark::MovedInFlight), 1U);
  world.trial.die();
  world.trial.start();

  EXPECT_EQ(world.of(Landmark::StartedWithMove), 1U);
}

TEST(Lookout, SeesAnOutcomeThatDiedWithTheProcess) {
  Watched world;
  world.trial.reply(world.trial.request({world.endpoint, world.trial.post()}), 200);
  world.trial.die();
  world.trial.start();
  EXPECT_EQ(world.of(Landmark::StartedWithOutcome), 1U);

  world.trial.die();
  world.trial.start();
  EXPECT_EQ(world.of(Landmark::StartedWithOutcome), 1U);
}

TEST(Lookout, TellsAPauseOfTheNodeFromAPersons) {
  Watched world;
  world.trial.request({world.endpoint, world.trial.post()});
  world.trial.ask({.act = Act::Pause, .endpoint = world.endpoint});
  EXPECT_EQ(world.of(Landmark::PausedInFlight), 1U);
  EXPECT_EQ(world.of(Landmark::PausedByItself), 0U);

  world.trial.ask({.act = Act::Pause, .endpoint = world.endpoint, .is_own = true});

  EXPECT_EQ(world.of(Landmark::PausedInFlight), 1U);
  EXPECT_EQ(world.of(Landmark::PausedByItself), 1U);
}

}  // namespace
}  // namespace petrel::sim
