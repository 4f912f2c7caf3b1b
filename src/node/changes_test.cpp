#include "node/changes.h"

#include <deque>

#include <gtest/gtest.h>

#include "base/hand_loop.h"
#include "base/ksuid.h"
#include "base/secure_random.h"
#include "store/memory/memory_store.h"

namespace petrel::node {
namespace {

struct ChangesTest : testing::Test {
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
  }

  void make(const Changes::Turn& turn, const store::Change& change) {
    changes.make(
        turn, [change]() -> Result<store::ChangeSet> { return store::ChangeSet{{change}}; },
        [this](const Status& status) {
          log.push_back(status.ok() ? "done" : status.error().text());
        });
  }

  void run() {
    while (!answers.empty()) {
      const Function<void()> answer = std::move(answers.front());
      answers.pop_front();
      answer();
    }
  }

  void describe(const std::string& more, bool fails = false) {
    changes.edit(
        id,
        [more, fails](model::Endpoint& endpoint) -> Status {
          endpoint.description += more;
          return fails ? Status(invalid("url", "is wrong")) : Status(Done{});
        },
        [this](const Result<store::EndpointPtr>& edited) {
          log.push_back(edited.ok() ? (*edited)->description : edited.error().text());
        });
  }

  HandClock clock{wall_from_unix_seconds(1'800'000'000), MonoTime{}};
  SeededSecureRandom random{3};
  KsuidMaker maker{random};
  EndpointId id{maker.make(clock.wall())};
  std::deque<Function<void()>> answers;
  store::MemoryStore store{clock, [this](Function<void()> answer) { answers.push_back(std::move(answer)); }};
  store::Catalogue catalogue;
  Changes changes{store, catalogue, clock};
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
        [](const Result<store::EndpointPtr>& edited) { EXPECT_TRUE(edited.ok()); });
    run();
  };
  set_disabled(true);
  EXPECT_EQ(catalogue.endpoint(id)->held.since, clock.wall());
  clock.wall() += std::chrono::hours(5);
  set_disabled(true);
  set_disabled(false);
  clock.wall() += std::chrono::hours(1);

  EXPECT_EQ(catalogue.endpoint(id)->held, (model::HeldTime{std::nullopt, std::chrono::hours(5)}));
}

TEST_F(ChangesTest, TheListenerHearsOfACommittedChangeAndWhoMadeIt) {
  std::vector<notice::EndpointChange> heard;
  changes.on_endpoint([&](const notice::EndpointChange& change) { heard.push_back(change); });
  model::Endpoint endpoint = *catalogue.endpoint(id);
  endpoint.description = "by a person";
  make(Changes::turn_of(id), store::UpdateEndpoint{endpoint});
  describe(", then by the server");
  describe(" never", true);
  EXPECT_TRUE(heard.empty());
  run();
  make(Changes::turn_of(id), store::DeleteEndpoint{id, clock.wall()});
  run();

  ASSERT_EQ(heard.size(), 3U);
  EXPECT_EQ(heard[0].before->description, "");
  EXPECT_EQ(heard[0].after->description, "by a person");
  EXPECT_EQ(heard[0].by, notice::Author::Person);
  EXPECT_EQ(heard[1].after->description, "by a person, then by the server");
  EXPECT_EQ(heard[1].by, notice::Author::Server);
  EXPECT_EQ(heard[2].after->deleted_at, clock.wall());
}

TEST_F(ChangesTest, TheListenerHearsNothingOfAnApplicationsEnd) {
  std::size_t heard = 0;
  changes.on_endpoint([&](const notice::EndpointChange&) { ++heard; });
  make("", store::DeleteApplication{catalogue.endpoint(id)->application, clock.wall()});
  run();

  EXPECT_TRUE(catalogue.endpoint(id)->deleted_at);
  EXPECT_EQ(heard, 0U);
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
  describe("b");
  EXPECT_EQ(log, Log{"too many changes of the same thing wait; try again"});
  run();
  EXPECT_EQ(log.back(), std::string(Changes::kWaitingMax, 'a'));
}

TEST_F(ChangesTest, AnUnknownEndpointIsNotFound) {
  id = EndpointId(maker.make(clock.wall()));
  describe("a");
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
  EXPECT_EQ(log, Log{"done"});
  EXPECT_TRUE(answers.empty());
}

}  // namespace
}  // namespace petrel::node
