// Listener is what one of the server's loops offers to the outside: its share of the producers'
// connections, the API behind them, and the health check.
//
// Thread: confined to its loop, but for construction and what says otherwise.

#pragma once

#include <cstdint>
#include <memory>

#include "api/http/api.h"
#include "app/health_check.h"
#include "app/heartbeats.h"
#include "app/pulse.h"
#include "base/clock.h"
#include "base/result.h"
#include "net/asio_loop.h"
#include "net/http_server.h"
#include "node/services.h"
#include "store/store.h"

namespace petrel::app {

class Listener {
 public:
  // All outlive it.
  struct Parts {
    net::AsioLoop& loop;
    const Clock& clock;
    Heartbeats& beats;
    std::size_t beat;              // This loop's among the heartbeats.
    net::Relieve relieve;          // Of descriptors, in want of one for a client.
    HealthCheck::Remarks remarks;  // On any thread.
  };

  explicit Listener(const Parts& parts);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Takes the address, and accepts nothing yet: the port is known before anything else is made.
  Status bind(const net::HttpServerSettings& settings);
  std::uint16_t port() const { return port_; }

  // Begins to accept. `settings` need no ask_health; `store` outlives it.
  void start(const node::Services& services, store::Store& store, api::ApiSettings settings);

  // See HttpServer::set_identity(). On any thread.
  void set_identity(const std::shared_ptr<net::TlsIdentity>& identity);

  // Accepts no more; what came whole is still answered.
  void stop();

 private:
  static void prove_store(store::Store& store, const std::function<void(StoreState)>& done);

  const Parts parts_;
  std::uint16_t port_ = 0;
  std::unique_ptr<HealthCheck> health_check_;
  std::unique_ptr<Pulse> pulse_;
  std::unique_ptr<api::Api> api_;
  std::unique_ptr<net::HttpServer> http_;  // Goes first: its connections use the others.
};

}  // namespace petrel::app
