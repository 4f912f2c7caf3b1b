#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

TEST(ApplicationRoutes, AnApplicationIsMadeAndFoundByIdAndUid) {
  ApiWorld world;
  const Reply made = world.ask("POST", "/api/v1/app/",
                               {.body = R"({"name":"Acme","uid":"acme","throttleRate":7,)"
                                        R"("metadata":{"k":"v"},"unknown":1})"});
  ASSERT_EQ(made.status, 201);
  const std::string id = made.field("id");
  EXPECT_EQ(made.body, R"({"id":")" + id +
                           R"(","name":"Acme","uid":"acme","throttleRate":7,"rateLimit":7,)"
                           R"("retryPolicy":null,"maxInFlight":null,"timeout":null,"guards":null,)"
                           R"("metadata":{"k":"v"},)"
                           R"("retention":null,"retentionPayloads":null,"retentionAttempts":null,)"
                           R"("retentionDeadLetters":null,)"
                           R"("createdAt":"2027-01-15T08:00:00.000000Z",)"
                           R"("updatedAt":"2027-01-15T08:00:00.000000Z"})");

  for (const std::string& name : {id, std::string("acme"), std::string("%61cme/")}) {
    const Reply got = world.ask("GET", "/api/v1/app/" + name);
    EXPECT_EQ(got.status, 200) << name;
    EXPECT_EQ(got.body, made.body);
  }
}

TEST(ApplicationRoutes, AUidIsTakenOnce) {
  ApiWorld world;
  const std::string id = world.make_application("acme");
  const std::string body = R"({"name":"Again","uid":"acme"})";

  const Reply taken = world.ask("POST", "/api/v1/app", {.body = body});
  EXPECT_EQ(taken.status, 409);
  EXPECT_EQ(taken.field("code"), "conflict");

  const Reply known = world.ask("POST", "/api/v1/app?get_if_exists=true", {.body = body});
  EXPECT_EQ(known.status, 200);
  EXPECT_EQ(known.field("id"), id);

  const Reply fresh = world.ask("POST", "/api/v1/app?get_if_exists=true",
                                {.body = R"({"name":"New","uid":"new"})"});
  EXPECT_EQ(fresh.status, 201);
}

TEST(ApplicationRoutes, TheSameUidInTwoOrganisationsIsTwoApplications) {
  ApiWorld world;
  const OrganisationId other(world.maker.make(world.clock.now));
  const std::string token = world.organisation_token(other);

  EXPECT_NE(world.make_application("acme"), world.make_application("acme", token));
}

TEST(ApplicationRoutes, AreListedOldestFirst) {
  ApiWorld world;
  const std::string a = world.make_application();
  const std::string b = world.make_application();
  const std::string c = world.make_application();
  const auto ids = [&](const std::string& query) {
    const Reply reply = world.ask("GET", "/api/v1/app" + query);
    EXPECT_EQ(reply.status, 200) << reply.body;
    const Result<JsonValue> json = parse_json(reply.body);
    std::string text;
    for (const auto& [name, value] : *json->as_object()) {
      if (name == "data") {
        for (const JsonValue& item : *value.as_array()) {
          const std::string& id = *item.as_object()->front().second.as_string();
          text += id == a ? "a" : id == b ? "b" : id == c ? "c" : "?";
        }
      } else if (name == "done") {
        text += *value.as_bool() ? " done" : " more";
      }
    }
    return text;
  };

  EXPECT_EQ(ids(""), "abc done");
  EXPECT_EQ(ids("?order=descending"), "cba done");
  EXPECT_EQ(ids("?limit=2"), "ab more");
  EXPECT_EQ(ids("?limit=2&iterator=" + b), "c done");
  EXPECT_EQ(ids("?limit=2&iterator=-" + c), "ab done");
  EXPECT_EQ(ids("?limit=1&iterator=-" + c), "b more");
  EXPECT_EQ(ids("?iterator=" + c), " done");
}

TEST(ApplicationRoutes, BadInputNamesTheFieldAndTheReason) {
  ApiWorld world;
  const std::vector<std::array<std::string, 3>> cases = {
      {R"({})", R"(["body","name"])", "is missing"},
      {R"({"name":""})", R"(["body","name"])", "must not be empty"},
      {R"({"name":null})", R"(["body","name"])", "must be a string, not null"},
      {"{\"name\":\"a\\u0007\"}", R"(["body","name"])", "must not hold control characters"},
      {R"({"name":"a","uid":"app_1"})", R"(["body","uid"])",
       R"(must not begin with \"app_\", as ids do)"},
      {R"({"name":"a","throttleRate":0})", R"(["body","throttleRate"])", "must be 1 to 65535"},
      {R"({"name":"a","rateLimit":"9"})", R"(["body","rateLimit"])",
       "must be a whole number, not a string"},
      {R"({"name":"a","metadata":{"k":1}})", R"(["body","metadata","k"])",
       "must be a string, not a number"},
      {R"({"name":"a","timeout":"1h"})", R"(["body","timeout"])", "must be 1s to 5m"},
      {R"({"name":"a","maxInFlight":1001})", R"(["body","maxInFlight"])", "must be 1 to 1000"},
  };
  for (const auto& [body, loc, message] : cases) {
    const Reply reply = world.ask("POST", "/api/v1/app", {.body = body});
    EXPECT_EQ(reply.status, 422) << body;
    EXPECT_EQ(reply.body, R"({"detail":[{"loc":)" + loc + R"(,"msg":")" + message +
                              R"(","type":"value_error"}]})");
  }
}

