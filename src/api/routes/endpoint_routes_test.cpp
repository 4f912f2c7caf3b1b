#include <gtest/gtest.h>

#include "api/json/header_rules.h"
#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

struct EndpointRoutes : testing::Test {
  Reply post(const std::string& body) { return world.ask("POST", root, {.body = body}); }
  Reply patch(const std::string& id, const std::string& body) {
    return world.ask("PATCH", root + "/" + id, {.body = body});
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string root = "/api/v1/app/acme/endpoint";
};

TEST_F(EndpointRoutes, AnEndpointIsMadeInTheWordsOfBothClientGenerations) {
  const Reply made = post(R"({"url":"https://Example.com","description":"Billing","uid":"e1",)"
                          R"("filterTypes":["a","b","a"],"channels":["eu"],"rateLimit":5,)"
                          R"("metadata":{"k":"v"},"version":3,"maxInFlight":4,"timeout":"30s",)"
                          R"("retryPolicy":{"strategy":"fixed","baseDelay":"10s"}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.body,
            R"({"id":")" + made.field("id") +
                R"(","url":"https://example.com/","description":"Billing","uid":"e1","version":1,)"
                R"("disabled":false,"pause":null,"eventTypes":["a","b"],"filterTypes":["a","b"],)"
                R"("channels":["eu"],"throttleRate":5,"rateLimit":5,)"
                R"("retryPolicy":{"strategy":"fixed","baseDelay":"10s","maxDelay":"1d",)"
                R"("jitter":"equal","maxAttempts":10,"giveUpAfter":"4d","retryAfterCap":"1d"},)"
                R"("maxInFlight":4,"timeout":"30s","guards":null,"metadata":{"k":"v"},)"
                R"("createdAt":"2027-01-15T08:00:00.000000Z",)"
                R"("updatedAt":"2027-01-15T08:00:00.000000Z"})");
  EXPECT_EQ(world.ask("GET", root + "/e1").body, made.body);
  EXPECT_EQ(world.ask("GET", root + "/" + made.field("id")).body, made.body);
}

TEST_F(EndpointRoutes, LeavesOutWhatIsNotSet) {
  const Reply made = post(R"({"url":"http://127.0.0.1:9000/hook?a=1"})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(
      made.body,
      R"({"id":")" + made.field("id") +
          R"(","url":"http://127.0.0.1:9000/hook?a=1","description":"","version":1,)"
          R"("disabled":false,"pause":null,"eventTypes":null,"filterTypes":null,)"
          R"("channels":null,"throttleRate":null,"retryPolicy":null,"maxInFlight":null,)"
          R"("timeout":null,"guards":null,"metadata":{},"createdAt":"2027-01-15T08:00:00.000000Z",)"
          R"("updatedAt":"2027-01-15T08:00:00.000000Z"})");
}

TEST(EndpointAddress, OneThatNoMessageMayGoToIsRefusedWithTheSettingThatAllowsIt) {
  ApiWorld world(nullptr, net::AddressGuard::make("10.0.0.0/8", {}).value());
  world.make_application("acme");
  const auto post = [&](const std::string& url) {
    return world.ask("POST", "/api/v1/app/acme/endpoint", {.body = R"({"url":")" + url + "\"}"});
  };
  for (const std::string url : {"http://169.254.169.254/", "http://[::ffff:127.0.0.1]/",
                                "http://127.0.0.1:9000/hook", "https://[::1]/"}) {
    const Reply refused = post(url);
    EXPECT_EQ(refused.status, 422) << url;
    EXPECT_NE(refused.body.find(R"("loc":["body","url"])"), std::string::npos) << refused.body;
    EXPECT_NE(refused.body.find("allow-subnets"), std::string::npos) << refused.body;
  }
  for (const std::string url : {"http://10.1.2.3/", "http://93.184.216.34/", "http://localhost/"}) {
    EXPECT_EQ(post(url).status, 201) << url;
  }
}

