#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

struct EventTypeRoutes : testing::Test {
  Reply post(const std::string& body) {
    return world.ask("POST", "/api/v1/event-type", {.body = body});
  }
  Reply ask(const char* method, const std::string& name, const std::string& body = "") {
    return world.ask(method, "/api/v1/event-type/" + name, {.body = body});
  }
  void make(const std::string& name, const std::string& more = "") {
    EXPECT_EQ(post(R"({"name":")" + name + R"(","description":"d")" + more + "}").status, 201);
  }

  // The names of a page, then whether it is the last.
  std::string names(const std::string& query, const std::string& token = "") {
    const Reply reply = world.ask("GET", "/api/v1/event-type" + query, {.token = token});
    EXPECT_EQ(reply.status, 200) << reply.body;
    std::string text;
    const Result<JsonValue> json = parse_json(reply.body);
    for (const auto& [field, value] : *json->as_object()) {
      if (field == "data") {
        for (const JsonValue& item : *value.as_array()) {
          text += *item.as_object()->front().second.as_string() + " ";
        }
      } else if (field == "done") {
        text += *value.as_bool() ? "done" : "more";
      }
    }
    return text;
  }

  ApiWorld world;
};

TEST_F(EventTypeRoutes, ATypeIsMadeAndItsSchemasKeptToTheByte) {
  const std::string schemas = R"({ "1": {"type" : "object", "properties":{"n":{"minimum":1.50}}}})";
  const Reply made = post(R"({"name":"invoice.paid","description":"Paid","schemas":)" + schemas +
                          R"(,"featureFlag":"beta","groupName":"invoice","unknown":1})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.body,
            R"({"name":"invoice.paid","description":"Paid","archived":false,"deprecated":false,)"
            R"("schemas":)" +
                schemas +
                R"(,"validate":false,"groupName":"invoice","featureFlag":"beta",)"
                R"("featureFlags":["beta"],"createdAt":"2027-01-15T08:00:00.000000Z",)"
                R"("updatedAt":"2027-01-15T08:00:00.000000Z"})");
  EXPECT_EQ(ask("GET", "invoice.paid").body, made.body);

  const Reply exists = post(R"({"name":"invoice.paid","description":"Again"})");
  EXPECT_EQ(exists.status, 409);
  EXPECT_EQ(exists.field("code"), "event_type_exists");
}

TEST_F(EventTypeRoutes, DeletingArchivesAndMakingItAgainRevives) {
  make("a", R"(,"groupName":"g")");
  EXPECT_EQ(ask("DELETE", "a").status, 204);
  EXPECT_NE(ask("GET", "a").body.find(R"("archived":true)"), std::string::npos);
  EXPECT_EQ(names(""), "done");
  EXPECT_EQ(names("?include_archived=true"), "a done");

  world.advance(std::chrono::seconds(1));
  const Reply revived = post(R"({"name":"a","description":"new"})");
  EXPECT_EQ(revived.status, 201);
  EXPECT_NE(revived.body.find(R"("description":"new","archived":false)"), std::string::npos);
  EXPECT_EQ(revived.field("createdAt"), "2027-01-15T08:00:00.000000Z");
  EXPECT_EQ(revived.field("groupName"), "null");

  EXPECT_EQ(ask("DELETE", "a?expunge=true").status, 204);
  EXPECT_EQ(ask("GET", "a").status, 404);
  EXPECT_EQ(ask("DELETE", "a").status, 404);
}

TEST_F(EventTypeRoutes, PutMakesOrReplacesAndPatchChanges) {
  const Reply made = ask("PUT", "a", R"({"description":"d","schemas":{"1":{}},"deprecated":true})");
  EXPECT_EQ(made.status, 201) << made.body;
  const Reply patched = ask("PATCH", "a", R"({"featureFlags":["x","y","x"]})");
  EXPECT_EQ(patched.status, 200);
  EXPECT_NE(patched.body.find(R"("deprecated":true,"schemas":{"1":{}},"validate":false,)"
                              R"("groupName":null,"featureFlag":"x","featureFlags":["x","y"])"),
            std::string::npos)
      << patched.body;
  EXPECT_NE(ask("PATCH", "a", R"({"schemas":null,"featureFlag":null})")
                .body.find(R"("schemas":null,"validate":false,"groupName":null,)"
                           R"("featureFlag":null,"featureFlags":null)"),
            std::string::npos);
  const Reply replaced = ask("PUT", "a", R"({"description":"e"})");
  EXPECT_EQ(replaced.status, 200);
  EXPECT_NE(replaced.body.find(R"("description":"e","archived":false,"deprecated":false)"),
            std::string::npos);
  EXPECT_EQ(ask("PATCH", "none", "{}").status, 404);
}

