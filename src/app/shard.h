// Shard is one event loop with all that lives on it: its share of the producers' connections, its
// lanes, and the connections to their receivers.
//
// Thread: safe. What is on the loop is reached through it.

#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/api.h"
#include "node/open_circuits.h"
#include "app/health_check.h"
#include "app/heartbeats.h"
#include "node/lane_setup.h"
#include "app/pulse.h"
#include "node/shared_rates.h"
#include "base/clock.h"
#include "dispatch/http_transport.h"
#include "engine/runner.h"
#include "intake/intake.h"
#include "metric/metrics.h"
#include "net/asio_loop.h"
#include "net/http_server.h"
#include "notice/herald.h"
#include "store/catalogue.h"
#include "store/store.h"

namespace petrel::app {

class Shard {
 public:
  // What all shards share. Outlives them.
  struct Shared {
    const Clock& clock;
    store::Store& store;
    store::Browse& browse;
    store::Catalogue& catalogue;
    node::Changes& changes;
    metric::Metrics& metrics;
    SecureRandom& random;
    std::string jwt_secret;
    api::RateLimit* rate_limit = nullptr;  // Null: none.
    node::LaneDefaults lane_defaults;
    std::string public_url;
    node::SharedRates& rates;
    std::map<EndpointId, store::KeptLane> kept_lanes = {};  // Of the process before this one.
    std::function<void(std::function<void()>)> run_blocking;

    // Hands deliveries that were accepted here to the shards of their lanes.
    std::function<void(std::vector<model::DueDelivery>)> hand_over;

    // Has the lane of an endpoint look into the store.
    std::function<void(EndpointId)> nudge;

    node::OpenCircuits& circuits;
    engine::OngoingAttempts& ongoing;
    Heartbeats& beats;
    node::LaneControl lanes;
    node::TaskControl tasks;

    // The first attempt of a delivery that somebody put back has ended.
    std::function<void(const model::DeliveryKey&, bool is_good)> answered;

    // One that somebody put back has ended without an attempt.
    std::function<void(const model::DeliveryKey&)> unsent;
  };

  Shard(std::size_t index, Shared& shared);
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  // In this order: the port of the first one is known before the guard of any is made.
  Status bind(const net::HttpServerSettings& settings);
  std::uint16_t port() const { return port_; }
  Status build(const dispatch::HttpTransportSettings& transport, const engine::CoreSettings& core);
  void accept_requests();

  // See HttpServer::set_identity().
  void set_identity(const std::shared_ptr<net::TlsIdentity>& identity);

  // Sets up, or changes, the lane of an endpoint that lives here.
  void configure(const store::EndpointPtr& endpoint);
  void nudge(const store::EndpointPtr& endpoint);
  void accepted(std::vector<model::DueDelivery> due);

  // Makes the notices of a change to an endpoint that lives here.
  void changed(const notice::EndpointChange& change);

  // Makes the notice of a task that has ended.
  void ended(const model::Task& task);

  // As node::LaneControl has it.
  void health(EndpointId endpoint, std::function<void(engine::LaneHealth)> answer);
  void probe_now(EndpointId endpoint);
  void close_circuit(EndpointId endpoint);

  // Stopping, step by step.
  void stop_accepting();
  void drain(std::function<void()> done);
  void cancel_attempts();
  void stop_telling();
  void stop_serving();

 private:
  void build_on_loop(const engine::CoreSettings& core);
  void prove_store(const std::function<void(StoreState)>& done);
  engine::LaneConfig config_of(const model::Endpoint& endpoint) const;
  void ensure_lane(EndpointId endpoint);
  void note_circuit(EndpointId endpoint);
  void on_accepted(const store::Acceptance& acceptance, store::Sequence sequence);
  void on_unsure(const store::Acceptance& acceptance);
  void on_settled(const model::Settlement& settlement);
  void tell_tasks(const model::Settlement& settlement);
  void on_paused(const engine::PauseCommand& pause);

  Shared& shared_;
  const std::string name_;
  const std::size_t beat_;  // Among the heartbeats.
  std::uint16_t port_ = 0;
  net::AsioLoop loop_;

  // On the loop.
  std::unique_ptr<dispatch::HttpTransport> transport_;
  std::unique_ptr<engine::Runner> runner_;
  std::unique_ptr<intake::Intake> intake_;
  std::unique_ptr<notice::Herald> herald_;
  std::unique_ptr<HealthCheck> health_check_;
  std::unique_ptr<Pulse> pulse_;
  std::unique_ptr<api::Api> api_;
  std::unique_ptr<net::HttpServer> http_;
  std::vector<model::DueDelivery> outbox_;  // Accepted in this turn, to be handed over at its end.
  std::set<EndpointId> unsure_;             // To be nudged at the end of this turn.
};

}  // namespace petrel::app
