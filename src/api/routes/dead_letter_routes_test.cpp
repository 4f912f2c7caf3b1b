#include <algorithm>

#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

using model::DeliveryState;
using policy::DeadReason;

struct DeadLetterRoutes : testing::Test {
  std::string dead(const std::string& app, const std::string& endpoint,
                   DeadReason reason = DeadReason::Exhausted, const std::string& type = "a") {
    world.advance(std::chrono::minutes(1));
    std::string id = world.make_message(app, type);
    world.end(endpoint, id, DeliveryState::Dead, reason);
    messages.push_back(id);
    return id;
  }

  // What a page shows, by the places of the messages, and whether there is more.
  std::string page(const std::string& path) {
    reply = world.ask("GET", "/api/v1" + path);
    EXPECT_EQ(reply.status, 200) << reply.body;
    std::string shown;
    const Result<JsonValue> json = parse_json(reply.body);
    for (const JsonValue& item : *json->as_object()->front().second.as_array()) {
      for (const auto& [key, value] : *item.as_object()) {
        if (key != "msgId") continue;
        const auto found = std::find(messages.begin(), messages.end(), *value.as_string());
        shown += std::to_string(found - messages.begin()) + " ";
      }
    }
    return shown + (reply.body.ends_with("\"done\":true}") ? "done" : "more");
  }

  std::string body_of(const std::string& path) { return world.ask("GET", "/api/v1" + path).body; }

  ApiWorld world;
  const std::string acme = world.make_application("acme");
  const std::string one = world.make_endpoint("acme", R"(,"uid":"one")");
  const std::string globex = world.make_application("globex");
  const std::string two = world.make_endpoint("globex", R"(,"uid":"two")");
  std::vector<std::string> messages;
  Reply reply;
};

TEST_F(DeadLetterRoutes, AreListedByApplicationLatestFirst) {
  dead("acme", one);
  dead("globex", two);
  dead("acme", one, DeadReason::Gone, "b");
  world.make_message("acme");

  EXPECT_EQ(page("/app/acme/dead-letter"), "2 0 done");
  EXPECT_NE(reply.body.find(R"("reason":"gone")"), std::string::npos);
  EXPECT_EQ(page("/app/acme/dead-letter?reason=exhausted"), "0 done");
  EXPECT_EQ(page("/app/acme/dead-letter?event_types=b"), "2 done");
  EXPECT_EQ(page("/app/acme/dead-letter?endpoint_id=one&limit=1"), "2 more");
  EXPECT_EQ(page("/app/acme/dead-letter?limit=1&iterator=" + reply.field("iterator")), "0 done");
}

TEST_F(DeadLetterRoutes, AreListedForTheOrganisationThroughAllPages) {
  for (int i = 0; i < 3; ++i) {
    dead("acme", one);
    dead("globex", two);
  }

  EXPECT_EQ(page("/dead-letter"), "4 2 0 5 3 1 done");
  EXPECT_EQ(page("/dead-letter?limit=2"), "4 2 more");
  EXPECT_EQ(page("/dead-letter?limit=2&iterator=" + reply.field("iterator")), "0 5 more");
  const std::string back = reply.field("prevIterator");
  EXPECT_EQ(page("/dead-letter?limit=2&iterator=" + reply.field("iterator")), "3 1 done");
  EXPECT_EQ(page("/dead-letter?limit=9&iterator=" + back), "4 2 done");
  EXPECT_EQ(page("/dead-letter?limit=2&iterator=" + reply.field("iterator")), "0 5 more");
  EXPECT_NE(reply.body.find(R"("appId":")" + globex), std::string::npos);
  EXPECT_EQ(world.ask("GET", "/api/v1/dead-letter?iterator=rubbish").status, 422);
}

TEST_F(DeadLetterRoutes, ALongSearchSaysWhereToGoOnAndComesToItsEnd) {
  for (int i = 0; i < 600; ++i) dead("acme", one);
  const std::string rare = dead("globex", two, DeadReason::Gone);
  std::string query = "/dead-letter?reason=gone";
  std::string shown = page(query);
  for (int pages = 0; shown == "more" && pages < 10; ++pages) {
    shown = page(query + "&iterator=" + reply.field("iterator"));
  }
  EXPECT_EQ(shown, "600 done");
}

TEST_F(DeadLetterRoutes, ManyEmptyApplicationsAreGoneThroughPageByPage) {
  for (int i = 0; i < 520; ++i) world.make_application("empty-" + std::to_string(i));
  world.advance(std::chrono::minutes(1));
  const std::string last = world.make_application("last");
  const std::string endpoint = world.make_endpoint("last");
  dead("last", endpoint);

  EXPECT_EQ(page("/dead-letter"), "more");
  EXPECT_EQ(page("/dead-letter?iterator=" + reply.field("iterator")), "0 done");
}

TEST_F(DeadLetterRoutes, AreCountedByEndpointAndReason) {
  const std::string quiet = world.make_endpoint("acme");
  dead("acme", one);
  dead("acme", one);
  dead("acme", one, DeadReason::Gone);
  dead("globex", two);

  EXPECT_EQ(body_of("/app/acme/dead-letter/count"),
            R"({"endpoints":[{"endpointId":")" + one +
                R"(","total":3,"reasons":{"exhausted":2,"gone":1}}],)"
                R"("total":3,"reasons":{"exhausted":2,"gone":1}})");
  EXPECT_EQ(body_of("/dead-letter/count"),
            R"({"applications":[{"appId":")" + acme +
                R"(","total":3,"reasons":{"exhausted":2,"gone":1}},{"appId":")" + globex +
                R"(","total":1,"reasons":{"exhausted":1}}],)"
                R"("total":4,"reasons":{"exhausted":3,"gone":1}})");
}

