#include "notice/herald.h"

#include <memory>

#include <gtest/gtest.h>

#include "base/testing/hand_loop.h"
#include "model/operational_application.h"
#include "signature/secret.h"
#include "store/memory/memory_store.h"

namespace petrel::notice {
namespace {

using model::DeliveryState;

constexpr WallTime kNow = wall_from_unix_seconds(1'800'000'000);

struct StillClock final : Clock {
  WallTime wall() const override { return kNow; }
  MonoTime mono() const override { return MonoTime{}; }
};

// An organisation with one application, one endpoint and one message of it.
struct HeraldTest : testing::Test, intake::IntakeEvents, BlockingPool {
  HeraldTest() {
    application.id = ApplicationId(maker.make(kNow));
    application.organisation = organisation;
    catalogue.put(application);
    endpoint = make_endpoint(application.id);
  }

  model::Endpoint make_endpoint(ApplicationId owner, std::vector<std::string> types = {}) {
    model::Endpoint made(signature::KeyRing{signature::Secret::generate(random)});
    made.id = EndpointId(maker.make(kNow));
    made.application = owner;
    made.event_types = std::move(types);
    catalogue.put(made);
    return made;
  }

  model::Endpoint listen(std::vector<std::string> types = {}) {
    return make_endpoint(model::operational_application(organisation), std::move(types));
  }

  void run() { loop.run(); }

  void accepted(std::vector<model::DueDelivery> due) override {
    for (const model::DueDelivery& each : due) {
      const model::Delivery& delivery = each.delivery;
      told.push_back({*store.message(delivery.application, delivery.key.message), each.payload});
    }
  }
  void unsure(std::vector<EndpointId>) override {}

  bool run(Function<void()> work) override {
    ++reads;
    loop.post(std::move(work));
    return true;
  }

  // A message that was accepted, with a delivery to the endpoint.
  MessageId accept_message(const std::string& event_id = "") {
    intake::NewMessage made;
    made.application = application.id;
    made.event_type = "order.paid";
    made.event_id = event_id;
    made.payload = std::make_shared<const std::string>("{}");
    MessageId id;
    intake.accept(std::move(made), [&](const Result<intake::Receipt>& receipt) {
      ASSERT_TRUE(receipt.ok());
      id = receipt->message.id;
    });
    run();
    told.clear();
    return id;
  }

  // The fourth failure of a delivery of that message.
  model::Settlement failing(MessageId message) {
    model::Settlement made;
    made.delivery.key = {endpoint.id, message};
    made.delivery.application = application.id;
    made.delivery.state = DeliveryState::Retrying;
    made.delivery.progress.attempts = kFailingAttempts;
    made.delivery.attempts_total = 1;
    made.attempt = model::Attempt();
    made.attempt->id = AttemptId(maker.make(kNow));
    made.attempt->delivery = made.delivery.key;
    made.attempt->application = application.id;
    made.attempt->outcome = policy::Outcome::answered(503);
    made.attempt->started_at = made.attempt->ended_at = kNow;
    return made;
  }

  EndpointChange creation() {
    return {nullptr, std::make_shared<const model::Endpoint>(endpoint), Author::Person};
  }

  // What the store holds for the operational endpoints: the types of the notices.
  std::vector<std::string> notices() {
    const auto listed = store.messages(model::operational_application(organisation), {});
    std::vector<std::string> types;
    for (const model::Message& each : listed->items) types.push_back(each.event_type);
    return types;
  }

  StillClock clock;
  SeededSecureRandom random{1};
  KsuidMaker maker{random};
  metric::Metrics metrics{"1.2.3"};
  HandLoop loop{clock};
  std::shared_ptr<MemoryBudget> memory = MemoryBudget::unlimited();
  store::MemoryStore store{clock};
  store::Catalogue catalogue;
  const OrganisationId organisation{maker.make(kNow)};
  model::Application application;
  model::Endpoint endpoint{signature::KeyRing{signature::Secret::generate(random)}};
  struct Told {
    model::Message message;
    model::Payload payload;
  };
  std::vector<Told> told;
  int reads = 0;
  intake::Intake intake{{.store = store,
                         .catalogue = catalogue,
                         .clock = clock,
                         .random = random,
                         .metrics = metrics,
                         .loop = loop,
                         .memory = *memory,
                         .events = *this}};
  Herald herald{{.catalogue = catalogue,
                 .browse = store,
                 .intake = intake,
                 .metrics = metrics,
                 .loop = loop,
                 .pool = *this}};
};

TEST_F(HeraldTest, TellsOfAChangeToAnEndpoint) {
  const model::Endpoint listener = listen();

  herald.changed(creation());
  run();

  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].message.event_type, "endpoint.created");
  EXPECT_EQ(told[0].message.endpoints, std::vector{listener.id});
  EXPECT_NE(told[0].payload->find(endpoint.id.text()), std::string::npos);
  EXPECT_EQ(metrics.notices_made().value(), 1U);
}

TEST_F(HeraldTest, TellsOfATaskThatHasEnded) {
  listen({"background_task.finished"});
  model::Task task;
  task.organisation = organisation;
  task.state = model::TaskState::Finished;

  herald.ended(task);
  run();

  EXPECT_EQ(notices(), std::vector<std::string>{"background_task.finished"});
}

TEST_F(HeraldTest, MakesNothingThatNobodyWants) {
  herald.changed(creation());
  herald.settled(failing(MessageId()));
  listen({"endpoint.deleted"});
  herald.changed(creation());
  herald.settled(failing(MessageId()));
  run();

  EXPECT_EQ(notices(), std::vector<std::string>{});
  EXPECT_EQ(reads, 0);
}

TEST_F(HeraldTest, MakesNothingForADisabledListenerAlone) {
  model::Endpoint listener = listen();
  listener.is_disabled = true;
  catalogue.put(listener);

  herald.changed(creation());
  run();

  EXPECT_EQ(notices(), std::vector<std::string>{});
}

TEST_F(HeraldTest, TellsOnlyTheOrganisationThatItHappenedTo) {
  const OrganisationId other{maker.make(kNow)};
  make_endpoint(model::operational_application(other));

  herald.changed(creation());
  run();

  EXPECT_EQ(told.size(), 0U);
}

TEST_F(HeraldTest, TellsNothingOfItsOwnEndpointsAndNotices) {
  const model::Endpoint listener = listen();
  model::Settlement settlement = failing(MessageId(maker.make(kNow)));
  settlement.delivery.key.endpoint = listener.id;
  settlement.delivery.application = listener.application;

  herald.changed({nullptr, std::make_shared<const model::Endpoint>(listener), Author::Person});
  herald.settled(settlement);
  run();

  EXPECT_EQ(notices(), std::vector<std::string>{});
}

TEST_F(HeraldTest, FindsOutTheProducersIdOfAMessage) {
  const MessageId message = accept_message("order-17");
  listen();

  herald.settled(failing(message));
  run();

  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].message.event_type, "message.attempt.failing");
  EXPECT_NE(told[0].payload->find(R"("msgEventId":"order-17")"), std::string::npos);
}

