#include "api/http/rate_limit.h"

#include <string>

#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonoTime kStart = MonoTime(seconds(1'000));

TEST(RateLimit, GivesABurstAndThenOneAtATime) {
  RateLimit limit(4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(limit.take("a", kStart), std::nullopt);
  EXPECT_EQ(limit.take("a", kStart), milliseconds(250));
  EXPECT_EQ(limit.take("a", kStart + milliseconds(100)), milliseconds(150));
  EXPECT_EQ(limit.take("a", kStart + milliseconds(250)), std::nullopt);
  EXPECT_EQ(limit.take("a", kStart + milliseconds(250)), milliseconds(250));
}

TEST(RateLimit, GivesTheWholeBurstAgainAfterAQuietSecondAndNoMore) {
  RateLimit limit(4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(limit.take("a", kStart), std::nullopt);
  for (const MonoTime later : {kStart + seconds(1), kStart + seconds(1'000'000)}) {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(limit.take("a", later), std::nullopt);
    EXPECT_EQ(limit.take("a", later), milliseconds(250));
  }
}

TEST(RateLimit, HoldsForEachTokenAlone) {
  RateLimit limit(1);
  EXPECT_EQ(limit.take("a", kStart), std::nullopt);
  EXPECT_EQ(limit.take("b", kStart), std::nullopt);
  EXPECT_EQ(limit.take("a", kStart), seconds(1));
}

TEST(RateLimit, GivesExactlyItsRateOverTime) {
  for (const int rate : {1, 3, 1000}) {
    RateLimit limit(rate);
    int taken = 0;
    for (MonoTime now = kStart; now < kStart + seconds(10); now += std::chrono::microseconds(500)) {
      if (!limit.take("a", now)) ++taken;
    }
    // The burst, and as much in ten seconds, the last of which would come at their very end.
    EXPECT_EQ(taken, rate * 11 - 1) << rate;
  }
}

TEST(RateLimit, RemembersOnlySoManyTokensAndTheOnesInUse) {
  RateLimit limit(1, 10);
  EXPECT_EQ(limit.take("in use", kStart), std::nullopt);
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_EQ(limit.take(std::to_string(i), kStart), std::nullopt);
    EXPECT_EQ(limit.take("in use", kStart), seconds(1));
    EXPECT_LE(limit.tokens(), 10U);
  }
  EXPECT_EQ(limit.take("0", kStart), std::nullopt);
}

TEST(RateLimit, IsAnsweredWith429AndWhenToComeBack) {
  RateLimit limit(2);
  ApiWorld world(&limit);
  EXPECT_EQ(world.ask("GET", "/api/v1/app").status, 200);
  EXPECT_EQ(world.ask("GET", "/api/v1/nowhere").status, 404);
  EXPECT_EQ(world.ask("GET", "/api/v1/app/app_none").status, 404);

  const Reply limited = world.ask("GET", "/api/v1/app");
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.header("Retry-After"), "1");
  EXPECT_EQ(limited.field("code"), "rate_limited");
  EXPECT_EQ(world.ask("GET", "/api/v1/health/ping").status, 204);

  const OrganisationId other(world.maker.make(world.clock.now));
  EXPECT_EQ(world.ask("GET", "/api/v1/app", {.token = world.organisation_token(other)}).status,
            200);
}

// A request with these Authorization headers, from this address.
int status_of(ApiWorld& world, const std::vector<std::string>& authorizations,
              const std::string& client) {
  net::HttpHeaders headers;
  for (const std::string& value : authorizations) headers.emplace_back("authorization", value);
  return world.ask("GET", "/api/v1/app", {.token = "none", .headers = headers, .client = client})
      .status;
}

TEST(RateLimit, HoldsForATokenHoweverItIsSent) {
  RateLimit limit(2);
  ApiWorld world(&limit);
  const std::string token = world.organisation_token(world.organisation);
  EXPECT_EQ(status_of(world, {"Bearer " + token}, "1.1.1.1"), 200);
  EXPECT_EQ(status_of(world, {"bearer   " + token}, "2.2.2.2"), 200);
  EXPECT_EQ(status_of(world, {"Bearer  " + token + " "}, "3.3.3.3"), 429);
  EXPECT_EQ(status_of(world, {"BEARER " + token}, "4.4.4.4"), 429);
}

TEST(RateLimit, HoldsForAnAddressWithoutAGoodToken) {
  RateLimit limit(2);
  ApiWorld world(&limit);
  EXPECT_EQ(status_of(world, {}, "1.1.1.1"), 401);
  EXPECT_EQ(status_of(world, {"Bearer a.b.c"}, "1.1.1.1"), 401);
  EXPECT_EQ(status_of(world, {"Bearer d.e.f"}, "1.1.1.1"), 429);
  EXPECT_EQ(status_of(world, {"Bearer d.e.f"}, "2.2.2.2"), 401);

  // A caller that has a good one is not held up by others behind the same address.
  const std::string token = world.organisation_token(world.organisation);
  EXPECT_EQ(status_of(world, {"Bearer " + token}, "1.1.1.1"), 200);
}

}  // namespace
}  // namespace petrel::api