TEST_F(DeadLetterRoutes, ThoseOfADeletedEndpointAreListedCountedAndDiscarded) {
  const std::string id = dead("acme", one);
  ASSERT_EQ(world.ask("DELETE", "/api/v1/app/acme/endpoint/one").status, 204);

  EXPECT_EQ(page("/app/acme/dead-letter"), "0 done");
  EXPECT_NE(body_of("/app/acme/dead-letter/count").find(R"("total":1)"), std::string::npos);
  EXPECT_EQ(world.ask("DELETE", "/api/v1/app/acme/dead-letter/" + id + "/" + one).status, 204);
  EXPECT_EQ(body_of("/app/acme/dead-letter/count"), R"({"endpoints":[],"total":0,"reasons":{}})");
}

TEST_F(DeadLetterRoutes, ThoseOfADeletedEndpointAreListedAndDiscardedByItsId) {
  dead("acme", one);
  world.advance(std::chrono::minutes(1));
  ASSERT_EQ(world.ask("DELETE", "/api/v1/app/acme/endpoint/one").status, 204);

  EXPECT_EQ(page("/app/acme/dead-letter?endpoint_id=" + one), "0 done");
  const std::string body = R"({"endpointId":")" + one + R"(","dryRun":true})";
  const Reply counted = world.ask("POST", "/api/v1/app/acme/dead-letter/discard", {.body = body});
  EXPECT_EQ(counted.body, R"({"matched":1,"seconds":0})");
  world.make_application("other");
  EXPECT_EQ(world.ask("POST", "/api/v1/app/other/dead-letter/discard", {.body = body}).status, 422);
  EXPECT_EQ(world.ask("POST", "/api/v1/app/acme/replay", {.body = body}).status, 422)
      << "there is nowhere to send them";
}

TEST_F(DeadLetterRoutes, OneThatIsDiscardedLeavesTheListAndCanBeSentAgain) {
  const std::string id = dead("acme", one);
  const std::string path = "/api/v1/app/acme/dead-letter/" + id + "/one";

  EXPECT_EQ(world.ask("DELETE", path).status, 204);
  EXPECT_EQ(page("/app/acme/dead-letter"), "done");
  EXPECT_EQ(page("/app/acme/delivery?status=discarded"), "0 done");
  EXPECT_EQ(world.ask("DELETE", path).status, 404) << "it is no dead letter any more";
  EXPECT_EQ(world.ask("DELETE", "/api/v1/app/acme/dead-letter/none/one").status, 404);
  EXPECT_EQ(world.ask("DELETE", "/api/v1/app/acme/dead-letter/" + id + "/none").status, 404);

  EXPECT_EQ(world.ask("POST", "/api/v1/app/acme/msg/" + id + "/endpoint/one/resend").status, 202);
  EXPECT_EQ(world.delivery(one, id).state, DeliveryState::Pending);
}

TEST_F(DeadLetterRoutes, ManyAreDiscardedByATask) {
  dead("acme", one);
  dead("acme", one, DeadReason::Gone);
  world.advance(std::chrono::minutes(1));
  const auto discard = [&](const std::string& body) {
    return world.ask("POST", "/api/v1/app/acme/dead-letter/discard", {.body = body});
  };

  EXPECT_EQ(discard(R"({"reasons":["gone"],"dryRun":true})").body, R"({"matched":1,"seconds":0})");
  EXPECT_EQ(discard(R"({"reasons":["bored"]})").status, 422);
  // What is spelled wrong, or says nothing, must not mean all of them.
  for (const char* slip : {R"({"dryrun":true})", R"({"event_types":["a"]})", R"({"reasons":[]})",
                           R"({"eventTypes":[]})"}) {
    EXPECT_EQ(discard(slip).status, 422) << slip;
  }
  const Reply begun = discard(R"({"endpointId":"one"})");
  EXPECT_EQ(begun.status, 202);
  EXPECT_EQ(begun.field("kind"), "discard-dead");
  EXPECT_EQ(world.tasks.woken.size(), 1U);
}

}  // namespace
}  // namespace petrel::api
