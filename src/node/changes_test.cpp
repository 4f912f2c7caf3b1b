#include "node/changes.h"

#include <gtest/gtest.h>

#include "node/testing/change_world.h"

namespace petrel::node {
namespace {

using Mood = MoodyStore::Mood;

struct ChangesTest : testing::Test, ChangeWorld {
  ChangesTest() {
    model::Application application;
    application.id = ApplicationId(maker.make(clock.wall()));
    make("", store::CreateApplication{application});
    model::Endpoint endpoint(signature::KeyRing{signature::Secret::generate(random)});
    endpoint.id = id;
    endpoint.application = application.id;
    make("", store::CreateEndpoint{endpoint});
    run();
    EXPECT_EQ(log, (std::vector<std::string>{"done", "done"}));
    log.clear();
    lanes.changed.clear();
    lanes.news.clear();
  }

  void make(const Changes::Turn& turn, const store::Change& change) {
    changes.make(
        turn, [change]() -> Result<store::ChangeSet> { return store::ChangeSet{{change}}; },
        [this](const Status& status) {
          log.push_back(status.ok() ? "done" : status.error().text());
        });
  }

  void describe(const std::string& more, bool fails = false) {
    changes.edit(
        id,
        [more, fails](model::Endpoint& endpoint) -> Status {
          endpoint.description += more;
          return fails ? Status(invalid("url", "is wrong")) : Status(Done{});
        },
        [this](const Status& edited) {
          log.push_back(edited.ok() ? catalogue.endpoint(id)->description : edited.error().text());
        });
  }

  std::string shown() const { return catalogue.endpoint(id)->description; }
  std::string on_disk() { return store.MemoryStore::endpoint(id)->description; }