TEST(ApplicationRoutes, ABodyThatIsNoJsonIsADecodeError) {
  ApiWorld world;
  for (const char* body : {"", "{", "[]", "nonsense", "{\"name\":\"a\"} x"}) {
    const Reply reply = world.ask("POST", "/api/v1/app", {.body = body});
    EXPECT_EQ(reply.status, 422) << body;
    EXPECT_NE(reply.body.find(R"({"detail":[{"loc":["body"],"msg":")"), std::string::npos);
    EXPECT_NE(reply.body.find(R"("type":"value_error.jsondecode"}]})"), std::string::npos);
  }
}

TEST(ApplicationRoutes, BadQueriesNameTheParameter) {
  ApiWorld world;
  for (const auto& [query, name] : std::vector<std::pair<std::string, std::string>>{
           {"limit=0", "limit"},
           {"limit=251", "limit"},
           {"limit=ten", "limit"},
           {"limit=99999999999999999999", "limit"},
           {"order=up", "order"},
           {"iterator=app_", "iterator"},
           {"iterator=app_!!!!!!!!!!!!!!!!!!!!!!!!!!!", "iterator"},
           {"iterator=ep_23rb8YdGqMT0qIzpgGwdXfHirMu", "iterator"},
           {"iterator=--app_23rb8YdGqMT0qIzpgGwdXfHirMu", "iterator"}}) {
    const Reply reply = world.ask("GET", "/api/v1/app?" + query);
    EXPECT_EQ(reply.status, 422) << query;
    EXPECT_NE(reply.body.find(R"("loc":["query",")" + name + R"("])"), std::string::npos)
        << reply.body;
  }
  EXPECT_EQ(world.ask("GET", "/api/v1/app?limit=250").status, 200);
}

TEST(ApplicationRoutes, PutMakesOrReplaces) {
  ApiWorld world;
  // The uid comes from the body alone, whatever the path says.
  const Reply nameless = world.ask("PUT", "/api/v1/app/acme", {.body = R"({"name":"Acme"})"});
  ASSERT_EQ(nameless.status, 201) << nameless.body;
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme").status, 404);

  const Reply made = world.ask("PUT", "/api/v1/app/acme",
                               {.body = R"({"name":"Acme","uid":"acme","rateLimit":7,)"
                                        R"("metadata":{"k":"v"},"timeout":"5s"})"});
  ASSERT_EQ(made.status, 201) << made.body;
  world.advance(std::chrono::seconds(1));
  const Reply replaced =
      world.ask("PUT", "/api/v1/app/acme", {.body = R"({"name":"New","uid":"acme2"})"});
  EXPECT_EQ(replaced.status, 200);
  EXPECT_EQ(replaced.body,
            R"({"id":")" + made.field("id") +
                R"(","name":"New","uid":"acme2","throttleRate":null,"retryPolicy":null,)"
                R"("maxInFlight":null,"timeout":null,"guards":null,"metadata":{},)"
                R"("retention":null,"retentionPayloads":null,"retentionAttempts":null,)"
                R"("retentionDeadLetters":null,)"
                R"("createdAt":"2027-01-15T08:00:00.000000Z",)"
                R"("updatedAt":"2027-01-15T08:00:01.000000Z"})");
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme2").body, replaced.body);
  EXPECT_EQ(world.ask("PUT", "/api/v1/app/acme2", {.body = "{}"}).status, 422);

  const Reply taken = world.ask("PUT", "/api/v1/app/" + nameless.field("id"),
                                {.body = R"({"name":"A","uid":"acme2"})"});
  EXPECT_EQ(taken.status, 409);
}

TEST(ApplicationRoutes, OfTwoUpsertsAtOnceOneMakesAndTheOtherReplaces) {
  ApiWorld world;
  const std::vector<Reply> replies =
      world.ask_at_once({{"PUT", "/api/v1/app/acme", R"({"name":"First","uid":"acme"})"},
                         {"PUT", "/api/v1/app/acme", R"({"name":"Second","uid":"acme"})"}});
  EXPECT_EQ(replies[0].status, 201);
  EXPECT_EQ(replies[1].status, 200) << replies[1].body;
  EXPECT_EQ(replies[0].field("id"), replies[1].field("id"));
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme").field("name"), "Second");
}

