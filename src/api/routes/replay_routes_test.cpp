#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

using model::DeliveryState;
using model::TaskType;
using policy::DeadReason;

// The world's clock stands at eight.
constexpr std::string_view kSince = R"("since":"2027-01-15T07:00:00Z")";

struct ReplayRoutes : testing::Test {
  Reply replay(const std::string& body, const std::string& token = "") {
    return world.ask("POST", "/api/v1/app/acme/replay", {.body = body, .token = token});
  }

  Reply of_endpoint(const std::string& verb, const std::string& body) {
    return world.ask("POST", "/api/v1/app/acme/endpoint/e1/" + verb, {.body = body});
  }

  std::string dead(DeadReason reason = DeadReason::Exhausted) {
    std::string id = world.make_message("acme", "a");
    world.end(endpoint, id, DeliveryState::Dead, reason);
    return id;
  }

  model::Task stored(const Reply& reply) {
    EXPECT_EQ(reply.status, 202) << reply.body;
    return world.store.task(world.organisation, *TaskId::parse(reply.field("id"))).value();
  }

  std::string refused(const Reply& reply) {
    EXPECT_EQ(reply.status, 422) << reply.body;
    return reply.body.substr(19, reply.body.find(']') - 19);
  }

  ApiWorld world;
  const std::string application = world.make_application("acme");
  const std::string endpoint = world.make_endpoint("acme", R"(,"uid":"e1")");
};

TEST_F(ReplayRoutes, AReplayIsATaskThatIsStoredAndThenWoken) {
  const Reply reply = replay("{}");

  const model::Task task = stored(reply);
  EXPECT_EQ(task.type, TaskType::Recover);
  EXPECT_EQ(task.application, *ApplicationId::parse(application));
  EXPECT_EQ(task.selection, (model::Selection{.until = world.clock.now}));
  EXPECT_EQ(task.pacing, (model::Pacing{.rate_per_minute = 100, .rate_per_minute_max = 1000}));
  EXPECT_EQ(world.tasks.woken, std::vector{task.id});
  EXPECT_EQ(reply.field("status"), "running");
  EXPECT_EQ(reply.field("task"), "endpoint.recover");
}

TEST_F(ReplayRoutes, ATaskThatMayHaveBeenStoredIsWoken) {
  world.store.is_unsure = true;

  EXPECT_EQ(replay("{}").status, 503);

  EXPECT_EQ(world.tasks.woken.size(), 1U);
}

