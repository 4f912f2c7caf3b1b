#include <gtest/gtest.h>

#include "api/testing/api_world.h"
#include "policy/presets.h"
#include "policy/preview.h"

namespace petrel::api {
namespace {

struct RetryPolicyRoutes : testing::Test {
  Reply preview(const std::string& body) {
    return world.ask("POST", "/api/v1/retry-policy/preview", {.body = body});
  }

  ApiWorld world;
};

TEST_F(RetryPolicyRoutes, EveryPresetIsListedAndCanBeHadAlone) {
  const std::string list = world.ask("GET", "/api/v1/retry-policy").body;
  for (const policy::Preset& preset : policy::presets()) {
    const Reply one = world.ask("GET", "/api/v1/retry-policy/" + std::string(preset.name()));
    EXPECT_EQ(one.status, 200);
    EXPECT_NE(list.find(one.body), std::string::npos) << one.body;
    EXPECT_EQ(one.field("isDefault"), "a boolean");
  }
  EXPECT_EQ(world.ask("GET", "/api/v1/retry-policy/nothing").status, 404);
}

TEST_F(RetryPolicyRoutes, APreviewHasTheNumbersOfTheCommand) {
  const policy::RetryPolicy fixed = *policy::find_preset(policy::kDefaultPreset);
  JsonWriter expected;
  policy::write_preview(policy::preview(fixed, {}), expected);
  const std::string name(policy::kDefaultPreset);

  EXPECT_EQ(preview(R"({"policy":")" + name + "\"}").body, expected.text());
  EXPECT_EQ(preview(R"({"policy":{"strategy":"fixed","jitter":"none"},"failures":2,"samples":7})")
                .field("ends"),
            "exhausted");
}

TEST_F(RetryPolicyRoutes, ABadPolicyOrABadNumberIsNamed) {
  const auto loc = [&](const std::string& body) {
    const Reply reply = preview(body);
    EXPECT_EQ(reply.status, 422) << reply.body;
    return reply.body.substr(19, reply.body.find(']') - 19);
  };
  EXPECT_EQ(loc("{}"), R"("body","policy")");
  EXPECT_EQ(loc(R"({"policy":{"maxAttempts":0}})"), R"("body","policy","maxAttempts")");
  EXPECT_EQ(loc(R"({"policy":{"maxAttempts":1000},"samples":1001})"), R"("body","samples")");
  EXPECT_EQ(loc(R"({"policy":{},"failures":0})"), R"("body","failures")");
}

}  // namespace
}  // namespace petrel::api