TEST_F(HeraldTest, FindsTheLastAttemptOfADeliveryThatDiedWaiting) {
  const MessageId message = accept_message();
  model::Settlement failed = failing(message);
  failed.due_before = kNow;
  failed.delivery.due_at = kNow;
  store.settle({failed}, [](const auto& status) { ASSERT_TRUE(status.ok()); });
  listen();

  model::Settlement died = failed;
  died.attempt.reset();
  died.delivery.state = DeliveryState::Dead;
  died.delivery.reason = policy::DeadReason::Expired;
  herald.settled(died);
  run();

  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].payload->find(R"("lastAttempt":{"id":")" + failed.attempt->id.text()),
            std::string::npos)
      << *told[0].payload;
}

TEST_F(HeraldTest, ReadsForManyAtOnceAndInTurn) {
  const MessageId message = accept_message();
  listen();

  for (std::size_t i = 0; i < 2 * Herald::kBatch + 1; ++i) herald.settled(failing(message));
  EXPECT_EQ(reads, 1);
  run();

  // The first went alone: nothing else was there yet.
  EXPECT_EQ(reads, 3);
  EXPECT_EQ(told.size(), 2 * Herald::kBatch + 1);
}

TEST_F(HeraldTest, LosesAndCountsWhatIsTooMuch) {
  const MessageId message = accept_message();
  listen();

  // One is being read.
  for (std::size_t i = 0; i < Herald::kWaitingMax + 4; ++i) herald.settled(failing(message));
  EXPECT_EQ(metrics.notices_lost().value(), 3U);
  run();

  EXPECT_EQ(metrics.notices_made().value(), Herald::kWaitingMax + 1);
}

TEST_F(HeraldTest, IsIdleOnceEverythingIsWritten) {
  const MessageId message = accept_message();
  listen();
  std::optional<std::size_t> written;
  herald.settled(failing(message));
  herald.settled(failing(message));

  herald.when_idle([&] { written = told.size(); });
  EXPECT_EQ(written, std::nullopt);
  run();

  EXPECT_EQ(written, 2U);
}

TEST_F(HeraldTest, HandsNothingOverOnceItIsStopped) {
  const MessageId message = accept_message();
  listen();
  herald.settled(failing(message));

  herald.stop();
  herald.changed(creation());
  run();

  EXPECT_EQ(told.size(), 0U);
  EXPECT_EQ(metrics.notices_lost().value(), 2U);
}

TEST_F(HeraldTest, IsIdleAtOnceIfThereIsNothing) {
  bool is_idle = false;

  herald.when_idle([&] { is_idle = true; });

  EXPECT_TRUE(is_idle);
}

}  // namespace
}  // namespace petrel::notice