TEST_F(EventTypeRoutes, AreListedByNameInPages) {
  for (const char* name : {"b", "a", "d", "c"}) make(name, R"(,"schemas":{"1":{"title":"T"}})");
  EXPECT_EQ(names(""), "a b c d done");
  EXPECT_EQ(names("?order=descending"), "d c b a done");
  EXPECT_EQ(names("?limit=2"), "a b more");
  EXPECT_EQ(names("?limit=2&iterator=b"), "c d done");
  EXPECT_EQ(names("?limit=2&iterator=bb"), "c d done");
  EXPECT_EQ(names("?limit=2&iterator=-d"), "b c more");
  EXPECT_EQ(names("?limit=2&iterator=-b"), "a done");
  EXPECT_EQ(names("?iterator=d"), "done");
  const std::string page = world.ask("GET", "/api/v1/event-type?limit=1").body;
  EXPECT_NE(page.find(R"("schemas":null)"), std::string::npos) << page;
  EXPECT_NE(page.find(R"("iterator":"a","prevIterator":"-a","done":false})"), std::string::npos);
  EXPECT_NE(world.ask("GET", "/api/v1/event-type?with_content=true").body.find(R"("title":"T")"),
            std::string::npos);
  const Reply malformed = world.ask("GET", "/api/v1/event-type?iterator=a%20b");
  EXPECT_EQ(malformed.status, 422);
  EXPECT_NE(malformed.body.find(R"("loc":["query","iterator"])"), std::string::npos);
}

TEST_F(EventTypeRoutes, APortalSeesThoseOfItsFlags) {
  make("open");
  make("beta.one", R"(,"featureFlags":["beta","other"])");
  make("secret.one", R"(,"featureFlag":"secret")");
  const ApplicationId application = *ApplicationId::parse(world.make_application());
  const std::string token = world.token_of(
      {.organisation = world.organisation, .application = application, .feature_flags = {"beta"}});
  EXPECT_EQ(names("", token), "beta.one open done");
  EXPECT_EQ(names(""), "beta.one open secret.one done");
  const auto status = [&](const char* method, const std::string& name) {
    return world.ask(method, "/api/v1/event-type/" + name, {.body = "{}", .token = token}).status;
  };
  EXPECT_EQ(status("GET", "beta.one"), 200);
  EXPECT_EQ(status("GET", "secret.one"), 404);
  EXPECT_EQ(status("PATCH", "open"), 403);
  EXPECT_EQ(status("DELETE", "open"), 403);
}

TEST_F(EventTypeRoutes, BadInputNamesTheFieldAndTheReason) {
  const std::vector<std::array<std::string, 3>> cases = {
      {R"({"description":"d"})", R"(["body","name"])", "is missing"},
      {R"({"name":"a"})", R"(["body","description"])", "is missing"},
      {R"({"name":"a b","description":"d"})", R"(["body","name"])", ""},
      {R"({"name":"-a","description":"d"})", R"(["body","name"])", "must not begin with '-'"},
      {R"({"name":"a","description":"\u0001"})", R"(["body","description"])",
       "must not hold control characters"},
      {R"({"name":"a","description":"d","schemas":[]})", R"(["body","schemas"])", ""},
      {R"({"name":"a","description":"d","schemas":{"1":{"type":"text"}}})",
       R"(["body","schemas","1","type"])", R"(\"text\" is not a type of JSON)"},
      {R"({"name":"a","description":"d","featureFlags":["a b"]})",
       R"(["body","featureFlags","[0]"])", ""},
      {R"({"name":"a","description":"d","validate":true})", R"(["body","validate"])",
       "needs a schema that payloads can be checked against"},
      {R"({"name":"a","description":"d","validate":true,"schemas":{"x":{}}})",
       R"(["body","schemas"])", ""},
      {R"({"name":"a","description":"d","validate":true,"schemas":{"1":{"$ref":"http://x"}}})",
       R"(["body","schemas","1","$ref"])", ""},
  };
  for (const auto& [body, loc, message] : cases) {
    const Reply reply = post(body);
    EXPECT_EQ(reply.status, 422) << body;
    EXPECT_EQ(reply.body.find(R"({"detail":[{"loc":)" + loc + R"(,"msg":")" + message), 0U)
        << reply.body;
  }
  EXPECT_EQ(names("?include_archived=true"), "done");
  // What cannot be checked may be kept as a description.
  make("a", R"(,"schemas":{"1":{"$ref":"http://x"}})");
  EXPECT_EQ(ask("PATCH", "a", R"({"validate":true})").status, 422);
}

TEST_F(EventTypeRoutes, EndpointsMayAskOnlyForDescribedTypes) {
  world.make_application("acme");
  const auto endpoint = [&](const std::string& types) {
    return world.ask("POST", "/api/v1/app/acme/endpoint",
                     {.body = R"({"url":"https://example.com","eventTypes":)" + types + "}"});
  };
  // Types need not be described.
  const Reply before = endpoint(R"(["any.thing"])");
  EXPECT_EQ(before.status, 201);
  make("a");
  make("b");
  EXPECT_EQ(endpoint(R"(["a","b"])").status, 201);
  ask("DELETE", "b");
  const Reply refused = endpoint(R"(["a","b"])");
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find(R"("loc":["body","eventTypes","[1]"])"), std::string::npos)
      << refused.body;
  // What is not mentioned is not asked about.
  const std::string path = "/api/v1/app/acme/endpoint/" + before.field("id");
  EXPECT_EQ(world.ask("PATCH", path, {.body = R"({"description":"d"})"}).status, 200);
  EXPECT_EQ(world.ask("PATCH", path, {.body = R"({"filterTypes":["any.thing"]})"}).status, 422);
  EXPECT_EQ(world.ask("PATCH", path, {.body = R"({"filterTypes":null})"}).status, 200);
}

}  // namespace
}  // namespace petrel::api
