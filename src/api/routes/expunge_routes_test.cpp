#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

struct ExpungeRoutes : testing::Test {
  Reply expunge(const std::string& body) {
    return world.ask("POST", "/api/v1/app/acme/msg/bulk-expunge", {.body = body});
  }

  bool has_payload(const std::string& id) {
    return world.store.payload(*MessageId::parse(id)).value() != nullptr;
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string first = world.make_message("acme");
  const std::string second = world.make_message("acme");
};

TEST_F(ExpungeRoutes, ThePayloadsOfThoseThatAreNamedAreGoneAndTheAnswerSaysWhich) {
  const Reply reply = expunge(R"({"ids":[")" + first + R"(","nobody",")" + first + "\"]}");

  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, R"({"results":{")" + first + R"(":"expunged","nobody":"not-found"}})");
  EXPECT_FALSE(has_payload(first));
  EXPECT_TRUE(has_payload(second));
}

TEST_F(ExpungeRoutes, WithoutNamesNothingHappens) {
  EXPECT_EQ(expunge("{}").body, R"({"results":{}})");
  EXPECT_EQ(expunge(R"({"ids":7})").status, 422);
  std::string many = R"({"ids":["a0")";
  for (int i = 1; i <= 500; ++i) many += ",\"a" + std::to_string(i) + "\"";
  EXPECT_EQ(expunge(many + "]}").status, 422);
  EXPECT_TRUE(has_payload(first));
}

TEST_F(ExpungeRoutes, AllOfAnApplicationIsATask) {
  const Reply reply = world.ask("POST", "/api/v1/app/acme/msg/expunge-all-contents");

  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(reply.field("task"), "application.purge_content");
  EXPECT_EQ(reply.field("kind"), "expunge");
  EXPECT_EQ(world.tasks.woken.size(), 1U);
}

}  // namespace
}  // namespace petrel::api