TEST(ApplicationRoutes, PatchTellsAbsentNullAndValueApart) {
  ApiWorld world;
  const std::string path = "/api/v1/app/" + world.make_application("acme");
  const auto patch = [&](const std::string& body) {
    return world.ask("PATCH", path, {.body = body});
  };
  Reply reply = patch(R"({"throttleRate":3,"metadata":{"k":"v"},"retryPolicy":"svix",)"
                      R"("maxInFlight":4,"timeout":"30s","guards":{"openAfter":5}})");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_NE(reply.body.find(
                R"("uid":"acme","throttleRate":3,"rateLimit":3,"retryPolicy":"svix",)"
                R"("maxInFlight":4,"timeout":"30s","guards":{"openAfter":5},"metadata":{"k":"v"})"),
            std::string::npos)
      << reply.body;
  EXPECT_EQ(patch("{}").body, reply.body);

  reply = patch(R"({"uid":null,"rateLimit":null,"metadata":null,"retryPolicy":null,)"
                R"("maxInFlight":null,"timeout":null,"guards":null})");
  EXPECT_NE(reply.body.find(R"("name":"An application","throttleRate":null,"retryPolicy":null,)"
                            R"("maxInFlight":null,"timeout":null,"guards":null,"metadata":{})"),
            std::string::npos)
      << reply.body;
  EXPECT_EQ(world.ask("GET", path).body, reply.body);
  EXPECT_EQ(world.ask("GET", "/api/v1/app/acme").status, 404);

  const Reply refused = patch(R"({"name":null})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find(R"("loc":["body","name"])"), std::string::npos) << refused.body;
}

TEST(ApplicationRoutes, ADeletedApplicationIsGoneAndItsUidFree) {
  ApiWorld world;
  const std::string id = world.make_application("acme");
  const std::string endpoint = world.make_endpoint("acme");
  const Reply deleted = world.ask("DELETE", "/api/v1/app/acme");
  EXPECT_EQ(deleted.status, 204);
  EXPECT_EQ(deleted.body, "");

  for (const std::string& path : {"/api/v1/app/" + id, std::string("/api/v1/app/acme"),
                                  "/api/v1/app/" + id + "/endpoint/" + endpoint}) {
    EXPECT_EQ(world.ask("GET", path).status, 404) << path;
  }
  EXPECT_EQ(world.ask("DELETE", "/api/v1/app/" + id).status, 404);
  EXPECT_EQ(world.ask("GET", "/api/v1/app").body, R"({"data":[],"iterator":null,"done":true})");
  EXPECT_NE(world.make_application("acme"), id);
}

TEST(ApplicationRoutes, APlanOfRetentionIsSetChangedAndCleared) {
  ApiWorld world;
  const std::string id = world.make_application("acme");
  const auto patched = [&](const std::string& body) {
    return world.ask("PATCH", "/api/v1/app/acme", {.body = body});
  };

  Reply reply =
      patched(R"({"retention":"72h","retentionPayloads":"1h","retentionDeadLetters":"90d"})");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.field("retention"), "3d");
  EXPECT_EQ(reply.field("retentionPayloads"), "1h");
  EXPECT_EQ(reply.field("retentionDeadLetters"), "90d");
  reply = patched(R"({"retentionPayloads":null})");
  EXPECT_NE(reply.body.find(R"("retention":"3d","retentionPayloads":null,)"), std::string::npos);

  reply = world.ask("PUT", "/api/v1/app/acme",
                    {.body = R"({"name":"Acme","uid":"acme","retentionAttempts":"30d"})"});
  EXPECT_NE(
      reply.body.find(R"("retention":null,"retentionPayloads":null,"retentionAttempts":"30d")"),
      std::string::npos)
      << reply.body;

  for (const char* period : {R"("59m")", R"("3651d")", R"(3)", R"("soon")"}) {
    const Reply bad = patched(std::string(R"({"retention":)") + period + "}");
    EXPECT_EQ(bad.status, 422) << period;
    EXPECT_NE(bad.body.find(R"("retention")"), std::string::npos) << bad.body;
  }
}

TEST(ApplicationRoutes, SayHowMuchIsKeptAndForHowLong) {
  ApiWorld world;
  const std::string id = world.make_application("acme");
  world.make_message("acme");
  const std::string gone = world.make_message("acme");
  world.ask("DELETE", "/api/v1/app/acme/msg/" + gone + "/content");
  world.ask("PATCH", "/api/v1/app/acme", {.body = R"({"retention":"3d"})"});

  const Reply reply = world.ask("GET", "/api/v1/app/acme/storage");

  EXPECT_EQ(reply.status, 200);
  const auto bytes = world.store.kept(ApplicationId::parse(id).value())->payload_bytes;
  EXPECT_GT(bytes, 0U);
  EXPECT_EQ(reply.body, R"({"messages":2,"payloads":1,"payloadBytes":)" + std::to_string(bytes) +
                            R"(,"retention":"3d","retentionPayloads":"3d",)"
                            R"("retentionAttempts":"3d","retentionDeadLetters":"3d"})");
  EXPECT_EQ(world.ask("GET", "/api/v1/app/nobody/storage").status, 404);
}

}  // namespace
}  // namespace petrel::api
