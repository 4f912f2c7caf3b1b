// What a whole node does with deliveries that were in flight when it crashed.

#include "node/quarantine.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "node/testing/node_world.h"

namespace petrel::node {
namespace {

using engine::Suspicion;
using model::DeliveryState;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Mood = MoodyStore::Mood;

// Their parts are 123 and 254: with two shards they live apart.
constexpr const char* kOdd = "https://example.com/hook";
constexpr const char* kEven = "http://127.0.0.1:8080/hook";

struct QuarantineTest : testing::TestWithParam<std::size_t> {
  void begin() {
    world = std::make_unique<NodeWorld>(GetParam());
    ASSERT_TRUE(world->start(settings()).ok());
    application = world->create_application();
    odd = world->create_endpoint(application, kOdd);
  }

  void TearDown() override { EXPECT_EQ(world->problems, std::vector<std::string>()); }

  NodeSettings settings(std::string version = "0.1.0") const {
    NodeSettings settings;
    settings.version = std::move(version);
    return settings;
  }

  void crash() {
    world->crash();
    ASSERT_TRUE(world->start(settings()).ok());
  }

  std::vector<MessageId> in_flight() const {
    std::vector<MessageId> messages;
    for (const HandWire& wire : world->wires) {
      for (const HandWire::Out& each : wire.out) {
        messages.push_back(each.order.delivery.message);
      }
    }
    std::sort(messages.begin(), messages.end());
    return messages;
  }

  void answer_all(int status) {
    for (HandWire& wire : world->wires) {
      for (std::size_t left = wire.out.size(); left > 0; --left) wire.answer(status);
    }
    world->run();
  }

  Status release(MessageId message) {
    Status answer = unavailable("not answered");
    world->node->services(0).quarantine.release({odd, message},
                                                [&](Status status) { answer = std::move(status); });
    world->run();
    return answer;
  }

  Quarantine::Counts counts() const { return world->node->quarantine().counts(); }

  Suspicion suspicion(MessageId message) const {
    const auto entry = world->node->services(0).lanes.suspicion({odd, message});
    return entry ? entry->suspicion : Suspicion::None;
  }

  // One that crashed three times in a row, and is held.
  MessageId held() {
    const auto message = world->send(application);
    for (int i = 0; i < 3; ++i) crash();
    EXPECT_EQ(suspicion(*message), Suspicion::Barred);
    return *message;
  }

