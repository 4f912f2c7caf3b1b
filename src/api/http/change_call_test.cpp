#include "api/http/change_call.h"

#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

net::HttpHeaders key(const std::string& text) { return {{"Idempotency-Key", text}}; }

struct ChangeCall : testing::Test {
  Reply post(const std::string& path, const std::string& body, const std::string& with_key) {
    return world.ask("POST", path, {.body = body, .headers = key(with_key)});
  }
  std::size_t applications() const {
    return world.catalogue.applications_of(world.organisation).size();
  }

  ApiWorld world;
};

TEST_F(ChangeCall, TheSameKeyGivesTheFirstAnswerAgain) {
  const Reply first = post("/api/v1/app", R"({"name":"A","uid":"a"})", "k");
  ASSERT_EQ(first.status, 201);
  world.advance(std::chrono::hours(11));
  // A slash at the end does not make it another path.
  const Reply second = post("/api/v1/app/", R"({"name":"A","uid":"a"})", "k");
  EXPECT_EQ(second.status, 201);
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(applications(), 1U);

  world.advance(std::chrono::hours(1));
  EXPECT_EQ(post("/api/v1/app", R"({"name":"A","uid":"a"})", "k").status, 409);
}

TEST_F(ChangeCall, TheSameKeyWithAnotherBodyIsAConflict) {
  post("/api/v1/app", R"({"name":"A"})", "k");
  const Reply reply = post("/api/v1/app", R"({"name":"B"})", "k");
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(reply.body, R"({"code":"conflict",)"
                        R"("detail":"this idempotency key was used before, with another body"})");
  EXPECT_EQ(applications(), 1U);
}

TEST_F(ChangeCall, OfTwoAtOnceOneIsCarriedOutAndBothGetItsAnswer) {
  for (const char* body : {R"({"name":"A"})", R"({"name":"A","uid":"a"})"}) {
    const std::size_t before = applications();
    const std::vector<Reply> replies =
        world.ask_at_once({{"POST", "/api/v1/app", body, key(body)},
                           {"POST", "/api/v1/app", body, key(body)},
                           {"POST", "/api/v1/app", body, key(body)}});
    for (const Reply& reply : replies) {
      EXPECT_EQ(reply.status, 201) << reply.body;
      EXPECT_EQ(reply.body, replies.front().body);
    }
    EXPECT_EQ(applications(), before + 1);
  }
}

TEST_F(ChangeCall, WhatFailedMayBeAskedAgain) {
  world.make_application("taken");
  const std::string body = R"({"name":"A","uid":"taken"})";
  EXPECT_EQ(post("/api/v1/app", body, "k").status, 409);
  EXPECT_EQ(world.ask("DELETE", "/api/v1/app/taken").status, 204);
  EXPECT_EQ(post("/api/v1/app", body, "k").status, 201);
}

TEST_F(ChangeCall, AKeyCountsForOneCallerAndOnePath) {
  const std::string a = world.make_application("a");
  const std::string b = world.make_application("b");
  const std::string body = R"({"url":"https://example.com"})";
  const Reply first = post("/api/v1/app/a/endpoint", body, "k");
  const Reply other_path = post("/api/v1/app/b/endpoint", body, "k");
  EXPECT_NE(first.field("id"), other_path.field("id"));
  const Reply portal =
      world.ask("POST", "/api/v1/app/a/endpoint",
                {.body = body, .token = world.application_token(a), .headers = key("k")});
  EXPECT_EQ(portal.status, 201);
  EXPECT_NE(portal.field("id"), first.field("id"));

  const OrganisationId stranger(world.maker.make(world.clock.now));
  const std::string named = R"({"name":"A"})";
  const Reply ours = post("/api/v1/app", named, "k");
  const Reply theirs =
      world.ask("POST", "/api/v1/app",
                {.body = named, .token = world.organisation_token(stranger), .headers = key("k")});
  EXPECT_NE(ours.field("id"), theirs.field("id"));
}

TEST_F(ChangeCall, ARepeatedRotationDoesNotRotateAgain) {
  world.make_application("a");
  const std::string secret = "/api/v1/app/a/endpoint/" + world.make_endpoint("a") + "/secret";
  const Reply first = post(secret + "/rotate", "{}", "k");
  EXPECT_EQ(first.status, 200);
  const std::string rotated = world.ask("GET", secret).body;
  EXPECT_EQ(first.body, rotated);
  const Reply again = post(secret + "/rotate", "{}", "k");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, rotated);
  EXPECT_EQ(world.ask("GET", secret).body, rotated);
  EXPECT_EQ(post(secret + "/rotate", "{}", "another").status, 200);
  EXPECT_NE(world.ask("GET", secret).body, rotated);
}

TEST_F(ChangeCall, AKeyIsNoWayToFillTheStore) {
  const Reply reply = post("/api/v1/app", R"({"name":"A"})", std::string(1025, 'k'));
  EXPECT_EQ(reply.status, 422);
  EXPECT_NE(reply.body.find(R"("loc":["header","idempotency-key"])"), std::string::npos);
}

}  // namespace
}  // namespace petrel::api
