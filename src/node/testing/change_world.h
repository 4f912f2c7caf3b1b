// ChangeWorld is Changes and their effects on a store in memory, with lanes and tasks that do
// nothing but listen, and a control loop that a test turns by hand.
//
// Thread: confined.

#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/blocking_pool.h"
#include "base/ksuid.h"
#include "base/secure_random.h"
#include "base/testing/hand_loop.h"
#include "log/testing/kept_log.h"
#include "node/change_effects.h"
#include "node/changes.h"
#include "node/lane_mail.h"
#include "node/task_waker.h"
#include "store/memory/memory_store.h"

namespace petrel::node {

// Takes a change, or does not, or does and says that it did not; and may not be readable.
class MoodyStore final : public store::MemoryStore {
 public:
  enum class Mood { Fine, Away, Unsure };

  using MemoryStore::MemoryStore;

  void change(store::ChangeSet set, store::ChangeDone done) override {
    if (mood == Mood::Away) return done(unavailable("the disk is full"));
    if (mood == Mood::Fine) return MemoryStore::change(std::move(set), std::move(done));
    MemoryStore::change(std::move(set), [done = std::move(done)](const Status&) {
      done(unavailable("who knows"));
    });
  }

  Result<model::Endpoint> endpoint(EndpointId id) override {
    ++reads;
    if (!is_readable) return unavailable("the disk does not answer");
    return MemoryStore::endpoint(id);
  }

  Mood mood = Mood::Fine;
  bool is_readable = true;
  int reads = 0;
};

// Acknowledges changes when it is told to.
class ListeningLanes final : public LaneMail {
 public:
  std::size_t shard_count() const override { return 2; }

  bool send_to(EndpointId, ShardMail mail) override {
    take(std::move(mail));
    return true;
  }
  void send_to_shard(std::size_t, ShardMail mail) override { take(std::move(mail)); }
  void send_to_authority(const std::string&, ShardMail mail) override { take(std::move(mail)); }
  void url_changes(EndpointId, const std::string&, const std::string&) override {}

  void acknowledge_all() {
    for (const Applied& each : std::exchange(waiting, {})) each->acknowledge();
  }

  bool is_prompt = true;
  std::vector<Applied> waiting;
  std::vector<EndpointId> changed;
  std::vector<EndpointId> looked;
  std::vector<notice::EndpointChange> news;

 private:
  void take(ShardMail mail) {
    if (auto* lane = std::get_if<LaneChanged>(&mail)) {
      changed.push_back(lane->endpoint);
      waiting.push_back(std::move(lane->applied));
    }
    if (auto* application = std::get_if<ApplicationChanged>(&mail)) {
      waiting.push_back(std::move(application->applied));
    }
    if (auto* forget = std::get_if<ForgetPayloads>(&mail)) {
      waiting.push_back(std::move(forget->applied));
    }
    if (auto* cap = std::get_if<AuthorityLimitChanged>(&mail)) {
      waiting.push_back(std::move(cap->applied));
    }
    if (const auto* look = std::get_if<LaneLook>(&mail)) looked.push_back(look->endpoint);
    if (const auto* news_of = std::get_if<EndpointNews>(&mail)) news.push_back(news_of->change);
    if (is_prompt) acknowledge_all();
  }
};

class ListeningTasks final : public TaskWaker {
 public:
  void wake(OrganisationId, TaskId task) override { woken.push_back(task); }
  std::size_t under_way() const override { return woken.size(); }

  std::vector<TaskId> woken;
};

struct ChangeWorld : BlockingPool {
  void run() { loop.run(); }

  bool run(Function<void()> work) override {
    loop.post(std::move(work));
    return true;
  }

  HandClock clock{wall_from_unix_seconds(1'800'000'000), MonoTime{}};
  HandLoop loop{clock};
  SeededSecureRandom random{3};
  KsuidMaker maker{random};
  MoodyStore store{clock, [this](Function<void()> answer) { loop.post(std::move(answer)); }};
  store::Catalogue catalogue;
  RevokedTokens revoked;
  SharedRates rates;
  LaneDefaults defaults;
  AuthorityLimits limits{catalogue, defaults, 32};
  engine::PayloadShelf payloads{MemoryBudget::unlimited()};
  ListeningLanes lanes;
  ListeningTasks tasks;
  log::KeptLog log;
  ChangeEffects effects{{.control = loop,
                         .clock = clock,
                         .pool = *this,
                         .browse = store,
                         .catalogue = catalogue,
                         .revoked = revoked,
                         .rates = rates,
                         .payloads = payloads,
                         .limits = limits,
                         .lanes = lanes,
                         .tasks = tasks,
                         .log = log}};
  Changes changes{{.control = loop,
                   .clock = clock,
                   .store = store,
                   .catalogue = catalogue,
                   .effects = effects}};
};

}  // namespace petrel::node
