#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

using model::DeliveryState;
using policy::DeadReason;

struct DeliveryRoutes : testing::Test {
  std::string text(const JsonValue& item, std::string_view name) {
    for (const auto& [key, value] : *item.as_object()) {
      if (key == name && value.as_string() != nullptr) return *value.as_string();
    }
    return {};
  }

  // What a page shows, as "<message><endpoint>" by their places, and whether there is more.
  std::string page(const std::string& query) {
    reply = world.ask("GET", "/api/v1/app/acme/delivery" + query);
    EXPECT_EQ(reply.status, 200) << reply.body;
    std::string shown;
    const Result<JsonValue> json = parse_json(reply.body);
    for (const JsonValue& item : *json->as_object()->front().second.as_array()) {
      const auto message = std::find(messages.begin(), messages.end(), text(item, "msgId"));
      shown += std::to_string(message - messages.begin());
      shown += text(item, "endpointId") == one ? "a " : "b ";
    }
    return shown + (reply.body.ends_with("\"done\":true}") ? "done" : "more");
  }

  void make(const std::string& event_type = "a") {
    messages.push_back(world.make_message("acme", event_type));
    world.advance(std::chrono::minutes(1));
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string one = world.make_endpoint("acme", R"(,"uid":"one")");
  const std::string two = world.make_endpoint("acme", R"(,"uid":"two")");
  std::vector<std::string> messages;
  Reply reply;
};

TEST_F(DeliveryRoutes, AllAreListedNewestFirstAndPagesBreakAnywhere) {
  for (int i = 0; i < 3; ++i) make();

  EXPECT_EQ(page(""), "2b 2a 1b 1a 0b 0a done");
  EXPECT_EQ(page("?limit=3"), "2b 2a 1b more");
  EXPECT_EQ(page("?limit=2&iterator=" + reply.field("iterator")), "1a 0b more");
  const std::string back = reply.field("prevIterator");
  EXPECT_EQ(page("?limit=9&iterator=" + reply.field("iterator")), "0a done");
  EXPECT_EQ(page("?limit=2&iterator=" + back), "2a 1b more");
  EXPECT_EQ(page("?limit=9&iterator=" + back), "2b 2a 1b done");
}

TEST_F(DeliveryRoutes, AreFilteredByEndpointTypeAndTime) {
  make("rare");
  make();
  make();

  EXPECT_EQ(page("?endpoint_id=one"), "2a 1a 0a done");
  EXPECT_EQ(page("?endpoint_id=one&limit=1"), "2a more");
  EXPECT_EQ(page("?endpoint_id=one&limit=1&iterator=" + reply.field("iterator")), "1a more");
  EXPECT_EQ(page("?event_types=rare"), "0b 0a done");
  EXPECT_EQ(page("?endpoint_id=two&before=2027-01-15T08:01:30Z"), "1b 0b done");
  EXPECT_EQ(page("?after=2027-01-15T08:00:30Z&before=2027-01-15T08:01:30Z"), "1b 1a done");
}

TEST_F(DeliveryRoutes, AreFilteredByState) {
  for (int i = 0; i < 4; ++i) make();
  world.end(one, messages[1], DeliveryState::Delivered);
  world.end(one, messages[2], DeliveryState::Retrying);
  world.end(one, messages[3], DeliveryState::Dead, DeadReason::Permanent);
  ASSERT_EQ(
      world.ask("PATCH", "/api/v1/app/acme/endpoint/two", {.body = R"({"disabled":true})"}).status,
      200);

  EXPECT_EQ(page("?status=pending"), "0a done");
  EXPECT_EQ(page("?status=delivered"), "1a done");
  EXPECT_EQ(page("?status=retrying"), "2a done");
  EXPECT_EQ(page("?status=held"), "3b 2b 1b 0b done");
  EXPECT_EQ(page("?status=sending"), "done");
  EXPECT_EQ(page("?status=dead"), "3a done");
}

TEST_F(DeliveryRoutes, AnAttemptInFlightIsShownAsSending) {
  make();
  make();
  world.lanes.sending = {EndpointId::parse(one).value(), MessageId::parse(messages[0]).value()};

  EXPECT_EQ(page("?status=sending"), "0a done");
  EXPECT_EQ(page("?status=pending"), "1b 1a 0b done");
  const Reply shown = world.ask("GET", "/api/v1/app/acme/delivery/" + messages[0] + "/one");
  EXPECT_EQ(shown.field("status"), "sending");
  EXPECT_EQ(shown.field("nextAttemptAt"), "null");
}

TEST_F(DeliveryRoutes, WhatIsHeldByACircuitIsDueWithItsProbe) {
  make();
  world.lanes.circuit = {"20 failures in a row", wall_from_unix_seconds(1'900'000'000)};

  const Reply shown = world.ask("GET", "/api/v1/app/acme/delivery/" + messages[0] + "/one");

  EXPECT_EQ(shown.field("status"), "held");
  EXPECT_EQ(shown.field("nextAttemptAt"), "2030-03-17T17:46:40.000000Z");
}

// As a server that starts knows it.
struct HeldDelivery : DeliveryRoutes {
  void hold(const std::string& message, int crashes) {
    model::Suspect suspect{
        .delivery = {EndpointId::parse(one).value(), MessageId::parse(message).value()},
        .application = ApplicationId::parse(application).value(),
        .crashes = crashes,
        .version = "0.1.0"};
    if (crashes >= 3) suspect.held = model::Suspect::Held{world.clock.now, world.clock.now};
    world.store.change({.changes = {store::KeepSuspect{suspect.delivery, suspect}}},
                       [](const Status& status) { EXPECT_TRUE(status.ok()); });
    ASSERT_TRUE(world.quarantine().recall().ok());
  }

  std::string path(const std::string& message) const {
    return "/api/v1/app/acme/delivery/" + message + "/one";
  }
};

TEST_F(HeldDelivery, IsShownWithItsReasonAndReleased) {
  make();
  make();
  hold(messages[0], 3);

  EXPECT_EQ(page("?status=held"), "0a done");
  const Reply shown = world.ask("GET", path(messages[0]));
  EXPECT_EQ(shown.field("status"), "held");
  EXPECT_EQ(shown.field("nextAttemptAt"), "null");
  EXPECT_EQ(shown.field("giveUpAt"), "null");
  EXPECT_EQ(shown.field("why").substr(0, 56),
            "it was in flight at 3 crashes of the server in a row, an");

  const Reply released = world.ask("POST", path(messages[0]) + "/release");
  EXPECT_EQ(released.status, 202) << released.body;
  EXPECT_EQ(released.body, "{}");
  EXPECT_EQ(world.lanes.nudged, std::vector{EndpointId::parse(one).value()});
  EXPECT_EQ(page("?status=held"), "done");
  const std::string why = world.ask("GET", path(messages[0])).field("why");
  EXPECT_EQ(why,
            "it was in flight at 2 crashes of the server in a row; such deliveries are sent one at "
            "a time, and it waits for its turn");
  const Reply again = world.ask("POST", path(messages[0]) + "/release");
  EXPECT_EQ(again.status, 404);
}

TEST_F(HeldDelivery, OnlyWhatIsHeldCanBeReleased) {
  make();
  hold(messages[0], 1);

  EXPECT_EQ(world.ask("POST", path(messages[0]) + "/release").status, 404);
  EXPECT_EQ(world.ask("POST", path("msg_nonsense") + "/release").status, 404);
  EXPECT_EQ(world.ask("POST", "/api/v1/app/acme/delivery/" + messages[0] + "/what/release").status,
            404);
  EXPECT_EQ(page("?status=held"), "done");
}

TEST_F(DeliveryRoutes, ThoseOfADeletedEndpointAreFoundByItsId) {
  make();
  ASSERT_EQ(world.ask("DELETE", "/api/v1/app/acme/endpoint/one").status, 204);

  EXPECT_EQ(page("?endpoint_id=" + one), "0a done");
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme/delivery/" + messages[0] + "/" + one).status, 200);
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme/delivery?endpoint_id=one").status, 404);
  world.make_application("other");
  EXPECT_EQ(world.ask("GET", "/api/v1/app/other/delivery?endpoint_id=" + one).status, 404);
}

TEST_F(DeliveryRoutes, TheDeadAreListedByEndpointAndDeath) {
  for (int i = 0; i < 3; ++i) make();
  world.end(one, messages[2], DeliveryState::Dead, DeadReason::Exhausted);
  world.advance(std::chrono::seconds(1));
  world.end(one, messages[0], DeliveryState::Dead, DeadReason::Permanent);
  world.end(two, messages[1], DeliveryState::Dead, DeadReason::Exhausted);

  EXPECT_EQ(page("?status=dead"), "1b 0a 2a done");
  EXPECT_EQ(page("?status=dead&limit=2"), "1b 0a more");
  EXPECT_EQ(page("?status=dead&limit=2&iterator=" + reply.field("iterator")), "2a done");
  EXPECT_EQ(page("?status=dead&limit=1&iterator=" + reply.field("prevIterator")), "0a more");
  EXPECT_EQ(page("?reason=exhausted"), "1b 2a done");
  EXPECT_EQ(page("?reason=exhausted&endpoint_id=one"), "2a done");
}

TEST_F(DeliveryRoutes, OneSaysWhyItIsWhereItIs) {
  make();
  const std::string path = "/api/v1/app/acme/delivery/" + messages[0];
  EXPECT_EQ(world.ask("GET", path + "/one").field("why"), "it waits for its first attempt");
  EXPECT_EQ(world.ask("GET", path + "/one").field("maxAttempts"), "a number");
  EXPECT_EQ(world.ask("GET", path + "/nobody").status, 404);
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme/delivery/nothing/one").status, 404);
  const std::string late = world.make_endpoint("acme");
  EXPECT_EQ(world.ask("GET", path + "/" + late).status, 404);
}

TEST_F(DeliveryRoutes, BadQueriesNameTheParameter) {
  make();
  page("");
  const std::string iterator = reply.field("iterator");
  for (const auto& [query, name] : std::vector<std::pair<std::string, std::string>>{
           {"status=lost", "status"},
           {"reason=bad", "reason"},
           {"limit=0", "limit"},
           {"iterator=msg_1", "iterator"},
           {"iterator=" + iterator + ".x", "iterator"},
           {"status=dead&iterator=" + iterator, "iterator"}}) {
    const Reply refused = world.ask("GET", "/api/v1/app/acme/delivery?" + query);
    EXPECT_EQ(refused.status, 422) << query;
    EXPECT_NE(refused.body.find(R"("loc":["query",")" + name + R"("])"), std::string::npos)
        << refused.body;
  }
}

}  // namespace
}  // namespace petrel::api
