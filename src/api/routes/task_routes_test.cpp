#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

using model::TaskState;
using model::TaskType;

struct TaskRoutes : testing::Test {
  model::Task make(TaskType type = TaskType::Recover, TaskState state = TaskState::Running) {
    world.advance(std::chrono::milliseconds(10));
    model::Task task;
    task.id = TaskId(world.maker.make(world.clock.now));
    task.organisation = world.organisation;
    task.type = type;
    task.state = state;
    task.created_at = task.updated_at = world.clock.now;
    world.store.change({.changes = {store::CreateTask{task}}}, [](const Status&) {});
    return task;
  }

  Reply get(const std::string& rest = "", const std::string& token = "") {
    return world.ask("GET", "/api/v1/background-task" + rest, {.token = token});
  }

  Reply tell(const model::Task& task, const std::string& verb) {
    return world.ask("POST", "/api/v1/background-task/" + task.id.text() + "/" + verb);
  }

  std::size_t listed(const std::string& query) {
    const Result<JsonValue> page = parse_json(get(query).body);
    return page->as_object()->front().second.as_array()->size();
  }

  ApiWorld world;
};

TEST_F(TaskRoutes, ShowsATaskWithItsProgress) {
  model::Task task = make();
  task.progress = {.total = 10, .done = 4, .skipped = 1, .succeeded = 3, .failed = 1};
  task.progress.rate_per_minute = 60;
  ++task.revision;
  world.store.change({.changes = {store::UpdateTask{task}}}, [](const Status&) {});

  const Reply reply = get("/" + task.id.text());

  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.field("status"), "running");
  EXPECT_EQ(reply.field("kind"), "replay-dead");
  EXPECT_NE(
      reply.body.find(R"("data":{"total":10,"done":4,"skipped":1,"messagesSent":4,)"
                      R"("succeeded":3,"failed":1,"ratePerMinute":60,)"
                      R"("maxRatePerMinute":1000,"ramp":true,"secondsLeft":5,"waitsFor":null})"),
      std::string::npos)
      << reply.body;
}

TEST_F(TaskRoutes, WhatATaskFoundOutIsItsData) {
  model::Task task = make(TaskType::ApplicationStats, TaskState::Running);
  task.state = TaskState::Finished;
  task.data = R"({"appStats":[]})";
  ++task.revision;
  world.store.change({.changes = {store::UpdateTask{task}}}, [](const Status&) {});

  EXPECT_NE(get("/" + task.id.text()).body.find(R"("data":{"appStats":[]})"), std::string::npos);
}

TEST_F(TaskRoutes, ListsTheNewestFirstAndByWhatIsAskedFor) {
  const model::Task old = make();
  make(TaskType::BulkReplay, TaskState::Finished);
  const model::Task fresh = make(TaskType::Discard, TaskState::Paused);

  EXPECT_EQ(listed(""), 3U);
  EXPECT_EQ(get("?limit=1").body.find(fresh.id.text()), std::string(R"({"data":[{"id":")").size());
  EXPECT_EQ(get("?limit=1&order=ascending").body.find(old.id.text()),
            std::string(R"({"data":[{"id":")").size());
  EXPECT_EQ(listed("?status=running"), 2U) << "what is paused is still running";
  EXPECT_EQ(listed("?status=finished"), 1U);
  EXPECT_EQ(listed("?task=endpoint.bulk-replay"), 1U);
  EXPECT_EQ(get("?status=asleep").status, 422);
  EXPECT_EQ(get("?iterator=rubbish").status, 422);
}

TEST_F(TaskRoutes, AnotherOrganisationSeesNothingOfIt) {
  const model::Task task = make();
  const std::string stranger =
      world.organisation_token(OrganisationId(world.maker.make(world.clock.now)));

  EXPECT_EQ(get("/" + task.id.text(), stranger).status, 404);
  EXPECT_EQ(get("", stranger).body, R"({"data":[],"iterator":null,"done":true})");
  EXPECT_EQ(get("/qtask_x").status, 404);
}

TEST_F(TaskRoutes, AnApplicationSeesAndChangesItsOwnAndNoOthers) {
  const std::string acme = world.make_application("acme");
  const std::string token = world.application_token(acme);
  const std::string own =
      world.ask("POST", "/api/v1/app/acme/replay", {.body = "{}", .token = token}).field("id");
  const model::Task other = make();
  const auto ask = [&](const char* method, const std::string& rest) {
    return world.ask(method, "/api/v1/app/acme/background-task" + rest, {.token = token});
  };

  EXPECT_EQ(ask("GET", "/" + own).status, 200);
  EXPECT_EQ(ask("GET", "/" + other.id.text()).status, 404);
  EXPECT_EQ(ask("GET", "").body.find(other.id.text()), std::string::npos);
  EXPECT_NE(ask("GET", "").body.find(own), std::string::npos);
  EXPECT_EQ(ask("POST", "/" + other.id.text() + "/cancel").status, 404);
  EXPECT_EQ(ask("POST", "/" + own + "/cancel").field("state"), "cancelled");
}

TEST_F(TaskRoutes, CanBePausedAndResumedAndEachWakesIt) {
  const model::Task task = make();

  EXPECT_EQ(tell(task, "pause").field("state"), "paused");
  EXPECT_EQ(tell(task, "pause").status, 200) << "the same again is done";
  EXPECT_EQ(tell(task, "resume").field("state"), "running");
  EXPECT_EQ(world.tasks.woken, (std::vector{task.id, task.id, task.id}))
      << "also if it is so already";
}

TEST_F(TaskRoutes, AChangeThatNobodyKnowsOfWakesItToo) {
  const model::Task task = make(TaskType::Recover, TaskState::Paused);
  world.store.is_unsure = true;

  EXPECT_EQ(tell(task, "resume").status, 503);

  EXPECT_EQ(world.tasks.woken, std::vector{task.id}) << "it is running in the store";
}

TEST_F(TaskRoutes, CanBeCancelledAndThenNothingElse) {
  const model::Task running = make();
  const model::Task paused = make(TaskType::Recover, TaskState::Paused);

  EXPECT_EQ(tell(running, "cancel").field("state"), "cancelled");
  EXPECT_EQ(tell(paused, "cancel").field("status"), "failed");
  EXPECT_EQ(tell(running, "resume").status, 409);
  EXPECT_EQ(tell(running, "pause").status, 409);
  EXPECT_EQ(tell(running, "cancel").status, 200);
}

}  // namespace
}  // namespace petrel::api
