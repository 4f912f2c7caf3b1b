// ApiWorld is an Api with everything it needs, in memory and on a clock that stands still: for
// tests.
//
//   ApiWorld world;
//   const Reply reply = world.ask("POST", "/api/v1/app", {.body = R"({"name":"A"})"});
//
// Thread: confined.

#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/http/api.h"
#include "base/json.h"
#include "engine/hand_note.h"
#include "log/testing/kept_log.h"
#include "store/memory/memory_store.h"

namespace petrel::api {

// A clock that moves when it is told to.
struct HandClock final : Clock {
  WallTime wall() const override { return now; }
  MonoTime mono() const override { return MonoTime{}; }

  WallTime now = wall_from_unix_seconds(1'800'000'000);
};

struct Ask {
  std::string body = {};
  std::string token = {};  // The world's own organisation's if empty; none if "none".
  net::HttpHeaders headers = {};
  std::string client = "192.0.2.1";
};

struct Reply {
  int status = 0;
  std::string body;
  net::HttpHeaders headers;
  std::string content_type;

  // Empty if there is none.
  std::string header(std::string_view name) const;

  // The text of a field of the body's object: of a string its content. Fails the test if there is
  // none.
  std::string field(std::string_view name) const;
};

// Does what it is told; while it is unsure it says that it did not.
class UnsureStore final : public store::MemoryStore {
 public:
  using MemoryStore::MemoryStore;

  void change(store::ChangeSet set, store::ChangeDone done) override {
    if (!is_unsure) return MemoryStore::change(std::move(set), std::move(done));
    MemoryStore::change(std::move(set), [done = std::move(done)](const Status&) {
      done(unavailable("who knows"));
    });
  }

  bool is_unsure = false;
};

// Lanes that do nothing but listen.
class FakeLanes final : public node::LaneDirectory, public node::LaneMail {
 public:
  void health(EndpointId, Function<void(Result<engine::LaneHealth>)> answer) override {
    answer(lane_health);
  }
  void order(EndpointId endpoint, node::LaneOrder order, Function<void(Status)> done) override {
    told.push_back((order == node::LaneOrder::Probe ? "probe " : "close ") + endpoint.text());
    done(Done{});
  }
  std::optional<engine::OpenCircuit> open_circuit(EndpointId) const override { return circuit; }
  bool is_sending(const model::DeliveryKey& delivery) const override { return sending == delivery; }
  std::optional<engine::SuspectList::Entry> suspicion(
      const model::DeliveryKey& delivery) const override {
    return suspects.find(delivery);
  }

  std::size_t shard_count() const override { return 1; }
  bool send_to(EndpointId, node::ShardMail mail) override {
    send_to_shard(0, std::move(mail));
    return true;
  }
  void send_to_shard(std::size_t, node::ShardMail mail) override {
    if (const auto* look = std::get_if<node::LaneLook>(&mail)) nudged.push_back(look->endpoint);
    if (auto* suspect = std::get_if<node::SuspectChanged>(&mail)) {
      nudged.push_back(suspect->delivery.endpoint);
      suspects.put(suspect->delivery, std::move(suspect->entry));
    }
    if (auto* changed = std::get_if<node::LaneChanged>(&mail)) changed->applied->acknowledge();
    if (auto* changed = std::get_if<node::ApplicationChanged>(&mail)) {
      changed->applied->acknowledge();
    }
    if (auto* forget = std::get_if<node::ForgetPayloads>(&mail)) forget->applied->acknowledge();
    if (auto* cap = std::get_if<node::AuthorityLimitChanged>(&mail)) cap->applied->acknowledge();
  }
  void send_to_authority(const std::string&, node::ShardMail mail) override {
    send_to_shard(0, std::move(mail));
  }
  void url_changes(EndpointId, const std::string&, const std::string&) override {}

