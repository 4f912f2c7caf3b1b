#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

struct MessageDestinationRoutes : testing::Test {
  // What a page shows, by the names in `known`, and whether there is more.
  std::string page(const std::string& path, const std::vector<std::string>& known) {
    const Reply reply = world.ask("GET", "/api/v1/app/acme/" + path);
    EXPECT_EQ(reply.status, 200) << reply.body;
    std::string text;
    const Result<JsonValue> json = parse_json(reply.body);
    for (const JsonValue& item : *json->as_object()->front().second.as_array()) {
      std::string id;
      std::string status;
      for (const auto& [name, value] : *item.as_object()) {
        if (name == "id") id = *value.as_string();
        if (name == "statusText") status = *value.as_string();
      }
      for (std::size_t i = 0; i < known.size(); ++i) {
        if (known[i] == id) text += std::to_string(i) + " " + status + ", ";
      }
    }
    return text + (reply.body.ends_with("\"done\":true}") ? "done" : "more");
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string endpoint = world.make_endpoint("acme", R"(,"uid":"e1")");
  const std::string other = world.make_endpoint("acme");
};

TEST_F(MessageDestinationRoutes, TheMessagesOfAnEndpointSayWhatBecameOfThem) {
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(world.make_message("acme", i == 0 ? "rare" : "a"));
    world.advance(std::chrono::minutes(1));
  }
  world.end(endpoint, ids[1], model::DeliveryState::Delivered);
  world.end(endpoint, ids[2], model::DeliveryState::Dead, policy::DeadReason::Exhausted);
  world.end(endpoint, ids[3], model::DeliveryState::Retrying);
  const std::string path = "endpoint/e1/msg";

  EXPECT_EQ(page(path, ids), "3 sending, 2 fail, 1 success, 0 pending, done");
  EXPECT_EQ(page(path + "?status=0", ids), "1 success, done");
  EXPECT_EQ(page(path + "?status=1", ids), "0 pending, done");
  EXPECT_EQ(page(path + "?status=3", ids), "3 sending, done");
  EXPECT_EQ(page(path + "?event_types=rare", ids), "0 pending, done");
  EXPECT_EQ(page(path + "?limit=1", ids), "3 sending, more");
  EXPECT_EQ(page(path + "?limit=2&iterator=" + ids[2], ids), "1 success, 0 pending, done");
  EXPECT_EQ(page(path + "?limit=1&iterator=-" + ids[0], ids), "1 success, more");
  EXPECT_EQ(page(path + "?after=2027-01-15T08:00:30Z&before=2027-01-15T08:02:30Z", ids),
            "2 fail, 1 success, done");
}

TEST_F(MessageDestinationRoutes, AMessageHasItsOwnFieldsAndThoseOfTheStatus) {
  const std::string id = world.make_message("acme");
  const std::string own = world.ask("GET", "/api/v1/app/acme/msg/" + id).body;
  const Reply reply = world.ask("GET", "/api/v1/app/acme/endpoint/e1/msg");
  EXPECT_EQ(reply.body, R"({"data":[)" + own.substr(0, own.size() - 1) +
                            R"(,"status":1,"statusText":"pending",)"
                            R"("nextAttempt":"2027-01-15T08:00:00.000000Z"}],"iterator":")" +
                            id + R"(","prevIterator":"-)" + id + R"(","done":true})");
}

TEST_F(MessageDestinationRoutes, OnlyWhoKnowsItHearsOfCanceled) {
  const std::string id = world.make_message("acme");
  world.end(endpoint, id, model::DeliveryState::Dead, policy::DeadReason::Cancelled);
  EXPECT_EQ(page("endpoint/e1/msg", {id}), "0 fail, done");
  EXPECT_EQ(page("endpoint/e1/msg?expanded_statuses=true", {id}), "0 canceled, done");
  EXPECT_EQ(page("endpoint/e1/msg?expanded_statuses=true&status=4", {id}), "0 canceled, done");
  EXPECT_EQ(page("endpoint/e1/msg?expanded_statuses=true&status=2", {id}), "done");
}

TEST_F(MessageDestinationRoutes, TheEndpointsOfAMessageSayWhatBecameOfIt) {
  const std::string id = world.make_message("acme");
  const std::vector<std::string> endpoints = {endpoint, other};
  world.end(other, id, model::DeliveryState::Delivered);
  const std::string path = "msg/" + id + "/endpoint";

  EXPECT_EQ(page(path, endpoints), "0 pending, 1 success, done");
  EXPECT_EQ(page(path + "?limit=1", endpoints), "0 pending, more");
  EXPECT_EQ(page(path + "?limit=1&iterator=" + endpoint, endpoints), "1 success, done");
  EXPECT_NE(world.ask("GET", "/api/v1/app/acme/" + path)
                .body.find(R"("status":0,"statusText":"success","nextAttempt":null})"),
            std::string::npos);
}

TEST_F(MessageDestinationRoutes, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme/endpoint/nobody/msg").status, 404);
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme/msg/nothing/endpoint").status, 404);
}

}  // namespace
}  // namespace petrel::api
