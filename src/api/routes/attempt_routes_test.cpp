#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

model::AttemptResult answered(int status, std::string response = "ok") {
  model::AttemptResult result;
  result.outcome = policy::Outcome::answered(status);
  result.response = std::move(response);
  result.timings.total = std::chrono::milliseconds(12);
  return result;
}

model::AttemptResult failed(policy::FailureKind kind, std::string error) {
  model::AttemptResult result;
  result.outcome = policy::Outcome::failed(kind);
  result.error = std::move(error);
  return result;
}

struct AttemptRoutes : testing::Test {
  // The attempts on a page, by their place in `known`, and whether there is more.
  std::string page(const std::string& path, const std::vector<std::string>& known) {
    const Reply reply = world.ask("GET", "/api/v1/app/acme/attempt/" + path);
    EXPECT_EQ(reply.status, 200) << reply.body;
    std::string text;
    const Result<JsonValue> json = parse_json(reply.body);
    for (const JsonValue& item : *json->as_object()->front().second.as_array()) {
      const std::string& id = *item.as_object()->front().second.as_string();
      for (std::size_t i = 0; i < known.size(); ++i) {
        if (known[i] == id) text += std::to_string(i);
      }
    }
    return text + (reply.body.ends_with("\"done\":true}") ? " done" : " more");
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string endpoint = world.make_endpoint("acme", R"(,"uid":"e1")");
  const std::string other = world.make_endpoint("acme");
  const std::string message = world.make_message("acme", "a");
};

TEST_F(AttemptRoutes, AnAttemptHasEveryFieldThatClientsNeed) {
  const std::string id = world.settle(endpoint, message, answered(204, "thanks"));
  const std::string expected =
      R"({"id":")" + id + R"(","msgId":")" + message + R"(","endpointId":")" + endpoint +
      R"(","url":"https://example.com/hook","response":"thanks","responseStatusCode":204,)"
      R"("responseDurationMs":12,"status":0,"statusText":"success","triggerType":0,)"
      R"("timestamp":"2027-01-15T08:00:00.000000Z"})";

  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme/msg/" + message + "/attempt/" + id).body, expected);
  const std::string list = R"({"data":[)" + expected + R"(],"iterator":")" + id +
                           R"(","prevIterator":"-)" + id + R"(","done":true})";
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme/attempt/msg/" + message).body, list);
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme/attempt/endpoint/e1").body, list);
}

TEST_F(AttemptRoutes, AnAttemptWithoutAnAnswerSaysWhatWentWrong) {
  const std::string id =
      world.settle(endpoint, message, failed(policy::FailureKind::Connect, "connection refused"));
  const std::string body =
      world.ask("GET", "/api/v1/app/acme/msg/" + message + "/attempt/" + id).body;
  EXPECT_NE(body.find(R"("response":"connection refused","responseStatusCode":0,)"
                      R"("responseDurationMs":0,"status":2,"statusText":"fail")"),
            std::string::npos)
      << body;
}

TEST_F(AttemptRoutes, TheResponseIsLeftOutWhenItIsNotWanted) {
  world.settle(endpoint, message, answered(200, "thanks"));
  const Reply reply = world.ask("GET", "/api/v1/app/acme/attempt/endpoint/e1?with_content=false");
  EXPECT_NE(reply.body.find(R"("response":"{}")"), std::string::npos);
}

TEST_F(AttemptRoutes, AreFilteredByOutcomeEndpointAndTime) {
  std::vector<std::string> ids;
  ids.push_back(world.settle(endpoint, message, answered(500)));
  world.advance(std::chrono::minutes(1));
  ids.push_back(world.settle(other, message, answered(404)));
  world.advance(std::chrono::minutes(1));
  ids.push_back(world.settle(endpoint, message, failed(policy::FailureKind::Dns, "no address")));
  world.advance(std::chrono::minutes(1));
  ids.push_back(world.settle(endpoint, message, answered(200)));
  const std::string of_message = "msg/" + message;
  const std::string of_endpoint = "endpoint/" + endpoint;

  EXPECT_EQ(page(of_message, ids), "3210 done");
  EXPECT_EQ(page(of_endpoint, ids), "320 done");
  EXPECT_EQ(page(of_message + "?endpoint_id=e1", ids), "320 done");
  EXPECT_EQ(page(of_message + "?status=0", ids), "3 done");
  EXPECT_EQ(page(of_message + "?status=2", ids), "210 done");
  EXPECT_EQ(page(of_message + "?status=1", ids), " done");
  EXPECT_EQ(page(of_message + "?status=4", ids), " done");
  EXPECT_EQ(page(of_message + "?status_code_class=0", ids), "2 done");
  EXPECT_EQ(page(of_message + "?status_code_class=400", ids), "1 done");
  EXPECT_EQ(page(of_endpoint + "?status_code_class=500", ids), "0 done");
  EXPECT_EQ(page(of_message + "?before=2027-01-15T08:01:30Z", ids), "10 done");
  EXPECT_EQ(page(of_endpoint + "?after=2027-01-15T08:01:30Z", ids), "32 done");
  EXPECT_EQ(page(of_endpoint + "?limit=1", ids), "3 more");
  EXPECT_EQ(page(of_endpoint + "?limit=2&iterator=" + ids[3], ids), "20 done");
  EXPECT_EQ(page(of_endpoint + "?limit=1&iterator=-" + ids[0], ids), "2 more");
}

