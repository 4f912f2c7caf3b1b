// ApiWorld is an Api with everything it needs, in memory and on a clock that stands still: for
// tests.
//
//   ApiWorld world;
//   const Reply reply = world.ask("POST", "/api/v1/app", {.body = R"({"name":"A"})"});
//
// Thread: confined.

#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "api/api.h"
#include "base/json.h"
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
    MemoryStore::change(std::move(set), [done](const Status&) { done(unavailable("who knows")); });
  }

  bool is_unsure = false;
};

class ApiWorld {
 public:
  explicit ApiWorld(RateLimit* rate_limit = nullptr);

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

  void advance(Duration duration) { clock.now += duration; }

  HandClock clock;
  SeededSecureRandom random{7};
  KsuidMaker maker{random};
  OrganisationId organisation{maker.make(clock.now)};
  metric::Metrics metrics{"1.2.3"};
  UnsureStore store;
  store::Catalogue catalogue;
  node::Changes changes{store, catalogue, clock};
  std::vector<MessageId> accepted;                  // What the engine was told of.
  std::vector<EndpointId> nudged;                   // Whose lanes were told to look into the store.
  std::vector<std::string> order;                   // What ran on the other thread: "blocking".
  engine::LaneHealth health;                        // Of every lane.
  std::vector<std::string> told;                    // What lanes were told: "probe ep_…".
  std::optional<engine::OpenCircuit> open_circuit;  // Of every lane; empty: closed.
  model::DeliveryKey sending;                       // Its attempt is in flight.
  std::vector<TaskId> woken;                        // Tasks that are new, or were changed.
  std::size_t tasks_under_way = 0;
  ServerHealth server_health;

  // The most processor time that anything took at a stretch, but for what ran on the other thread.
  Duration dearest_step{};

 private:
  Parts parts(RateLimit* rate_limit);
  void run();
  void measured(const Task& task);
  void send(net::HttpRequest request, const std::string& token, std::vector<Reply>& replies);

  std::deque<Task> tasks_;
  bool is_blocking_ = false;  // What runs now is on the other thread.
  Auth auth_{"the secret of this test"};
  intake::Intake intake_;
  Api api_;
};

}  // namespace petrel::api