  engine::LaneHealth lane_health;              // Of every lane.
  std::optional<engine::OpenCircuit> circuit;  // Likewise; empty: closed.
  model::DeliveryKey sending;                  // Its attempt is in flight.
  engine::SuspectList suspects;
  std::vector<std::string> told;   // What lanes were told: "probe ep_…".
  std::vector<EndpointId> nudged;  // Whose lanes were told to look into the store.
};

class FakeTasks final : public node::TaskWaker {
 public:
  void wake(OrganisationId, TaskId task) override { woken.push_back(task); }
  std::size_t under_way() const override { return count; }

  std::vector<TaskId> woken;  // Tasks that are new, or were changed.
  std::size_t count = 0;
};

class ApiWorld : private intake::IntakeEvents {
 public:
  explicit ApiWorld(RateLimit* rate_limit = nullptr,
                    const std::optional<net::AddressGuard>& guard = {});

  Reply ask(std::string method, std::string target, const Ask& ask = {});

  // All are sent before anything is answered; the replies in their order.
  struct Sent {
    std::string method;
    std::string target;
    std::string body;
    net::HttpHeaders headers = {};
  };
  std::vector<Reply> ask_at_once(const std::vector<Sent>& requests);

  // Each gives the new thing's id.
  std::string make_application(const std::string& uid = "", const std::string& token = "");
  std::string make_endpoint(const std::string& application, const std::string& fields = "",
                            const std::string& token = "");
  std::string make_message(const std::string& application, const std::string& event_type = "a");

  // Records an attempt of a message to an endpoint and gives its id.
  std::string settle(const std::string& endpoint, const std::string& message,
                     const model::AttemptResult& result);

  // Puts a delivery into another state, without an attempt. Dead needs a reason.
  void end(const std::string& endpoint, const std::string& message, model::DeliveryState state,
           std::optional<policy::DeadReason> reason = {});

  model::Delivery delivery(const std::string& endpoint, const std::string& message);

  std::string organisation_token(const OrganisationId& organisation);
  std::string application_token(const std::string& application);
  std::string token_of(const Caller& caller);

  node::Changes& changes() { return changes_; }
  node::Quarantine& quarantine() { return quarantine_; }

  void advance(Duration duration) { clock.now += duration; }

  HandClock clock;
  SeededSecureRandom random{7};
  KsuidMaker maker{random};
  OrganisationId organisation{maker.make(clock.now)};
  metric::Metrics metrics{"1.2.3"};
  std::shared_ptr<MemoryBudget> memory = MemoryBudget::make(64 * 1024 * 1024);
  UnsureStore store;
  store::Catalogue catalogue;
  std::vector<MessageId> handed_on;  // Messages whose deliveries the engine was told of.
  std::vector<std::string> order;    // What ran on the other thread: "blocking".
  FakeLanes lanes;
  FakeTasks tasks;
  engine::HandNote note;
  log::KeptLog log;
  ServerHealth server_health;
  Status may_accept = Done{};

  // The most processor time that anything took at a stretch, but for what ran on the other thread.
  Duration dearest_step{};

 private:
  // The world's only loop, which is its control loop too.
  class WorldLoop;
  class WorldPool;

  ApiSettings settings(RateLimit* rate_limit, const std::optional<net::AddressGuard>& guard);
  void accepted(std::vector<model::DueDelivery> due) override;
  void unsure(std::vector<EndpointId>) override {}
  void run();
  void measured(const Function<void()>& task);
  void send(net::HttpRequest request, const std::string& token, std::vector<Reply>& replies);

  std::deque<Function<void()>> queue_;
  bool is_blocking_ = false;  // What runs now is on the other thread.
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<BlockingPool> pool_;
  Auth auth_{"the secret of this test"};
  node::RevokedTokens revoked_;
  node::SharedRates rates_;
  engine::PayloadShelf payloads_{memory};
  node::LaneDefaults lane_defaults_;
  node::AuthorityLimits limits_{catalogue, lane_defaults_, 32};
  node::ChangeEffects effects_;
  node::Changes changes_;
  node::Quarantine quarantine_;
  node::DeliveryActions deliveries_;
  intake::Intake intake_;
  Api api_;
};

}  // namespace petrel::api
