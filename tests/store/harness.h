// What every test of a store stands on: stores to try, a clock that stands still, records that are
// like real ones, and the verbs with their answers waited for.
//
// Thread: confined.

#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/id.h"
#include "store/browse.h"
#include "store/rocksdb/rocks_settings.h"
#include "store/rocksdb/rocks_store.h"
#include "store/store.h"
#include "vault/vault.h"

namespace petrel::store {

inline constexpr WallTime kNoon = wall_from_unix_seconds(1'750'000'000);

// Stands still until it is moved on.
class StillClock final : public Clock {
 public:
  WallTime wall() const override { return kNoon + passed_.load(); }
  MonoTime mono() const override { return MonoTime(passed_.load()); }
  void pass(Duration time) { passed_ = passed_.load() + time; }

 private:
  std::atomic<Duration> passed_{Duration(0)};
};

// A folder of the test's own, gone when the test is over.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  std::string at(std::string_view name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// One kind of store, opened.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual Store& store() = 0;
  virtual Browse& browse() = 0;
};

struct SubjectKind {
  std::string name;
  std::unique_ptr<Subject> (*open)(const Clock& clock, const ScratchFolder& folder);
};

// Every kind that there is; all must pass the same tests.
std::vector<SubjectKind> subject_kinds();

// One that all tests may share.
std::shared_ptr<const vault::Vault> test_vault();

// Opened with the test's failure if it does not; with the test's vault if the settings have none.
std::unique_ptr<RocksStore> open_rocks(const RocksSettings& settings, const Clock& clock);

// Waits for the answer that `call` hands to its callback.
template <typename Answer, typename Call>
Answer wait_for(Call call) {
  auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> future = promise->get_future();
  call([promise](Answer answer) { promise->set_value(std::move(answer)); });
  if (future.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
    ADD_FAILURE() << "no answer within a minute";
    std::terminate();
  }
  return future.get();
}

// The verbs, waited for.
Result<std::vector<Accepted>> accept(Store& store, std::vector<Acceptance> batch);
Result<std::vector<Settled>> settle(Store& store, std::vector<model::Settlement> batch);
Result<DuePage> load_due(Store& store, DueQuery query);
Result<std::vector<LoadedPayload>> load_payloads(Store& store, std::vector<MessageId> messages);
Status change(Store& store, ChangeSet set);
Status change(Store& store, Change one);
Result<Purged> purge(Store& store, PurgeOrder order);

// A whole sweep, with the same period for everything.
Status purge_all(Store& store, Duration period);
Status create(Store& store, model::Application application);
Status create(Store& store, model::Endpoint endpoint);
Status update(Store& store, model::Application application);
Status update(Store& store, model::Endpoint endpoint);

// Records like real ones, with ids that grow.
class Maker {
 public:
  explicit Maker(std::uint64_t seed = 1) : random_(seed), maker_(random_) {}

  Ksuid ksuid(WallTime at = kNoon) { return maker_.make(at); }
  EndpointId endpoint_id() { return EndpointId(ksuid()); }
  ApplicationId application_id() { return ApplicationId(ksuid()); }

  model::Application application(std::string uid = "");
  model::Endpoint endpoint(ApplicationId of, std::string uid = "");
  model::EventType event_type(std::string name);

  // A message for these endpoints, due at once.
  Acceptance acceptance(ApplicationId of, const std::vector<EndpointId>& endpoints,
                        WallTime at = kNoon);

  OrganisationId organisation{Ksuid()};

  // What an attempt makes of a delivery.
  model::Settlement delivered(const model::Delivery& before);
  model::Settlement retrying(const model::Delivery& before, WallTime due_at);
  model::Settlement dead(const model::Delivery& before, WallTime at = kNoon);

  // Given up without an attempt.
  model::Settlement ended_unsent(const model::Delivery& before);

  // Back to Pending, without an attempt.
  model::Settlement replayed(const model::Delivery& before, WallTime due_at);

 private:
  model::Settlement settlement(const model::Delivery& before, policy::Outcome outcome);

  SeededSecureRandom random_;
  KsuidMaker maker_;
};

// A test that every kind of store must pass.
class StoreTest : public testing::TestWithParam<SubjectKind> {
 protected:
  void SetUp() override { subject_ = GetParam().open(clock_, folder_); }

  Store& store() { return subject_->store(); }
  Browse& browse() { return subject_->browse(); }

  // Accepts one message for these endpoints.
  Acceptance accepted(ApplicationId application, const std::vector<EndpointId>& endpoints);

  StillClock clock_;
  ScratchFolder folder_;
  Maker make_;
  std::unique_ptr<Subject> subject_;
};

std::string name_of_kind(const testing::TestParamInfo<SubjectKind>& info);

}  // namespace petrel::store
