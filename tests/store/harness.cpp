#include "harness.h"

#include <atomic>

#include <unistd.h>

#include "store/memory/memory_store.h"

namespace petrel::store {
namespace {

template <typename T>
class SubjectOf final : public Subject {
 public:
  explicit SubjectOf(std::unique_ptr<T> both) : both_(std::move(both)) {}
  Store& store() override { return *both_; }
  Browse& browse() override { return *both_; }

 private:
  std::unique_ptr<T> both_;
};

std::unique_ptr<Subject> open_memory(const Clock& clock, const ScratchFolder& /*folder*/) {
  return std::make_unique<SubjectOf<MemoryStore>>(std::make_unique<MemoryStore>(clock));
}

std::unique_ptr<Subject> open_rocks_in(const Clock& clock, const ScratchFolder& folder) {
  RocksSettings settings;
  settings.path = folder.at("store");
  return std::make_unique<SubjectOf<RocksStore>>(open_rocks(settings, clock));
}

}  // namespace

ScratchFolder::ScratchFolder() {
  static std::atomic<int> number = 0;
  path_ = std::filesystem::path(testing::TempDir()) /
          ("petrel-store-" + std::to_string(getpid()) + "-" + std::to_string(++number));
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<SubjectKind> subject_kinds() {
  return {{"Memory", open_memory}, {"Rocks", open_rocks_in}};
}

std::shared_ptr<const vault::Vault> test_vault() {
  static const auto kVault =
      std::make_shared<const vault::Vault>(std::vector<std::string>{"the secret of the tests"});
  return kVault;
}

std::unique_ptr<RocksStore> open_rocks(const RocksSettings& settings, const Clock& clock) {
  RocksSettings whole = settings;
  if (!whole.vault) whole.vault = test_vault();
  Result<std::unique_ptr<RocksStore>> opened = RocksStore::open(whole, clock);
  if (opened.ok()) return *std::move(opened);
  ADD_FAILURE() << opened.error().text();
  return nullptr;
}

Result<std::vector<Accepted>> accept(Store& store, std::vector<Acceptance> batch) {
  return wait_for<Result<std::vector<Accepted>>>(
      [&](auto done) { store.accept(std::move(batch), std::move(done)); });
}

Result<std::vector<Settled>> settle(Store& store, std::vector<model::Settlement> batch) {
  return wait_for<Result<std::vector<Settled>>>(
      [&](auto done) { store.settle(std::move(batch), std::move(done)); });
}

Result<DuePage> load_due(Store& store, DueQuery query) {
  return wait_for<Result<DuePage>>([&](auto done) { store.load_due(query, std::move(done)); });
}

Result<std::vector<LoadedPayload>> load_payloads(Store& store, std::vector<MessageId> messages) {
  CopyingKeeper keeper;
  return wait_for<Result<std::vector<LoadedPayload>>>(
      [&](auto done) { store.load_payloads(std::move(messages), keeper, std::move(done)); });
}

Status change(Store& store, ChangeSet set) {
  return wait_for<Status>([&](auto done) { store.change(std::move(set), std::move(done)); });
}

Status change(Store& store, Change one) {
  return change(store, ChangeSet{.changes = {std::move(one)}});
}

Result<Purged> purge(Store& store, PurgeOrder order) {
  return wait_for<Result<Purged>>(
      [&](auto done) { store.purge(std::move(order), std::move(done)); });
}

Status purge_all(Store& store, Duration period) {
  const RetentionRules rules{.others = {period, period, period, period}};
  PurgeOrder order{.rules = std::make_shared<const RetentionRules>(rules)};
  do {
    const Result<Purged> purged = purge(store, order);
    if (!purged.ok()) return purged.error();
    order.from = purged->next;
  } while (order.from);
  return Done{};
}

Status create(Store& store, model::Application application) {
  return change(store, CreateApplication{std::move(application)});
}

Status create(Store& store, model::Endpoint endpoint) {
  return change(store, CreateEndpoint{std::move(endpoint)});
}

Status update(Store& store, model::Application application) {
  return change(store, UpdateApplication{std::move(application)});
}

Status update(Store& store, model::Endpoint endpoint) {
  return change(store, UpdateEndpoint{std::move(endpoint)});
}

model::Application Maker::application(std::string uid) {
  model::Application made;
  made.id = application_id();
  made.organisation = organisation;
  made.uid = std::move(uid);
  made.name = "Acme";
  made.metadata = {{"plan", "gold"}};
  made.created_at = kNoon;
  made.updated_at = kNoon;
  return made;
}

model::Endpoint Maker::endpoint(ApplicationId of, std::string uid) {
  model::Endpoint made(signature::KeyRing{signature::Secret::generate(random_)});
  made.id = endpoint_id();
  made.application = of;
  made.uid = std::move(uid);
  made.url = "https://example.com/hook";
  made.created_at = kNoon;
  made.updated_at = kNoon;
  return made;
}

model::EventType Maker::event_type(std::string name) {
  model::EventType made;
  made.organisation = organisation;
  made.name = std::move(name);
  made.description = "An invoice was paid";
  made.schemas = R"({"1":{"type":"object"}})";
  made.feature_flags = {"beta"};
  made.group_name = "billing";
  made.created_at = kNoon;
  made.updated_at = kNoon;
  return made;
}

Acceptance Maker::acceptance(ApplicationId of, const std::vector<EndpointId>& endpoints,
                             WallTime at) {
  Acceptance made;
  made.message.id = MessageId(ksuid(at));
  made.message.application = of;
  made.message.event_type = "invoice.paid";
  made.message.endpoints = endpoints;
  made.message.accepted_at = at;
  made.payload = std::make_shared<const std::string>("{\"id\":\"" + made.message.id.text() + "\"}");
  for (const EndpointId& endpoint : endpoints) {
    model::Delivery delivery;
    delivery.key = {endpoint, made.message.id};
    delivery.application = of;
    delivery.due_at = at;
    delivery.updated_at = at;
    made.deliveries.push_back(delivery);
  }
  return made;
}

model::Settlement Maker::settlement(const model::Delivery& before, policy::Outcome outcome) {
  model::Settlement made;
  made.state_before = before.state;
  made.due_before = before.due_at;
  made.delivery = before;
  made.delivery.attempts_total += 1;
  made.delivery.progress.attempts += 1;
  made.delivery.progress.tally.add(outcome);
  made.delivery.last_outcome = outcome.code();
  model::Attempt attempt;
  attempt.id = AttemptId(ksuid());
  attempt.delivery = before.key;
  attempt.application = before.application;
  attempt.number = made.delivery.attempts_total;
  attempt.url = "https://example.com/hook";
  attempt.outcome = outcome;
  attempt.started_at = kNoon;
  attempt.ended_at = kNoon + std::chrono::milliseconds(20);
  made.attempt = attempt;
  return made;
}

model::Settlement Maker::delivered(const model::Delivery& before) {
  model::Settlement made = settlement(before, policy::Outcome::answered(204));
  made.delivery.state = model::DeliveryState::Delivered;
  made.delivery.updated_at = kNoon + std::chrono::milliseconds(20);
  return made;
}

model::Settlement Maker::retrying(const model::Delivery& before, WallTime due_at) {
  model::Settlement made = settlement(before, policy::Outcome::answered(503));
  made.delivery.state = model::DeliveryState::Retrying;
  made.delivery.due_at = due_at;
  return made;
}

model::Settlement Maker::dead(const model::Delivery& before, WallTime at) {
  model::Settlement made = settlement(before, policy::Outcome::failed(policy::FailureKind::Dns));
  made.delivery.state = model::DeliveryState::Dead;
  made.delivery.reason = policy::DeadReason::Exhausted;
  made.delivery.updated_at = at;
  return made;
}

model::Settlement Maker::ended_unsent(const model::Delivery& before) {
  model::Settlement made{
      .attempt = {}, .state_before = before.state, .due_before = before.due_at, .delivery = before};
  made.delivery.state = model::DeliveryState::Dead;
  made.delivery.reason = policy::DeadReason::Cancelled;
  return made;
}

model::Settlement Maker::replayed(const model::Delivery& before, WallTime due_at) {
  model::Settlement made;
  made.state_before = before.state;
  made.due_before = before.due_at;
  made.delivery = before;
  made.delivery.state = model::DeliveryState::Pending;
  made.delivery.reason.reset();
  made.delivery.due_at = due_at;
  made.delivery.updated_at = due_at;
  made.delivery.progress = {};
  return made;
}

Acceptance StoreTest::accepted(ApplicationId application,
                               const std::vector<EndpointId>& endpoints) {
  Acceptance made = make_.acceptance(application, endpoints);
  const auto answers = accept(store(), {made});
  EXPECT_TRUE(answers.ok());
  return made;
}

std::string name_of_kind(const testing::TestParamInfo<SubjectKind>& info) {
  return info.param.name;
}

}  // namespace petrel::store