  std::unique_ptr<NodeWorld> world;
  ApplicationId application;
  EndpointId odd;
};

TEST_P(QuarantineTest, ADeliveryThatCrashesItIsFoundAndHeldAndTheOthersArrive) {
  begin();
  world->create_endpoint(application, kEven);
  std::vector<MessageId> messages;
  for (int i = 0; i < 5; ++i) messages.push_back(*world->send(application));
  const model::DeliveryKey poison{odd, messages[2]};
  const auto is_poison_out = [&] {
    for (const HandWire& wire : world->wires) {
      for (const HandWire::Out& each : wire.out) {
        if (each.order.delivery == poison) return true;
      }
    }
    return false;
  };
  int crashes = 0;
  // Ten deliveries, four at a time: as a server crashes over one of them whatever else it does.
  for (int step = 0; step < 100; ++step) {
    if (is_poison_out()) {
      ++crashes;
      crash();
    }
    for (HandWire& wire : world->wires) {
      if (!wire.out.empty() && wire.out.front().order.delivery != poison) wire.answer(200);
    }
    world->pass(milliseconds(100));
  }
  EXPECT_EQ(crashes, 3);
  EXPECT_EQ(counts().held, 1U);
  EXPECT_EQ(counts().suspected, 0U);
  EXPECT_EQ(world->store.suspects()->size(), 1U);
  for (const MessageId message : messages) {
    const bool is_held = message == poison.message;
    EXPECT_EQ(world->delivery(odd, message).state,
              is_held ? DeliveryState::Pending : DeliveryState::Delivered);
  }
}

TEST_P(QuarantineTest, ADeathThatIsNoCrashCountsForNothing) {
  begin();
  ASSERT_TRUE(world->send(application));
  for (int i = 0; i < 20; ++i) {
    world->die();
    ASSERT_TRUE(world->start(settings()).ok());
    ASSERT_EQ(world->out(), 1U);
  }
  EXPECT_TRUE(world->store.suspects()->empty());
}

TEST_P(QuarantineTest, ACrashWithNothingInFlightSuspectsNobody) {
  begin();
  ASSERT_TRUE(world->send(application));
  answer_all(200);
  for (int i = 0; i < 5; ++i) crash();
  EXPECT_TRUE(world->store.suspects()->empty());
  EXPECT_TRUE(world->node->quarantine().remarks().empty());
}

TEST_P(QuarantineTest, AnAttemptThatEndsClearsIt) {
  begin();
  const auto message = world->send(application);
  crash();
  crash();
  EXPECT_EQ(suspicion(*message), Suspicion::Alone);
  EXPECT_EQ(counts().suspected, 1U);
  answer_all(500);
  EXPECT_EQ(suspicion(*message), Suspicion::None);
  EXPECT_EQ(counts().suspected, 0U);
  EXPECT_TRUE(world->store.suspects()->empty());

  world->pass(seconds(30));  // It is tried again.
  ASSERT_EQ(world->out(), 1U);
  crash();
  EXPECT_EQ(suspicion(*message), Suspicion::Watched);
}

TEST_P(QuarantineTest, WhatCouldNotBeForgottenIsForgottenByTheNextStart) {
  begin();
  const auto message = world->send(application);
  crash();
  crash();
  world->store.mood = Mood::Away;  // Takes outcomes, but no changes.
  answer_all(500);
  EXPECT_EQ(world->store.suspects()->size(), 1U);
  world->store.mood = Mood::Fine;
  world->die();
  ASSERT_TRUE(world->start(settings()).ok());
  EXPECT_EQ(suspicion(*message), Suspicion::None);
  EXPECT_TRUE(world->store.suspects()->empty());
}

TEST_P(QuarantineTest, SuspectsGoOneByOneAndTheOthersBesideThem) {
  begin();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(world->send(application));
  crash();
  EXPECT_EQ(world->out(), 3U);
  crash();
  EXPECT_EQ(world->out(), 1U);
  const auto suspect = in_flight().front();
  const auto other = world->send(application);
  EXPECT_EQ(world->out(), 2U);
  answer_all(200);
  EXPECT_EQ(world->delivery(odd, suspect).state, DeliveryState::Delivered);
  EXPECT_EQ(world->delivery(odd, *other).state, DeliveryState::Delivered);
  EXPECT_EQ(world->out(), 1U);
  answer_all(200);
  EXPECT_EQ(world->out(), 1U);
  answer_all(200);
  EXPECT_TRUE(world->store.suspects()->empty());
}

TEST_P(QuarantineTest, NothingGoesThatIsNotOnRecordYetAndTheCrashIsNotForgotten) {
  begin();
  const auto message = world->send(application);
  world->store.mood = Mood::Away;
  for (int i = 0; i < 5; ++i) {
    crash();  // Nothing of it is in flight but at the first one.
    EXPECT_EQ(world->out(), 0U) << i;
    EXPECT_EQ(suspicion(*message), Suspicion::Barred);
  }
  world->store.mood = Mood::Fine;
  world->pass(seconds(2));
  EXPECT_EQ(suspicion(*message), Suspicion::Watched);
  EXPECT_EQ(world->out(), 1U);
  ASSERT_EQ(world->store.suspects()->size(), 1U);
  EXPECT_EQ(world->store.suspects()->front().crashes, 1);
}

TEST_P(QuarantineTest, ACrashThatIsOnRecordIsNotCountedTwice) {
  begin();
  const auto message = world->send(application);
  world->crash();
  const engine::HandNote note = world->note;
  for (int i = 0; i < 5; ++i) {
    world->note = note;  // The process died before it could say that it was counted.
    ASSERT_TRUE(world->start(settings()).ok());
    world->die();
  }
  ASSERT_TRUE(world->start(settings()).ok());
  EXPECT_EQ(suspicion(*message), Suspicion::Watched);
}

TEST_P(QuarantineTest, AHeldOneIsNeverSentAndDoesNotExpire) {
  begin();
  const auto first = world->send(application);
  answer_all(500);  // Its time to give up runs from now on, for 96 hours.
  world->pass(seconds(30));
  ASSERT_EQ(world->out(), 1U);
  for (int i = 0; i < 3; ++i) crash();
  world->clock.time += hours(200);
  for (int i = 0; i < 2; ++i) {
    world->pass(seconds(1));
    EXPECT_EQ(world->out(), 0U);
    EXPECT_EQ(world->delivery(odd, *first).state, DeliveryState::Retrying);
    world->die();
    ASSERT_TRUE(world->start(settings()).ok());
    EXPECT_EQ(suspicion(*first), Suspicion::Barred);
  }

  // Released, it has as much time left as it had then.
  ASSERT_TRUE(release(*first).ok());
  EXPECT_EQ(world->out(), 1U);
  answer_all(500);
  EXPECT_EQ(world->delivery(odd, *first).state, DeliveryState::Retrying);
}

// The shard may turn once more before it hears of the release.
TEST_P(QuarantineTest, AReleasedOneDoesNotExpireByWhatItsLaneKnewBefore) {
  begin();
  const auto first = world->send(application);
  answer_all(500);
  world->pass(seconds(30));
  for (int i = 0; i < 3; ++i) crash();
  const auto other = world->send(application);
  ASSERT_EQ(world->out(), 1U);
  world->clock.time += hours(200);
  for (HandWire& wire : world->wires) {
    if (!wire.out.empty()) wire.answer(200);
  }
  ASSERT_TRUE(release(*first).ok());
  EXPECT_EQ(world->delivery(odd, *other).state, DeliveryState::Delivered);
  EXPECT_EQ(world->delivery(odd, *first).state, DeliveryState::Retrying);
  EXPECT_EQ(in_flight(), std::vector{*first});
}

TEST_P(QuarantineTest, AReleasedOneGoesAloneAndIsHeldAgainAtTheNextCrash) {
  begin();
  const MessageId message = held();
  EXPECT_EQ(counts().held, 1U);
  ASSERT_TRUE(release(message).ok());
  EXPECT_EQ(counts().held, 0U);
  EXPECT_EQ(suspicion(message), Suspicion::Alone);
  EXPECT_EQ(in_flight(), std::vector{message});
  crash();
  EXPECT_EQ(suspicion(message), Suspicion::Barred);
  EXPECT_EQ(world->out(), 0U);

  ASSERT_TRUE(release(message).ok());
  answer_all(200);
  EXPECT_EQ(world->delivery(odd, message).state, DeliveryState::Delivered);
  EXPECT_TRUE(world->store.suspects()->empty());
}

TEST_P(QuarantineTest, OnlyWhatIsHeldCanBeReleased) {
  begin();
  const auto message = world->send(application);
  EXPECT_EQ(release(*message).error().kind, ErrorKind::NotFound);
  crash();
  EXPECT_EQ(release(*message).error().kind, ErrorKind::NotFound);
}

TEST_P(QuarantineTest, AReleaseThatNobodyKnowsOfCanBeRepeated) {
  begin();
  const auto message = world->send(application);
  answer_all(500);
  world->pass(seconds(30));
  ASSERT_EQ(world->out(), 1U);
  for (int i = 0; i < 3; ++i) crash();
  const auto give_up_at = *world->delivery(odd, *message).progress.give_up_at;
  world->clock.time += hours(10);
  world->store.mood = Mood::Unsure;
  EXPECT_EQ(release(*message).error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(world->out(), 0U);
  world->store.mood = Mood::Fine;
  ASSERT_TRUE(release(*message).ok());
  // By the ten hours, and not by twice as many.
  EXPECT_EQ(world->delivery(odd, *message).progress.give_up_at, give_up_at + hours(10));
  EXPECT_EQ(world->out(), 1U);
}

TEST_P(QuarantineTest, ANewerVersionReleasesWhatIsHeld) {
  begin();
  const MessageId message = held();
  world->die();
  ASSERT_TRUE(world->start(settings("0.2.0")).ok());
  EXPECT_EQ(suspicion(message), Suspicion::Alone);
  EXPECT_EQ(in_flight(), std::vector{message});
}

TEST_P(QuarantineTest, WhatIsHeldEndsWithItsEndpoint) {
  begin();
  const MessageId message = held();
  world->change(store::DeleteEndpoint{odd, world->clock.wall()});
  world->pass(seconds(1));
  EXPECT_EQ(world->delivery(odd, message).state, DeliveryState::Dead);
  EXPECT_EQ(counts().held, 0U);
  EXPECT_TRUE(world->store.suspects()->empty());
}

TEST_P(QuarantineTest, StaysHeldWhenItsEndpointMovesToAnotherShard) {
  begin();
  const MessageId message = held();
  model::Endpoint moved = *world->catalogue->endpoint(odd);
  moved.url = kEven;
  world->change(store::UpdateEndpoint{moved});
  const auto other = world->send(application);
  EXPECT_EQ(in_flight(), std::vector{*other});
  ASSERT_TRUE(release(message).ok());
  EXPECT_EQ(world->out(), 2U);
}

TEST_P(QuarantineTest, AResendDoesNotReleaseIt) {
  begin();
  const MessageId message = held();
  Result<Resent> resent = unavailable("not answered");
  world->node->services(0).deliveries.resend(application, {odd, message},
                                             [&](Result<Resent> answer) { resent = answer; });
  world->run();
  EXPECT_TRUE(resent.ok());
  EXPECT_EQ(world->out(), 0U);
  ASSERT_TRUE(release(message).ok());
  EXPECT_EQ(world->out(), 1U);
}

TEST_P(QuarantineTest, SaysOfEachSuspectWhatCanBeDone) {
  begin();
  const MessageId message = held();
  const auto other = world->send(application);
  crash();
  std::vector<std::string> remarks = world->node->quarantine().remarks();
  std::sort(remarks.begin(), remarks.end(),
            [](const auto& a, const auto& b) { return a.size() > b.size(); });
  ASSERT_EQ(remarks.size(), 2U);
  EXPECT_EQ(remarks[0], "the delivery of " + message.text() + " to " + odd.text() +
                            " was in flight at 3 crashes in a row and is held: POST /api/v1/app/" +
                            application.text() + "/delivery/" + message.text() + "/" + odd.text() +
                            "/release sends it again, and so does a newer version of Petrel");
  EXPECT_EQ(remarks[1], "the delivery of " + other->text() + " to " + odd.text() +
                            " was in flight at the last crash; if that happens again, it will be "
                            "sent alone");
}

INSTANTIATE_TEST_SUITE_P(Shards, QuarantineTest, testing::Values(1U, 8U, 32U),
                         [](const auto& each) { return std::to_string(each.param); });

}  // namespace
}  // namespace petrel::node
