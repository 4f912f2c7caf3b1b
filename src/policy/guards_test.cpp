#include "policy/guards.h"

#include <gtest/gtest.h>

namespace petrel::policy {
namespace {

Result<Guards> parsed(std::string_view text) { return guards_from_json(*parse_json(text)); }

std::string written(const Guards& guards) {
  JsonWriter json;
  write_guards(guards, json);
  return json.take();
}

TEST(Guards, WhatIsNotSetIsLeftToTheLane) {
  EXPECT_EQ(*parsed("{}"), Guards());
  EXPECT_EQ(*parsed(R"({"openAfter":null})"), Guards());
  EXPECT_EQ(written(Guards()), "{}");
}

TEST(Guards, AreGivenBackAsTheyWereSet) {
  const std::string all =
      R"({"openAfter":5,"openWindowAttempts":10,"openWindowPercent":25,"openExhausted":3,)"
      R"("rampPercent":5,"rampInFlight":2,"rampDivisor":20,"pauseAfter":50,"openWindow":"30s",)"
      R"("openExhaustedWindow":"1h","openTime":"5s","openTimeMax":"1m","rampStep":"10s",)"
      R"("releaseAfterOutage":false})";

  EXPECT_EQ(written(*parsed(all)), all);
  EXPECT_EQ(parsed(all)->open_time, std::chrono::seconds(5));
}

TEST(Guards, WhatMakesNoSenseIsRefusedByField) {
  const auto field = [](std::string_view text) {
    const Result<Guards> guards = parsed(text);
    EXPECT_FALSE(guards.ok()) << text;
    return guards.ok() ? "" : guards.error().field;
  };
  EXPECT_EQ(field(R"({"openAfter":0})"), "openAfter");
  EXPECT_EQ(field(R"({"openAfter":"5"})"), "openAfter");
  EXPECT_EQ(field(R"({"openWindow":"3m"})"), "openWindow");
  EXPECT_EQ(field(R"({"openWindow":"1500ms"})"), "openWindow");
  EXPECT_EQ(field(R"({"openWindow":30})"), "openWindow");
  EXPECT_EQ(field(R"({"openWindowPercent":101})"), "openWindowPercent");
  EXPECT_EQ(field(R"({"openTime":"2m","openTimeMax":"1m"})"), "openTime");
  EXPECT_EQ(field(R"({"releaseAfterOutage":1})"), "releaseAfterOutage");
  EXPECT_EQ(field(R"({"opensAfter":5})"), "opensAfter");
  EXPECT_EQ(field("[]"), "");
}

}  // namespace
}  // namespace petrel::policy