TEST(EndpointAddress, AnEndpointThatIsThereMayBeChangedButNotMovedToARefusedAddress) {
  ApiWorld world(nullptr, net::AddressGuard());
  world.make_application("acme");
  const std::string id = world.make_endpoint("acme");
  const std::string path = "/api/v1/app/acme/endpoint/" + id;
  const std::string url = world.ask("GET", path).field("url");
  EXPECT_EQ(world.ask("PATCH", path, {.body = R"({"url":"http://10.0.0.1/"})"}).status, 422);
  EXPECT_EQ(world.ask("PUT", path, {.body = R"({"url":"http://10.0.0.1/"})"}).status, 422);
  EXPECT_EQ(world.ask("PATCH", path, {.body = R"({"description":"x"})"}).status, 200);
  EXPECT_EQ(world.ask("GET", path).field("url"), url);
}

TEST_F(EndpointRoutes, TheSecretIsTheOneGivenOrAGoodOne) {
  const std::string given = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const std::string id = world.make_endpoint("acme", R"(,"secret":")" + given + "\"");
  EXPECT_EQ(world.ask("GET", root + "/" + id + "/secret").body, R"({"key":")" + given + R"("})");

  const std::string a = world.ask("GET", root + "/" + world.make_endpoint("acme") + "/secret").body;
  const std::string b = world.ask("GET", root + "/" + world.make_endpoint("acme") + "/secret").body;
  EXPECT_EQ(a.substr(0, 14), R"({"key":"whsec_)");
  EXPECT_NE(a, b);
}

TEST_F(EndpointRoutes, OnlyThePublicHalfOfAnAsymmetricSecretIsShown) {
  const signature::Secret secret = signature::Secret::generate_asymmetric(world.random);
  const std::string id = world.make_endpoint("acme", R"(,"secret":")" + secret.reveal() + "\"");
  EXPECT_EQ(world.ask("GET", root + "/" + id + "/secret").field("key"), *secret.public_text());
}

TEST_F(EndpointRoutes, HeadersAreKeptAndNeverShown) {
  const std::string id =
      world.make_endpoint("acme", R"(,"headers":{"X-Api-Key":"s3cret","x-b":"2"})");
  const auto endpoint = world.catalogue.endpoint(*EndpointId::parse(id));
  ASSERT_NE(endpoint, nullptr);
  EXPECT_EQ(endpoint->headers, (std::vector<std::pair<std::string, std::string>>{
                                   {"X-Api-Key", "s3cret"}, {"x-b", "2"}}));
  EXPECT_EQ(world.ask("GET", root + "/" + id).body.find("s3cret"), std::string::npos);
}

TEST_F(EndpointRoutes, PatchTellsAbsentNullAndValueApart) {
  const std::string id = world.make_endpoint(
      "acme",
      R"(,"uid":"e1","description":"d","eventTypes":["a"],"channels":["eu"],"throttleRate":5,)"
      R"("retryPolicy":"standard-webhooks","maxInFlight":4,"timeout":"30s")");
  const std::string before = world.ask("GET", root + "/" + id).body;
  EXPECT_NE(before.find(R"("retryPolicy":"standard-webhooks")"), std::string::npos);

  world.advance(std::chrono::seconds(1));
  Reply reply = patch(id, "{}");
  EXPECT_EQ(reply.status, 200);
  const std::string changed = "\"updatedAt\":\"2027-01-15T08:00:01.000000Z\"}";
  EXPECT_EQ(reply.body, before.substr(0, before.find("\"updatedAt\"")) + changed);

  reply = patch(id, R"({"description":"new","disabled":true,"url":"https://other.example/x"})");
  EXPECT_NE(reply.body.find(R"("url":"https://other.example/x","description":"new","uid":"e1")"),
            std::string::npos);
  EXPECT_NE(reply.body.find(R"("disabled":true,"pause":null,"eventTypes":["a"])"),
            std::string::npos);

  reply = patch(id, R"({"uid":null,"eventTypes":null,"channels":null,"throttleRate":null,)"
                    R"("retryPolicy":null,"maxInFlight":null,"timeout":null})");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body.find(R"("uid")"), std::string::npos);
  EXPECT_NE(reply.body.find(R"("eventTypes":null,"filterTypes":null,"channels":null,)"
                            R"("throttleRate":null,"retryPolicy":null,"maxInFlight":null,)"
                            R"("timeout":null)"),
            std::string::npos)
      << reply.body;
  EXPECT_EQ(world.ask("GET", root + "/" + id).body, reply.body);
  EXPECT_EQ(world.ask("GET", root + "/e1").status, 404);
}

TEST_F(EndpointRoutes, PatchLeavesTheSecretAndHeadersAlone) {
  const std::string id = world.make_endpoint("acme", R"(,"headers":{"x-b":"2"})");
  const std::string secret = world.ask("GET", root + "/" + id + "/secret").body;

  patch(id, R"({"description":"d","secret":null,"headers":{}})");

  EXPECT_EQ(world.ask("GET", root + "/" + id + "/secret").body, secret);
  EXPECT_EQ(world.catalogue.endpoint(*EndpointId::parse(id))->headers.size(), 1U);
}

TEST_F(EndpointRoutes, AUidIsTakenOnceInAnApplication) {
  world.make_endpoint("acme", R"(,"uid":"e1")");
  EXPECT_EQ(post(R"({"url":"https://example.com","uid":"e1"})").status, 409);
  const std::string other = world.make_endpoint("acme", R"(,"uid":"e2")");
  EXPECT_EQ(patch(other, R"({"uid":"e1"})").status, 409);
  EXPECT_EQ(world.ask("GET", root + "/e2").field("id"), other);
}

TEST_F(EndpointRoutes, AreListedNewestFirst) {
  const std::string a = world.make_endpoint("acme");
  const std::string b = world.make_endpoint("acme");
  const std::string body = world.ask("GET", root).body;
  EXPECT_LT(body.find(b), body.find(a));
  EXPECT_NE(body.find(R"("iterator":")" + a + R"(","prevIterator":"-)" + b + R"(","done":true})"),
            std::string::npos)
      << body;
  const std::string turned = world.ask("GET", root + "?order=ascending&limit=1").body;
  EXPECT_NE(
      turned.find(R"("iterator":")" + a + R"(","prevIterator":"-)" + a + R"(","done":false})"),
      std::string::npos)
      << turned;
}

TEST_F(EndpointRoutes, BadInputNamesTheFieldAndTheReason) {
  const std::string url = R"("url":"https://example.com")";
  const std::vector<std::array<std::string, 3>> cases = {
      {"{}", R"(["body","url"])", "is missing"},
      {R"({"url":7})", R"(["body","url"])", "must be a URL as a string, not a number"},
      {"{" + url + R"(,"eventTypes":[]})", R"(["body","eventTypes"])",
       "must be null, for all event types, or name at least one"},
      {"{" + url + R"(,"filterTypes":["a","b c"]})", R"(["body","filterTypes","[1]"])",
       R"(\"b c\" may hold only letters, digits, '-', '_' and '.')"},
      {"{" + url + R"(,"channels":[]})", R"(["body","channels"])",
       "must be null or 1 to 10 channels"},
      {"{" + url + R"(,"channels":["a",7]})", R"(["body","channels","[1]"])",
       "must be a string, not a number"},
      {"{" + url + R"(,"disabled":null})", R"(["body","disabled"])",
       "must be true or false, not null"},
      {"{" + url + R"(,"version":0})", R"(["body","version"])", "must be 1 to 65535"},
      {"{" + url + R"(,"uid":"ep_1"})", R"(["body","uid"])",
       R"(must not begin with \"ep_\", as ids do)"},
      {"{" + url + R"(,"headers":{"Content-Type":"x"}})", R"(["body","headers","Content-Type"])",
       R"(\"Content-Type\" is set by the server and cannot be changed)"},
      {"{" + url + R"(,"headers":{"X-Amz-Id":"x"}})", R"(["body","headers","X-Amz-Id"])",
       "is a header that cannot be set"},
      {"{" + url + R"(,"headers":{"x-a":"1\r\nx-b: 2"}})", R"(["body","headers","x-a"])",
       R"(the value of \"x-a\" holds characters that no header may have)"},
      {"{" + url + R"(,"headers":{"x a":"1"}})", R"(["body","headers","x a"])",
       R"(\"x a\" is not the name of a header)"},
      {"{" + url + R"(,"headers":{"x-a":"1","X-A":"2"}})", R"(["body","headers","X-A"])",
       "appears twice, in another spelling"},
      {"{" + url + R"(,"retryPolicy":{"rules":[{"on":"404","action":"fail"},{"on":"x"}]}})",
       R"(["body","retryPolicy","rules","[1]","on"])", ""},
      {"{" + url + R"(,"retryPolicy":"nope"})", R"(["body","retryPolicy"])", ""},
      {"{" + url + R"(,"guards":{"openAfter":0}})", R"(["body","guards","openAfter"])",
       "must be 1 to 10000"},
      {"{" + url + R"(,"timeout":"500ms"})", R"(["body","timeout"])", "must be 1s to 5m"},
      {"{" + url + R"(,"maxInFlight":0})", R"(["body","maxInFlight"])", "must be 1 to 1000"},
      {"{" + url + R"(,"secret":"whsec_short"})", R"(["body","secret"])", ""},
  };
  for (const auto& [body, loc, message] : cases) {
    const Reply reply = post(body);
    EXPECT_EQ(reply.status, 422) << body;
    EXPECT_EQ(reply.body.find(R"({"detail":[{"loc":)" + loc + R"(,"msg":")" + message), 0U)
        << reply.body;
    EXPECT_NE(reply.body.find(R"("type":"value_error"}]})"), std::string::npos);
  }
  EXPECT_EQ(world.ask("GET", root).body, R"({"data":[],"iterator":null,"done":true})");
}

TEST_F(EndpointRoutes, AUrlThatCannotBeDialledIsRefused) {
  for (const char* url : {"", "ftp://example.com", "example.com", "https://", "https://a b.com",
                          "https://user:pw@example.com", "https://example.com\\u0000",
                          "https://example.com:0", "https://example.com:70000"}) {
    const Reply reply = post(std::string(R"({"url":")") + url + R"("})");
    EXPECT_EQ(reply.status, 422) << url;
    EXPECT_NE(reply.body.find(R"("loc":["body","url"])"), std::string::npos) << reply.body;
  }
}

TEST_F(EndpointRoutes, ARefusedPatchChangesNothing) {
  const std::string id = world.make_endpoint("acme");
  const std::string before = world.ask("GET", root + "/" + id).body;
  const Reply reply = patch(id, R"({"description":"new","url":null})");
  EXPECT_EQ(reply.status, 422);
  EXPECT_EQ(world.ask("GET", root + "/" + id).body, before);
  EXPECT_EQ(patch("ep_23rb8YdGqMT0qIzpgGwdXfHirMu", "{}").status, 404);
}

TEST_F(EndpointRoutes, PutMakesOrReplaces) {
  const auto put = [&](const std::string& name, const std::string& body) {
    return world.ask("PUT", root + "/" + name, {.body = body});
  };
  const Reply made = put("e1", R"({"url":"https://example.com","uid":"e1","channels":["eu"],)"
                               R"("throttleRate":5,"disabled":true,"timeout":"5s"})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string id = made.field("id");
  const std::string secret = world.ask("GET", root + "/e1/secret").body;
  world.ask("PUT", root + "/e1/headers", {.body = R"({"headers":{"x-a":"1"}})"});

  world.advance(std::chrono::seconds(1));
  const Reply replaced = put("e1", R"({"url":"https://other.example","uid":"e1"})");
  EXPECT_EQ(replaced.status, 200);
  EXPECT_EQ(
      replaced.body,
      R"({"id":")" + id +
          R"(","url":"https://other.example/","description":"","uid":"e1","version":1,)"
          R"("disabled":false,"pause":null,"eventTypes":null,"filterTypes":null,)"
          R"("channels":null,"throttleRate":null,"retryPolicy":null,"maxInFlight":null,)"
          R"("timeout":null,"guards":null,"metadata":{},"createdAt":"2027-01-15T08:00:00.000000Z",)"
          R"("updatedAt":"2027-01-15T08:00:01.000000Z"})");
  EXPECT_EQ(world.ask("GET", root + "/e1/secret").body, secret);
  EXPECT_EQ(world.ask("GET", root + "/e1/headers").body,
            R"({"headers":{"x-a":"1"},"sensitive":[]})");
  EXPECT_EQ(put("e1", R"({"description":"no url"})").status, 422);
  EXPECT_EQ(put(id, R"({"url":"https://example.com"})").status, 200);
  EXPECT_EQ(world.ask("GET", root + "/e1").status, 404);
}

TEST_F(EndpointRoutes, ADeletedEndpointIsGoneAndItsUidFree) {
  const std::string id = world.make_endpoint("acme", R"(,"uid":"e1")");
  EXPECT_EQ(world.ask("DELETE", root + "/e1").status, 204);
  EXPECT_EQ(world.ask("DELETE", root + "/e1").status, 404);
  for (const char* path : {"", "/secret", "/headers"}) {
    EXPECT_EQ(world.ask("GET", root + "/" + id + path).status, 404) << path;
  }
  EXPECT_EQ(patch(id, "{}").status, 404);
  EXPECT_NE(world.make_endpoint("acme", R"(,"uid":"e1")"), id);
}

TEST_F(EndpointRoutes, ASecretIsRotatedWithAGracePeriod) {
  const std::string id = world.make_endpoint("acme");
  const std::string path = root + "/" + id + "/secret";
  const std::string before = world.ask("GET", path).field("key");
  const std::string given = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const Reply rotated = world.ask(
      "POST", path + "/rotate", {.body = R"({"key":")" + given + R"(","gracePeriodSeconds":60})"});
  EXPECT_EQ(rotated.status, 200) << rotated.body;
  EXPECT_EQ(rotated.field("key"), given);
  EXPECT_EQ(world.ask("GET", path).field("key"), given);
  const signature::KeyRing keys = world.catalogue.endpoint(*EndpointId::parse(id))->keys;
  ASSERT_EQ(keys.old.size(), 1U);
  EXPECT_EQ(keys.old.front().secret.reveal(), before);
  EXPECT_EQ(keys.old.front().expires_at, world.clock.now + std::chrono::seconds(60));

  // Without a body the server chooses, and the old secret is good for a day.
  EXPECT_EQ(world.ask("POST", path + "/rotate").status, 200);
  EXPECT_NE(world.ask("GET", path).field("key"), given);
  EXPECT_EQ(world.catalogue.endpoint(*EndpointId::parse(id))->keys.old.front().expires_at,
            world.clock.now + std::chrono::hours(24));
}

TEST_F(EndpointRoutes, ARotationThatIsWrongChangesNothing) {
  const std::string path = root + "/" + world.make_endpoint("acme") + "/secret";
  const std::string before = world.ask("GET", path).body;
  for (const auto& [body, loc] : std::vector<std::pair<std::string, std::string>>{
           {R"({"gracePeriodSeconds":604801})", R"(["body","gracePeriodSeconds"])"},
           {R"({"gracePeriodSeconds":-1})", R"(["body","gracePeriodSeconds"])"},
           {R"({"key":"short"})", R"(["body","key"])"}}) {
    const Reply reply = world.ask("POST", path + "/rotate", {.body = body});
    EXPECT_EQ(reply.status, 422);
    EXPECT_NE(reply.body.find(R"("loc":)" + loc), std::string::npos) << reply.body;
  }
  EXPECT_EQ(world.ask("GET", path).body, before);

  for (int i = 0; i < 10; ++i) EXPECT_EQ(world.ask("POST", path + "/rotate").status, 200);
  const Reply limited = world.ask("POST", path + "/rotate");
  EXPECT_EQ(limited.status, 400);
  EXPECT_EQ(limited.field("code"), "limit_reached");
  world.advance(std::chrono::hours(24));
  EXPECT_EQ(world.ask("POST", path + "/rotate").status, 200);
}

TEST_F(EndpointRoutes, HeadersAreReplacedMergedAndShownWithoutSecrets) {
  const std::string path = root + "/" + world.make_endpoint("acme") + "/headers";
  const auto put = [&](const char* method, const std::string& body) {
    return world.ask(method, path, {.body = body});
  };
  EXPECT_EQ(put("PUT", R"({"headers":{"X-A":"1","Authorization":"s3cret","x-b":"2"}})").status,
            204);
  EXPECT_EQ(world.ask("GET", path).body,
            R"({"headers":{"X-A":"1","x-b":"2"},"sensitive":["Authorization"]})");

  EXPECT_EQ(put("PATCH", R"({"headers":{"x-a":"3","x-c":"4","x-b":null}})").status, 204);
  EXPECT_EQ(world.ask("GET", path).body,
            R"({"headers":{"x-a":"3","x-c":"4"},"sensitive":["Authorization"]})");

  EXPECT_EQ(
      put("PATCH", R"({"headers":{},"deleteHeaders":["AUTHORIZATION","X-C","x-none"]})").status,
      204);
  EXPECT_EQ(world.ask("GET", path).body, R"({"headers":{"x-a":"3"},"sensitive":[]})");

  EXPECT_EQ(put("PUT", R"({"headers":{}})").status, 204);
  EXPECT_EQ(world.ask("GET", path).body, R"({"headers":{},"sensitive":[]})");
}

TEST_F(EndpointRoutes, HeadersThatSoundLikeSecretsAreNotShown) {
  for (const char* name :
       {"Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "X-Acme-Token", "x_acme_secret",
        "X-Session", "Apikey", "X-AccessToken", "X-Hub-Secret", "X-Password", "PRIVATE-TOKEN",
        "Ocp-Apim-Subscription-Key", "X-Vault-Token", "X-Amx-Credential"}) {
    EXPECT_TRUE(is_sensitive_header(name)) << name;
  }
  for (const char* name : {"X-A", "X-Author", "X-Tenant", "X-Monkey", "X-Request-Id", "Accept",
                           "X-Compass", "X-Keyboard", ""}) {
    EXPECT_FALSE(is_sensitive_header(name)) << name;
  }
}

TEST_F(EndpointRoutes, BadHeadersAreRefusedByPutAndPatchAlike) {
  const std::string path = root + "/" + world.make_endpoint("acme") + "/headers";
  for (const char* method : {"PUT", "PATCH"}) {
    for (const auto& [headers, loc] : std::vector<std::pair<std::string, std::string>>{
             {R"({"svix-id":"1"})", "svix-id"},
             {R"({"x-a":"a\nb"})", "x-a"},
             {R"({"x-a":7})", "x-a"},
             {R"({"x-a":")" + std::string(4097, 'a') + "\"}", "x-a"}}) {
      const Reply reply = world.ask(method, path, {.body = R"({"headers":)" + headers + "}"});
      EXPECT_EQ(reply.status, 422) << headers;
      EXPECT_NE(reply.body.find(R"("loc":["body","headers",")" + loc + "\"]"), std::string::npos)
          << reply.body;
    }
  }
  EXPECT_EQ(world.ask("PUT", path, {.body = "{}"}).status, 422);
  EXPECT_EQ(world.ask("PUT", path, {.body = R"({"headers":{"x-a":null}})"}).status, 422);
}

TEST(EndpointSecret, MayBeReplacedByAPatchAsOlderClientsDo) {
  ApiWorld world;
  world.make_application("acme");
  const std::string path = "/api/v1/app/acme/endpoint/" + world.make_endpoint("acme");
  const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  EXPECT_EQ(world.ask("PATCH", path, {.body = R"({"secret":")" + secret + "\"}"}).status, 200);
  EXPECT_EQ(world.ask("GET", path + "/secret").body, R"({"key":")" + secret + "\"}");
  const Reply refused = world.ask("PATCH", path, {.body = R"({"secret":"rubbish"})"});
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find(R"(["body","secret"])"), std::string::npos);
  EXPECT_EQ(world.ask("GET", path + "/secret").body, R"({"key":")" + secret + "\"}");
}

}  // namespace
}  // namespace petrel::api