TEST_F(AttemptRoutes, AreFilteredByWhatTheirMessageSays) {
  const std::string second = world.make_message("acme", "b");
  const std::string third =
      world
          .ask("POST", "/api/v1/app/acme/msg",
               {.body = R"({"eventType":"a","channels":["eu"],"tags":["t"],"payload":{}})"})
          .field("id");
  const std::vector<std::string> ids = {world.settle(endpoint, message, answered(500)),
                                        world.settle(endpoint, second, answered(500)),
                                        world.settle(endpoint, third, answered(200))};

  EXPECT_EQ(page("endpoint/e1?event_types=a", ids), "20 done");
  EXPECT_EQ(page("endpoint/e1?event_types=b,c", ids), "1 done");
  EXPECT_EQ(page("endpoint/e1?event_types=a&limit=1", ids), "2 more");
  EXPECT_EQ(page("endpoint/e1?channel=eu", ids), "2 done");
  EXPECT_EQ(page("endpoint/e1?tag=t", ids), "2 done");
  EXPECT_EQ(page("msg/" + message + "?event_types=b", ids), " done");
}

TEST_F(AttemptRoutes, TheOldPathsListTheSame) {
  world.settle(endpoint, message, answered(500));
  world.settle(other, message, answered(200));
  const auto at = [&](const std::string& path) {
    return world.ask("GET", "/api/v1/app/acme/" + path).body;
  };
  EXPECT_EQ(at("msg/" + message + "/attempt"), at("attempt/msg/" + message));
  EXPECT_EQ(at("msg/" + message + "/endpoint/e1/attempt"),
            at("attempt/msg/" + message + "?endpoint_id=e1"));
}

TEST_F(AttemptRoutes, TheMessageComesAlongWhenItIsWanted) {
  world.settle(endpoint, message, answered(200));
  const std::string path = "/api/v1/app/acme/attempt/endpoint/e1?expanded_statuses=true&with_msg=";
  const std::string shown = world.ask("GET", "/api/v1/app/acme/msg/" + message).body;

  EXPECT_NE(world.ask("GET", path + "true").body.find(R"("msg":)" + shown + "}]"),
            std::string::npos);
  EXPECT_NE(world.ask("GET", path + "true&with_content=false").body.find(R"("payload":{})"),
            std::string::npos);
  EXPECT_EQ(world.ask("GET", path + "false").body.find("\"msg\""), std::string::npos);
}

TEST_F(AttemptRoutes, AnExpungedResponseIsGone) {
  const std::string id = world.settle(endpoint, message, answered(200, "private"));
  const std::string path = "/api/v1/app/acme/msg/" + message + "/attempt/" + id;

  EXPECT_EQ(world.ask("DELETE", path + "/content").status, 204);

  EXPECT_EQ(world.ask("GET", path).field("response"), "EXPUNGED");
  EXPECT_EQ(world.ask("DELETE", path + "/content", {.token = world.application_token(application)})
                .status,
            403);
}

TEST_F(AttemptRoutes, BadQueriesNameTheParameter) {
  for (const auto& [query, name] : std::vector<std::pair<std::string, std::string>>{
           {"status=5", "status"},
           {"status=success", "status"},
           {"status_code_class=404", "status_code_class"},
           {"status_code_class=600", "status_code_class"},
           {"before=yesterday", "before"},
           {"after=2027", "after"},
           {"with_content=maybe", "with_content"},
           {"with_msg=1", "with_msg"},
           {"expanded_statuses=x", "expanded_statuses"},
           {"iterator=atmpt_zzzzzzzzzzzzzzzzzzzzzzzzzzz", "iterator"}}) {
    const Reply reply = world.ask("GET", "/api/v1/app/acme/attempt/endpoint/e1?" + query);
    EXPECT_EQ(reply.status, 422) << query;
    EXPECT_NE(reply.body.find(R"("loc":["query",")" + name + R"("])"), std::string::npos)
        << reply.body;
  }
}

TEST_F(AttemptRoutes, WhatIsNotThereIsNotFound) {
  const std::string id = world.settle(endpoint, message, answered(200));
  const std::string second = world.make_message("acme");
  for (const std::string& path :
       {std::string("attempt/endpoint/nobody"), std::string("attempt/msg/nothing"),
        "attempt/msg/" + message + "?endpoint_id=nobody", "msg/" + second + "/attempt/" + id,
        "msg/" + message + "/attempt/atmpt_000000000000000000000000000",
        "msg/" + message + "/attempt/atmpt_000000000000000000000000001",
        "msg/" + message + "/attempt/nonsense"}) {
    EXPECT_EQ(world.ask("GET", "/api/v1/app/acme/" + path).status, 404) << path;
  }
}

}  // namespace
}  // namespace petrel::api