TEST_F(ReplayRoutes, ItIsAboutWhatTheBodySays) {
  const model::Task task =
      stored(replay(R"({"endpointId":"e1","eventTypes":["a","b"],"since":"2027-01-15T06:00:00Z",)"
                    R"("until":"2027-01-15T07:00:00Z","reasons":["expired","gone"],)"
                    R"("ratePerMinute":6000,"ramp":false})"));

  const model::Selection& selection = task.selection;
  EXPECT_EQ(selection.endpoint, *EndpointId::parse(endpoint));
  EXPECT_EQ(selection.event_types, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(selection.reasons, (std::vector{DeadReason::Expired, DeadReason::Gone}));
  EXPECT_EQ(selection.since, world.clock.now - std::chrono::hours(2));
  EXPECT_EQ(selection.until, world.clock.now - std::chrono::hours(1));
  EXPECT_EQ(task.pacing, (model::Pacing{6000, 6000, false}));
  EXPECT_EQ(task.progress.cursors.size(), 1U);
}

TEST_F(ReplayRoutes, WhatDiesFromNowOnIsNotMeant) {
  const model::Task task = stored(replay(R"({"until":"2027-01-16T07:00:00Z"})"));

  EXPECT_EQ(task.selection.until, world.clock.now);
}

TEST_F(ReplayRoutes, ABodyThatMakesNoSenseIsRefusedByField) {
  EXPECT_EQ(refused(replay(R"({"endpointId":"nobody"})")), R"("body","endpointId")");
  EXPECT_EQ(refused(replay(R"({"reasons":["bored"]})")), R"("body","reasons")");
  EXPECT_EQ(refused(replay(R"({"reasons":"gone"})")), R"("body","reasons")");
  EXPECT_EQ(refused(replay(R"({"eventTypes":[1]})")).substr(0, 19), R"("body","eventTypes")");
  EXPECT_EQ(refused(replay(R"({"ratePerMinute":0})")), R"("body","ratePerMinute")");
  EXPECT_EQ(refused(replay(R"({"ratePerMinute":600001})")), R"("body","ratePerMinute")");
  EXPECT_EQ(refused(replay(R"({"ratePerMinute":10,"maxRatePerMinute":9})")),
            R"("body","maxRatePerMinute")");
  EXPECT_EQ(refused(replay(R"({"maxRatePerMinute":900,"ramp":false})")),
            R"("body","maxRatePerMinute")");
  EXPECT_EQ(refused(replay(R"({"ramp":1})")), R"("body","ramp")");
  EXPECT_EQ(refused(replay(R"({"dryrun":true})")), R"("body","dryrun")");
  EXPECT_EQ(refused(replay(R"({"reasons":[]})")), R"("body","reasons")");
  EXPECT_EQ(refused(replay(R"({"eventTypes":[]})")), R"("body","eventTypes")");
  EXPECT_EQ(refused(replay(R"({"since":"soon"})")), R"("body","since")");
  EXPECT_EQ(refused(replay(R"({"since":"2027-01-02T07:00:00Z","until":"2027-01-02T07:00:00Z"})")),
            R"("body","until")");
  EXPECT_TRUE(world.tasks.woken.empty());
}

TEST_F(ReplayRoutes, ADryRunCountsAndChangesNothing) {
  for (int i = 0; i < 3; ++i) dead();
  dead(DeadReason::Gone);
  world.advance(std::chrono::seconds(1));

  const Reply all = replay(R"({"dryRun":true,"ratePerMinute":60})");
  EXPECT_EQ(all.status, 200);
  EXPECT_EQ(all.body, R"({"matched":4,"seconds":4})");
  EXPECT_EQ(replay(R"({"dryRun":true,"reasons":["gone"],"ratePerMinute":60})").body,
            R"({"matched":1,"seconds":1})");
  EXPECT_EQ(replay(R"({"dryRun":true,"endpointId":"e1","eventTypes":["b"]})").body,
            R"({"matched":0,"seconds":0})");
  EXPECT_TRUE(world.tasks.woken.empty());
  EXPECT_TRUE(world.store.tasks_under_way()->empty());
}

TEST_F(ReplayRoutes, TheSameKeyTwiceBeginsOneTask) {
  const Ask ask{.body = "{}", .headers = {{"idempotency-key", "once"}}};
  const Reply first = world.ask("POST", "/api/v1/app/acme/replay", ask);
  const Reply second = world.ask("POST", "/api/v1/app/acme/replay", ask);

  EXPECT_EQ(first.body, second.body);
  EXPECT_EQ(world.store.tasks_under_way()->size(), 1U);
}

TEST_F(ReplayRoutes, APortalMayReplayItsOwn) {
  EXPECT_EQ(replay("{}", world.application_token(application)).status, 202);
}

TEST_F(ReplayRoutes, TooManyAtOnceAreToldToComeBack) {
  world.tasks.count = 256;
  const Reply reply = replay("{}");

  EXPECT_EQ(reply.status, 503);
  EXPECT_FALSE(reply.header("Retry-After").empty());
}

TEST_F(ReplayRoutes, AnApplicationHasSoManyAtOnceAndOthersAreNotTouchedByIt) {
  for (int i = 0; i < 16; ++i) EXPECT_EQ(replay("{}").status, 202);

  EXPECT_EQ(replay("{}").status, 409);

  world.make_application("globex");
  EXPECT_EQ(world.ask("POST", "/api/v1/app/globex/replay", {.body = "{}"}).status, 202);
}

TEST_F(ReplayRoutes, RecoverIsAReplayOfWhatDiedInAWindow) {
  const model::Task task = stored(of_endpoint("recover", "{" + std::string(kSince) + "}"));

  EXPECT_EQ(task.type, TaskType::Recover);
  EXPECT_EQ(task.selection.endpoint, *EndpointId::parse(endpoint));
  EXPECT_EQ(task.selection.since, world.clock.now - std::chrono::hours(1));
}

TEST_F(ReplayRoutes, TheWindowOfARecoveryIsBounded) {
  const auto recover = [&](const std::string& body) { return of_endpoint("recover", body); };
  EXPECT_EQ(refused(recover("{}")), R"("body","since")");
  EXPECT_EQ(refused(recover(R"({"since":"yesterday"})")), R"("body","since")");
  EXPECT_EQ(recover(R"({"since":"2027-01-01T08:00:00Z"})").status, 202);
  EXPECT_EQ(refused(recover(R"({"since":"2027-01-01T07:54:59Z"})")), R"("body","since")");
  EXPECT_EQ(recover(R"({"since":"2027-01-01T07:00:00Z","until":"2027-01-02T07:00:00Z"})").status,
            202);
}

TEST_F(ReplayRoutes, ReplayMissingIsAboutOneEndpointSinceAMoment) {
  const std::string body = "{" + std::string(kSince) + "}";
  const Reply reply = of_endpoint("replay-missing", body);

  EXPECT_EQ(stored(reply).type, TaskType::ReplayMissing);
  EXPECT_EQ(reply.field("task"), "endpoint.replay");
  EXPECT_EQ(refused(of_endpoint("replay-missing", "{}")), R"("body","since")");
  EXPECT_EQ(world.ask("POST", "/api/v1/app/acme/endpoint/e2/replay-missing", {.body = body}).status,
            404);
}

TEST_F(ReplayRoutes, ABulkReplayTakesTheFiltersOfTheClientLibraries) {
  const Reply reply =
      of_endpoint("bulk-replay", "{" + std::string(kSince) +
                                     R"(,"status":2,"statusCodeClass":500,"channel":"c","tag":"t",)"
                                     R"("eventTypes":["a"]})");

  const model::Selection selection = stored(reply).selection;
  EXPECT_EQ(reply.field("task"), "endpoint.bulk-replay");
  EXPECT_EQ(selection.is_delivered, false);
  EXPECT_EQ(selection.status_class, 5);
  EXPECT_EQ(selection.channel, "c");
  EXPECT_EQ(selection.tag, "t");
  const std::string since = "{" + std::string(kSince);
  EXPECT_EQ(refused(of_endpoint("bulk-replay", since + R"(,"status":3})")), R"("body","status")");
  EXPECT_EQ(refused(of_endpoint("bulk-replay", since + R"(,"statusCodeClass":404})")),
            R"("body","statusCodeClass")");
}

}  // namespace
}  // namespace petrel::api
