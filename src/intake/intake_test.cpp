#include "intake/intake.h"

#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "base/testing/hand_loop.h"
#include "store/memory/memory_store.h"

namespace petrel::intake {
namespace {

constexpr WallTime kNow = wall_from_unix_seconds(1'800'000'000);

struct HandClock final : Clock {
  WallTime wall() const override { return now; }
  MonoTime mono() const override { return MonoTime{}; }

  WallTime now = kNow;
};

// Counts the batches that reach the store, and refuses them while it is away.
class WatchedStore final : public store::Store {
 public:
  explicit WatchedStore(store::MemoryStore& inner) : inner_(inner) {}

  void accept(std::vector<store::Acceptance> batch, AcceptDone done) override {
    batches.push_back(batch.size());
    if (is_away) return done(unavailable("the disk is full"));
    inner_.accept(std::move(batch), std::move(done));
  }
  void settle(std::vector<model::Settlement>, SettleDone) override {}
  void load_due(store::DueQuery, Function<void(Result<store::DuePage>)>) override {}
  void load_payloads(std::vector<MessageId>, store::PayloadKeeper&, PayloadsDone) override {}
  Result<std::vector<EndpointId>> endpoints_with_live() override {
    return std::vector<EndpointId>();
  }
  void change(store::ChangeSet, store::ChangeDone) override {}
  void purge(store::PurgeOrder, PurgeDone) override {}

  std::vector<std::size_t> batches;
  bool is_away = false;

 private:
  store::MemoryStore& inner_;
};

struct IntakeTest : testing::Test, IntakeEvents {
  IntakeTest() {
    model::Application made;
    made.id = application;
    catalogue.put(made);
    model::Endpoint endpoint(signature::KeyRing{signature::Secret::generate(random)});
    endpoint.id = EndpointId(maker.make(kNow));
    endpoint.application = application;
    catalogue.put(endpoint);
  }

  Intake::Parts parts() {
    return {.store = store,
            .catalogue = catalogue,
            .clock = clock,
            .random = random,
            .metrics = metrics,
            .loop = loop,
            .memory = *budget,
            .events = *this};
  }

  void accepted(std::vector<model::DueDelivery> due) override {
    log.push_back("accepted " + std::to_string(due.size()));
    handed_on.insert(handed_on.end(), due.begin(), due.end());
  }
  void unsure(std::vector<EndpointId> endpoints) override { unsure_of.push_back(endpoints.size()); }

  void run() { loop.run(); }

  NewMessage message(const std::string& event_id = "", const std::string& key = "") {
    NewMessage made;
    made.application = application;
    made.event_type = "a";
    made.event_id = event_id;
    made.payload = std::make_shared<const std::string>("{}");
    if (!key.empty()) made.idempotent = {key, "hash of " + event_id, kNow + kHour};
    return made;
  }

  Intake::Answer logged() {
    return [this](const Result<Receipt>& receipt) {
      if (!receipt.ok()) {
        log.push_back(std::string(to_string(receipt.error().kind)) + ": " + receipt.error().text());
        return;
      }
      ids.push_back(receipt->message.id);
      log.emplace_back(receipt->is_repeated ? "repeated" : "answered");
    };
  }

  static constexpr std::size_t kLarge = 100'000;
  static constexpr Duration kHour = std::chrono::hours(1);
  HandClock clock;
  SeededSecureRandom random{1};
  KsuidMaker maker{random};
  ApplicationId application{maker.make(kNow)};
  store::MemoryStore memory{clock};
  WatchedStore store{memory};
  store::Catalogue catalogue;
  metric::Metrics metrics{"test"};
  std::shared_ptr<MemoryBudget> budget = MemoryBudget::make(16 * kLarge);
  HandLoop loop{clock};
  std::vector<model::DueDelivery> handed_on;
  std::vector<std::string> log;
  std::vector<MessageId> ids;
  std::vector<std::size_t> unsure_of;  // How many endpoints, for each commit that was unsure.
};

using Log = std::vector<std::string>;

TEST_F(IntakeTest, HandsOverOneTurnAtOnceAndAnswersAfterwards) {
  Intake intake(parts());
  intake.accept(message(), logged());
  intake.accept(message(), logged());
  EXPECT_TRUE(store.batches.empty());
  EXPECT_EQ(intake.pending(), 2U);

  run();
  intake.accept(message(), logged());
  run();

  EXPECT_EQ(store.batches, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(log, (Log{"accepted 2", "answered", "answered", "accepted 1", "answered"}));
  EXPECT_EQ(intake.pending(), 0U);
  EXPECT_EQ(metrics.messages_accepted().value(), 3U);
  EXPECT_TRUE(memory.message(application, ids.front()).ok());
}

// The commit may have come through, and only the word of it been lost.
TEST_F(IntakeTest, HasLanesLookForWhatMayBeThereWithoutAnybodyKnowing) {
  Intake intake(parts());
  store.is_away = true;
  intake.accept(message("e", "key"), [](const Result<Receipt>&) {});
  run();
  EXPECT_EQ(unsure_of, (std::vector<std::size_t>{1}));

  store.is_away = false;
  intake.accept(message("e", "key"), logged());
  run();
  EXPECT_EQ(log, (Log{"accepted 1", "answered"}));
  EXPECT_EQ(unsure_of.size(), 1U);
}

// A producer that repeats itself would otherwise have every lane read its backlog again each time.
TEST_F(IntakeTest, ARepeatedKeyDisturbsNoLane) {
  Intake intake(parts());
  for (int i = 0; i < 3; ++i) {
    intake.accept(message("", "key"), logged());
    run();
  }

  EXPECT_EQ(log, (Log{"accepted 1", "answered", "repeated", "repeated"}));
  EXPECT_TRUE(unsure_of.empty());
}

TEST_F(IntakeTest, RefusesWhatIsInvalidAtOnce) {
  Intake intake(parts());
  intake.accept(message("msg_1"), logged());

  EXPECT_EQ(log, Log{"invalid: eventId: must not begin with \"msg_\", as ids do"});
  EXPECT_EQ(loop.posted(), 0U);
}

TEST_F(IntakeTest, ARepeatedKeyGivesTheFirstMessageAndMakesNoOther) {
  Intake intake(parts());
  intake.accept(message("", "key"), logged());
  run();
  intake.accept(message("", "key"), logged());
  run();

  EXPECT_EQ(log, (Log{"accepted 1", "answered", "repeated"}));
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(metrics.messages_accepted().value(), 1U);
}

TEST_F(IntakeTest, ARepeatedKeyGivesTheFirstMessageWhateverTheClockSays) {
  Intake intake(parts());
  NewMessage scheduled = message("", "key");
  scheduled.deliver_at = kNow + std::chrono::minutes(2);
  intake.accept(scheduled, logged());
  run();
  clock.now += std::chrono::minutes(10);
  intake.accept(scheduled, logged());
  run();

  EXPECT_EQ(log, (Log{"accepted 1", "answered", "repeated"}));
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(intake.pending(), 0U);

  scheduled.idempotent->key = "another";
  intake.accept(scheduled, logged());
  EXPECT_EQ(log.size(), 3U) << "answered before the store was asked";
  run();
  scheduled.idempotent.reset();
  intake.accept(scheduled, logged());
  const std::string refused = "invalid: deliverAt: must be 1 minute to 24 hours ahead";
  EXPECT_EQ(log, (Log{"accepted 1", "answered", "repeated", refused, refused}));
  EXPECT_EQ(metrics.messages_accepted().value(), 1U);
}

// Both are accepted at most once: the refused one must not become a message by being asked for.
TEST_F(IntakeTest, ARefusedMessageLeavesItsKeyAndItsEventIdFree) {
  Intake intake(parts());
  NewMessage late = message("e-1", "key");
  late.deliver_at = kNow;
  intake.accept(late, logged());
  run();
  intake.accept(message("e-1", "key"), logged());
  run();

  EXPECT_EQ(log, (Log{"invalid: deliverAt: must be 1 minute to 24 hours ahead", "accepted 1",
                      "answered"}));
}

TEST_F(IntakeTest, ARepeatedKeyGivesTheFirstMessageAlsoUnderAStricterSchema) {
  Intake intake(parts());
  intake.accept(message("", "key"), logged());
  run();
  model::EventType strict;
  strict.name = "a";
  strict.is_enforced = true;
  strict.schemas = R"({"1":{"required":["n"]}})";
  catalogue.put(strict);
  intake.accept(message("", "key"), logged());
  intake.accept(message("", "another"), logged());
  run();

  ASSERT_EQ(log.size(), 4U);
  EXPECT_EQ(log[2], "repeated");
  EXPECT_TRUE(log[3].starts_with("invalid: payload")) << log[3];
}

TEST_F(IntakeTest, AKeyWithAnotherBodyAndATakenEventIdAreConflicts) {
  Intake intake(parts());
  intake.accept(message("e-1", "key"), logged());
  run();
  intake.accept(message("e-2", "key"), logged());
  intake.accept(message("e-1", "another"), logged());
  run();

  EXPECT_EQ(log, (Log{"accepted 1", "answered",
                      "conflict: this idempotency key was used before, with another body",
                      "conflict: another message of this application has this eventId"}));
}

TEST_F(IntakeTest, SaysSoWhenTheStoreIsAway) {
  Intake intake(parts());
  store.is_away = true;
  intake.accept(message(), logged());
  run();

  EXPECT_EQ(log, Log{"unavailable: the disk is full"});
  EXPECT_EQ(intake.pending(), 0U);
  EXPECT_EQ(metrics.messages_accepted().value(), 0U);
}

TEST_F(IntakeTest, RefusesWhatMemoryHasNoRoomForUntilTheRestIsOnDisk) {
  Intake intake(parts());
  const auto large = [this](ApplicationId of) {
    NewMessage made = message();
    made.application = of;
    made.payload = std::make_shared<const std::string>(kLarge, 'x');
    made.content_type = "text/plain";
    return made;
  };
  // Clients have a half, and one application leaves half of that.
  for (int i = 0; i < 4; ++i) intake.accept(large(application), logged());
  EXPECT_TRUE(log.empty());
  intake.accept(large(application), logged());
  EXPECT_EQ(log, Log{"unavailable: too much is being taken in at the moment; try again shortly"});
  EXPECT_EQ(budget->counts().refused(), 1U);

  model::Application other;
  other.id = ApplicationId(maker.make(kNow));
  catalogue.put(other);
  log.clear();
  intake.accept(large(other.id), logged());
  EXPECT_TRUE(log.empty());

  run();
  EXPECT_EQ(log.back(), "answered");
  EXPECT_EQ(budget->used(MemoryUse::Messages), 0U);
  EXPECT_EQ(budget->used(MemoryUse::Payloads), 4 * kLarge);  // Those that go somewhere.
  handed_on.clear();
  EXPECT_EQ(budget->counts().used(), 0U);
  intake.accept(large(application), logged());
  EXPECT_EQ(log.back(), "answered");
}

TEST_F(IntakeTest, HandsAPayloadOnOnlyIfDeliveriesHaveRoomForIt) {
  Intake intake(parts());
  const MemoryHold full = budget->take(MemoryUse::Payloads, 12 * kLarge, nullptr);
  intake.accept(message(), logged());
  run();
  ASSERT_EQ(handed_on.size(), 1U);
  EXPECT_EQ(handed_on.front().payload, nullptr);
  EXPECT_EQ(log.back(), "answered");
}

TEST_F(IntakeTest, RefusesMoreThanItMayHold) {
  const std::string full =
      "unavailable: too many messages wait to be written; try again in a moment";
  Intake by_count(parts(), {.pending_max = 1});
  by_count.accept(message(), logged());
  by_count.accept(message(), logged());
  EXPECT_EQ(log, Log{full});
  run();
  by_count.accept(message(), logged());
  run();
  EXPECT_EQ(log, (Log{full, "accepted 1", "answered", "accepted 1", "answered"}));

  log.clear();
  Intake by_bytes(parts(), {.pending_max = 9, .pending_bytes_max = 3});
  by_bytes.accept(message(), logged());
  by_bytes.accept(message(), logged());
  EXPECT_EQ(log, Log{full});
  run();
  by_bytes.accept(message(), logged());
  run();
  EXPECT_EQ(log, (Log{full, "accepted 1", "answered", "accepted 1", "answered"}));
}

}  // namespace
}  // namespace petrel::intake
