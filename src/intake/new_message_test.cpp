#include "intake/new_message.h"

#include <memory>

#include <gtest/gtest.h>

namespace petrel::intake {
namespace {

constexpr WallTime kNow = wall_from_unix_seconds(1'800'000'000);

struct NewMessageTest : testing::Test {
  store::EndpointPtr endpoint(const std::function<void(model::Endpoint&)>& edit = {}) {
    model::Endpoint made(signature::KeyRing{signature::Secret::generate(random)});
    made.id = EndpointId(maker.make(kNow));
    made.application = application;
    if (edit) edit(made);
    return std::make_shared<const model::Endpoint>(std::move(made));
  }

  NewMessage message() {
    NewMessage made;
    made.application = application;
    made.event_type = "invoice.paid";
    made.payload = std::make_shared<const std::string>(R"({"n": 1.0})");
    return made;
  }

  std::string problem(NewMessage message) {
    const auto planned = plan(std::move(message), {}, kNow, maker);
    return planned.ok() ? "" : planned.error().text();
  }

  SeededSecureRandom random{1};
  KsuidMaker maker{random};
  ApplicationId application{maker.make(kNow)};
};

TEST_F(NewMessageTest, MakesAPendingDeliveryThatIsDueNow) {
  const auto to = endpoint();
  NewMessage asked = message();
  asked.event_id = "e-1";
  asked.channels = {"eu"};
  asked.idempotent = store::IdempotentAnswer{"key", "hash", kNow};

  const auto planned = plan(asked, std::vector{to}, kNow, maker);

  ASSERT_TRUE(planned.ok());
  EXPECT_EQ(planned->message.event_id, "e-1");
  EXPECT_EQ(planned->message.event_type, "invoice.paid");
  EXPECT_EQ(planned->message.channels, asked.channels);
  EXPECT_EQ(planned->message.application, application);
  EXPECT_EQ(planned->message.accepted_at, kNow);
  EXPECT_EQ(planned->message.endpoints, std::vector{to->id});
  EXPECT_EQ(*planned->payload, R"({"n": 1.0})");
  EXPECT_EQ(planned->idempotent->key, "key");
  ASSERT_EQ(planned->deliveries.size(), 1U);
  model::Delivery expected;
  expected.key = {to->id, planned->message.id};
  expected.application = application;
  expected.due_at = expected.updated_at = kNow;
  EXPECT_EQ(planned->deliveries.front(), expected);
}

TEST_F(NewMessageTest, GoesToPausedEndpointsButNotToDisabledOnes) {
  const auto paused = endpoint([](auto& each) { each.pause = model::Pause{kNow, "410"}; });
  const auto disabled = endpoint([](auto& each) { each.is_disabled = true; });

  const auto planned = plan(message(), std::vector{paused, disabled}, kNow, maker);

  ASSERT_TRUE(planned.ok());
  EXPECT_EQ(planned->message.endpoints, std::vector{paused->id});
}

TEST_F(NewMessageTest, GoesOnlyToThoseThatWantIt) {
  const auto other_type = endpoint([](auto& each) { each.event_types = {"user.made"}; });
  const auto same_type = endpoint([](auto& each) { each.event_types = {"invoice.paid"}; });
  const auto channel = endpoint([](auto& each) { each.channels = {"eu"}; });

  const auto planned = plan(message(), std::vector{other_type, same_type, channel}, kNow, maker);

  ASSERT_TRUE(planned.ok());
  EXPECT_EQ(planned->message.endpoints, std::vector{same_type->id});
}

TEST_F(NewMessageTest, WaitsForTheMomentThatTheProducerChose) {
  NewMessage asked = message();
  asked.deliver_at = kNow + std::chrono::hours(1);

  const auto planned = plan(asked, std::vector{endpoint()}, kNow, maker);

  ASSERT_TRUE(planned.ok());
  EXPECT_EQ(planned->message.deliver_at, asked.deliver_at);
  EXPECT_EQ(planned->deliveries[0].due_at, *asked.deliver_at);
  EXPECT_TRUE(planned->deliveries[0].is_scheduled);
}

TEST_F(NewMessageTest, KeepsTagsContentTypeAndWhenThePayloadExpires) {
  NewMessage asked = message();
  asked.tags = {"batch:7"};
  asked.content_type = "text/xml";
  asked.payload_retention = std::chrono::hours(48);

  const auto planned = plan(asked, {}, kNow, maker);

  ASSERT_TRUE(planned.ok());
  EXPECT_EQ(planned->message.tags, asked.tags);
  EXPECT_EQ(planned->message.content_type, "text/xml");
  EXPECT_EQ(planned->message.payload_expires_at, kNow + std::chrono::hours(48));
}

TEST_F(NewMessageTest, ForOneEndpointItGoesThereAndNowhereElse) {
  const auto other = endpoint();
  const auto wanted = endpoint([](auto& each) {
    each.event_types = {"user.made"};
    each.is_disabled = true;
  });
  NewMessage asked = message();
  asked.only = wanted->id;

  const auto planned = plan(asked, std::vector{other, wanted}, kNow, maker);

  ASSERT_TRUE(planned.ok());
  EXPECT_EQ(planned->message.endpoints, std::vector{wanted->id});
}

TEST_F(NewMessageTest, TimesMustBeInReachAndGoTogether) {
  const auto scheduled = [&](Duration wait) {
    NewMessage asked = message();
    asked.deliver_at = kNow + wait;
    return problem(asked);
  };
  const std::string out_of_reach = "deliverAt: must be 1 minute to 24 hours ahead";
  EXPECT_EQ(scheduled(std::chrono::seconds(59)), out_of_reach);
  EXPECT_EQ(scheduled(std::chrono::minutes(1)), "");
  EXPECT_EQ(scheduled(std::chrono::hours(24)), "");
  EXPECT_EQ(scheduled(std::chrono::hours(24) + std::chrono::seconds(1)), out_of_reach);

  NewMessage asked = message();
  asked.payload_retention = std::chrono::hours(90 * 24 + 1);
  EXPECT_EQ(problem(asked), "payloadRetentionHours: must be 1 to 2160");
  asked.payload_retention = std::chrono::hours(2);
  asked.deliver_at = kNow + std::chrono::hours(2);
  EXPECT_EQ(problem(asked), "deliverAt: must come before the payload is deleted");
  asked.deliver_at = kNow + std::chrono::minutes(119);
  EXPECT_EQ(problem(asked), "");
}

TEST_F(NewMessageTest, IsAcceptedEvenIfNobodyWantsIt) {
  const auto planned = plan(message(), {}, kNow, maker);
  ASSERT_TRUE(planned.ok());
  EXPECT_TRUE(planned->deliveries.empty());
}

TEST_F(NewMessageTest, IsRefusedWithTheNameOfTheField) {
  NewMessage bad_type = message();
  bad_type.event_type = "invoice paid";
  EXPECT_EQ(problem(bad_type),
            "eventType: \"invoice paid\" may hold only letters, digits, '-', '_' and '.'");

  NewMessage bad_id = message();
  bad_id.event_id = "msg_1";
  EXPECT_EQ(problem(bad_id), "eventId: must not begin with \"msg_\", as ids do");

  NewMessage bad_channel = message();
  bad_channel.channels = {"eu", ""};
  EXPECT_EQ(problem(bad_channel), "channels[1]: must not be empty");

  NewMessage many_tags = message();
  many_tags.tags = std::vector<std::string>(6, "a");
  EXPECT_EQ(problem(many_tags), "tags: must be null or 1 to 5 tags");
}

}  // namespace
}  // namespace petrel::intake
