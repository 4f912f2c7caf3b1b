#include <gtest/gtest.h>

#include "api/json/example_payload.h"
#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

TEST(ExamplePayload, IsTheOneOfTheFirstVersionElseOfTheLastThatHasAny) {
  const auto first = [](std::string_view schemas) {
    const Result<std::string> payload = example_payload(schemas, 0);
    return payload.ok() ? *payload : payload.error().text();
  };
  EXPECT_EQ(first(R"({"2":{"examples":[{"n":2}]},"1":{"examples":[{"n":1}]}})"), R"({"n":1})");
  EXPECT_EQ(first(R"({"1":{},"2":{"examples":[{"n":2}]},"3":{"examples":[]}})"), R"({"n":2})");
  EXPECT_EQ(first(R"({"1":{"examples":[{"a":[1,-2.5,"x",true,null,{}]}]}})"),
            R"({"a":[1,-2.5,"x",true,null,{}]})");
  const std::string none = "the schemas of this event type have no examples";
  EXPECT_EQ(first(""), none);
  EXPECT_EQ(first("{}"), none);
  EXPECT_EQ(first(R"({"1":{"examples":{}}})"), none);
  EXPECT_EQ(first(R"({"1":{"examples":[7]}})"), "this example is not an object");
}

struct ExampleRoutes : testing::Test {
  ExampleRoutes() {
    model::EventType type;
    type.organisation = world.organisation;
    type.name = "invoice.paid";
    type.schemas = R"({"1":{"examples":[{"n":1},{"n":2}]}})";
    world.catalogue.put(type);
  }

  Reply send(const std::string& body, const std::string& to = "e1") {
    return world.ask("POST", "/api/v1/app/acme/endpoint/" + to + "/send-example", {.body = body});
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string endpoint = world.make_endpoint("acme", R"(,"uid":"e1","eventTypes":["b"])");
  const std::string other = world.make_endpoint("acme");
};

TEST_F(ExampleRoutes, APingGoesToThatEndpointAlone) {
  const Reply reply = send(R"({"eventType":"svix.ping"})");

  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_NE(reply.body.find(R"("payload":{"success":true})"), std::string::npos);
  const auto deliveries = world.store.deliveries_of_message(*MessageId::parse(reply.field("id")));
  ASSERT_EQ(deliveries->size(), 1U);
  EXPECT_EQ(deliveries->front().key.endpoint.text(), endpoint);
}

TEST_F(ExampleRoutes, AnExampleIsTakenFromTheSchema) {
  EXPECT_NE(send(R"({"eventType":"invoice.paid"})").body.find(R"("payload":{"n":1})"),
            std::string::npos);
  EXPECT_NE(send(R"({"eventType":"invoice.paid","exampleIndex":1})").body.find(R"({"n":2})"),
            std::string::npos);
}

TEST_F(ExampleRoutes, WithoutAnExampleItSaysSo) {
  EXPECT_EQ(send(R"({"eventType":"unknown"})").body,
            R"({"code":"invalid_scheme","detail":"there is no such event type"})");
  EXPECT_EQ(send(R"({"eventType":"invoice.paid","exampleIndex":2})").body,
            R"({"detail":[{"loc":["body","exampleIndex"],)"
            R"("msg":"must be 0 to 1: there are no more examples","type":"value_error"}]})");
  EXPECT_EQ(send("{}").status, 422);
  EXPECT_EQ(send(R"({"eventType":"svix.ping"})", "nobody").status, 404);
  EXPECT_TRUE(world.handed_on.empty());
}

}  // namespace
}  // namespace petrel::api