  EndpointId id{maker.make(clock.wall())};
  std::vector<std::string> log;
};

using Log = std::vector<std::string>;

TEST_F(ChangesTest, KeepsCountOfHowLongAnEndpointWasOff) {
  const auto set_disabled = [this](bool is_disabled) {
    changes.edit(
        id,
        [is_disabled](model::Endpoint& endpoint) {
          endpoint.is_disabled = is_disabled;
          return Status(Done{});
        },
        [](const Status& edited) { EXPECT_TRUE(edited.ok()); });
    run();
  };
  set_disabled(true);
  EXPECT_EQ(catalogue.endpoint(id)->held.since, clock.wall());
  clock.time += std::chrono::hours(5);
  set_disabled(true);
  set_disabled(false);
  clock.time += std::chrono::hours(1);

  EXPECT_EQ(catalogue.endpoint(id)->held, (model::HeldTime{std::nullopt, std::chrono::hours(5)}));
}

TEST_F(ChangesTest, OperatorsHearOfACommittedChangeAndWhoMadeIt) {
  model::Endpoint endpoint = *catalogue.endpoint(id);
  endpoint.description = "by a person";
  make(Changes::turn_of(id), store::UpdateEndpoint{endpoint});
  describe(", then by the server");
  describe(" never", true);
  EXPECT_TRUE(lanes.news.empty());
  run();
  make(Changes::turn_of(id), store::DeleteEndpoint{id, clock.wall()});
  run();

  const auto& heard = lanes.news;
  ASSERT_EQ(heard.size(), 3U);
  EXPECT_EQ(heard[0].before->description, "");
  EXPECT_EQ(heard[0].after->description, "by a person");
  EXPECT_EQ(heard[0].by, notice::Author::Person);
  EXPECT_EQ(heard[1].after->description, "by a person, then by the server");
  EXPECT_EQ(heard[1].by, notice::Author::Server);
  EXPECT_EQ(heard[2].after->deleted_at, clock.wall());
}

TEST_F(ChangesTest, OperatorsHearNothingOfAnApplicationsEnd) {
  make("", store::DeleteApplication{catalogue.endpoint(id)->application, clock.wall()});
  run();

  EXPECT_TRUE(catalogue.endpoint(id)->deleted_at);
  EXPECT_TRUE(lanes.news.empty());
}

TEST_F(ChangesTest, IsAnsweredWhenTheLanesRunByIt) {
  lanes.is_prompt = false;
  describe("a");
  run();
  EXPECT_EQ(shown(), "a");
  EXPECT_EQ(lanes.changed, std::vector{id});
  EXPECT_TRUE(log.empty());

  lanes.acknowledge_all();
  run();
  EXPECT_EQ(log, std::vector<std::string>{"a"});
}

TEST_F(ChangesTest, AnApplicationsChangeWaitsForEveryShard) {
  lanes.is_prompt = false;
  model::Application application = *catalogue.application(catalogue.endpoint(id)->application);
  application.name = "another";
  make("", store::UpdateApplication{application});
  run();
  ASSERT_EQ(lanes.waiting.size(), 2U);
  lanes.waiting[0]->acknowledge();
  run();
  EXPECT_TRUE(log.empty());
  lanes.waiting[1]->acknowledge();
  run();
  EXPECT_EQ(log, std::vector<std::string>{"done"});
}

TEST_F(ChangesTest, WhatMayHaveBeenWrittenIsShownAsItIsOnDisk) {
  store.mood = Mood::Unsure;
  describe("a");
  run();

  EXPECT_EQ(log, std::vector<std::string>{"who knows"});
  EXPECT_EQ(on_disk(), "a");
  EXPECT_EQ(shown(), "a");
  EXPECT_EQ(lanes.changed, std::vector{id});
}

TEST_F(ChangesTest, WhatWasNotWrittenIsNotShown) {
  store.mood = Mood::Away;
  describe("a");
  run();

  EXPECT_EQ(log, std::vector<std::string>{"the disk is full"});
  EXPECT_EQ(shown(), "");
  EXPECT_TRUE(lanes.changed.empty());
}

TEST_F(ChangesTest, TheNextOneWaitsUntilItIsKnownWhatIsOnDisk) {
  store.mood = Mood::Unsure;
  store.is_readable = false;
  describe("a");
  run();
  store.mood = Mood::Fine;
  describe("b");
  run();
  EXPECT_EQ(log, std::vector<std::string>{"who knows"}) << "the caller hears it at once";
  EXPECT_EQ(shown(), "");

  loop.run_for(clock, std::chrono::seconds(10));
  EXPECT_EQ(store.reads, 11) << "one at once, then one each second";
  store.is_readable = true;
  loop.run_for(clock, std::chrono::seconds(1));
  EXPECT_EQ(log, (std::vector<std::string>{"who knows", "ab"}));
  EXPECT_EQ(on_disk(), "ab");
}

TEST_F(ChangesTest, ACreationThatMayHaveBeenWrittenIsFound) {
  model::Endpoint endpoint = *catalogue.endpoint(id);
  endpoint.id = EndpointId(maker.make(clock.wall()));
  store.mood = Mood::Unsure;
  make("", store::CreateEndpoint{endpoint});
  run();

  EXPECT_EQ(log, std::vector<std::string>{"who knows"});
  ASSERT_NE(catalogue.endpoint(endpoint.id), nullptr);
}

TEST_F(ChangesTest, ARevokedTokenCountsOnceItIsOnDisk) {
  const auto is_revoked = [&](const std::string& token) {
    const store::RevokeToken change{RevokedTokens::hash_of(token), clock.wall() + Duration(1)};
    make("", change);
    run();
    return revoked.contains(token);
  };
  EXPECT_TRUE(is_revoked("one"));
  store.mood = Mood::Unsure;
  EXPECT_TRUE(is_revoked("another"));
  store.mood = Mood::Away;
  EXPECT_FALSE(is_revoked("a third"));
}

TEST_F(ChangesTest, TasksWakeByWhatPeopleWriteAndNotByTheirOwn) {
  model::Task task;
  task.id = TaskId(maker.make(clock.wall()));
  const auto note = [this](const Status& status) {
    log.push_back(status.ok() ? "done" : "failed");
  };
  changes.write({.changes = {store::CreateTask{task}}}, Author::Person, note);
  run();
  EXPECT_EQ(tasks.woken, std::vector{task.id});

  ++task.revision;
  changes.write({.changes = {store::UpdateTask{task}}}, Author::Task, note);
  run();
  EXPECT_EQ(tasks.woken.size(), 1U);

  store.mood = Mood::Away;
  ++task.revision;
  changes.write({.changes = {store::UpdateTask{task}}}, Author::Person, note);
  run();
  EXPECT_EQ(tasks.woken.size(), 2U) << "it may have been written";
  EXPECT_EQ(log, (std::vector<std::string>{"done", "done", "failed"}));
}

TEST_F(ChangesTest, LanesLookForWhatIsPutBack) {
  model::Settlement settlement;
  settlement.delivery.key = {id, MessageId(maker.make(clock.wall()))};
  changes.write({.changes = {}, .settlements = {settlement}}, Author::Task, [](const Status&) {});
  run();
  EXPECT_EQ(lanes.looked, std::vector{id}) << "a set of settlements alone is written, too";
}

TEST_F(ChangesTest, ChangesThatComeAtOnceAllTakeEffect) {
  describe("a");
  describe("b");
  describe("c");
  EXPECT_TRUE(log.empty());
  run();

  EXPECT_EQ(log, (Log{"a", "ab", "abc"}));
  EXPECT_EQ(catalogue.endpoint(id)->description, "abc");
  EXPECT_EQ(store.all_endpoints()->front().description, "abc");
}

TEST_F(ChangesTest, AChangeThatIsRefusedDoesNotHoldUpTheOthers) {
  describe("a");
  describe("b", true);
  describe("c");
  run();

  EXPECT_EQ(log, (Log{"a", "url: is wrong", "ac"}));
}

TEST_F(ChangesTest, TheCatalogueShowsOnlyWhatIsCommitted) {
  describe("a");
  EXPECT_EQ(catalogue.endpoint(id)->description, "");
  run();
  EXPECT_EQ(catalogue.endpoint(id)->description, "a");
}

TEST_F(ChangesTest, TooManyAtOnceAreRefused) {
  for (std::size_t i = 0; i < Changes::kWaitingMax; ++i) describe("a");
  describe("a");  // One is under way, so as many wait.
  describe("b");
  run();
  EXPECT_EQ(log.front(), "too many changes of the same thing wait; try again");
  EXPECT_EQ(log.back(), std::string(Changes::kWaitingMax + 1, 'a'));
}

TEST_F(ChangesTest, AnUnknownEndpointIsNotFound) {
  id = EndpointId(maker.make(clock.wall()));
  describe("a");
  run();
  EXPECT_EQ(log, Log{"there is no such endpoint"});
}

TEST_F(ChangesTest, ADeletionWaitsForItsTurnAndEndsTheEdits) {
  describe("a");
  make(Changes::turn_of(id), store::DeleteEndpoint{id, clock.wall()});
  describe("b");
  run();

  EXPECT_EQ(log, (Log{"a", "done", "there is no such endpoint"}));
  EXPECT_EQ(catalogue.endpoint(id)->deleted_at, clock.wall());
  EXPECT_EQ(catalogue.endpoint(id)->description, "a");
  EXPECT_EQ(store.all_endpoints()->front().deleted_at, clock.wall());
}

TEST_F(ChangesTest, WithAnApplicationGoItsEndpoints) {
  const ApplicationId application = catalogue.endpoint(id)->application;
  make(Changes::turn_of(application), store::DeleteApplication{application, clock.wall()});
  run();

  EXPECT_EQ(catalogue.application(application)->deleted_at, clock.wall());
  EXPECT_EQ(catalogue.endpoint(id)->deleted_at, clock.wall());
  describe("a");
  run();
  EXPECT_EQ(log, (Log{"done", "there is no such endpoint"}));
}

TEST_F(ChangesTest, EventTypesComeAndGo) {
  model::EventType type;
  type.name = "invoice.paid";
  const Changes::Turn turn = Changes::turn_of(type.organisation, type.name);
  make(turn, store::CreateEventType{type});
  type.description = "Somebody paid";
  make(turn, store::UpdateEventType{type});
  run();
  EXPECT_EQ(catalogue.find_event_type(type.organisation, type.name)->description, "Somebody paid");

  make(turn, store::DeleteEventType{type.organisation, type.name});
  run();
  EXPECT_EQ(catalogue.find_event_type(type.organisation, type.name), nullptr);
  EXPECT_EQ(log, (Log{"done", "done", "done"}));
}

TEST_F(ChangesTest, ASetWithoutChangesIsDoneAtOnce) {
  changes.make(
      "", []() -> Result<store::ChangeSet> { return store::ChangeSet{}; },
      [this](const Status& status) { log.push_back(status.ok() ? "done" : "failed"); });
  store.mood = Mood::Away;
  run();
  EXPECT_EQ(log, Log{"done"});
}

}  // namespace
}  // namespace petrel::node
