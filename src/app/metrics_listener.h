// MetricsListener is a listener of its own for the metrics (metrics-listen), so that they need not
// be where producers are: it answers GET /metrics, and nothing else.
//
// Thread: confined to its loop, but for construction and port().

#pragma once

#include <cstdint>
#include <memory>

#include "api/http/metrics_gate.h"
#include "base/clock.h"
#include "base/result.h"
#include "metric/registry.h"
#include "net/asio_loop.h"
#include "net/http_server.h"

namespace petrel::app {

class MetricsListener {
 public:
  // All outlive it, but for the gate, which it keeps.
  struct Parts {
    net::AsioLoop& loop;
    const Clock& clock;
    const metric::Registry& registry;
    api::MetricsGate gate;
  };

  explicit MetricsListener(Parts parts);
  MetricsListener(const MetricsListener&) = delete;
  MetricsListener& operator=(const MetricsListener&) = delete;

  // Takes the address, and accepts nothing yet.
  Status bind(net::HttpServerSettings settings);
  std::uint16_t port() const { return port_; }

  // Begins to accept. REQUIRES: all metrics are made.
  void start();

  // See HttpServer::set_identity(). On any thread.
  void set_identity(const std::shared_ptr<net::TlsIdentity>& identity);

 private:
  net::HttpResponse answer(const net::HttpRequest& request) const;

  const Parts parts_;
  std::uint16_t port_ = 0;
  std::unique_ptr<net::HttpServer> http_;
};

}  // namespace petrel::app
