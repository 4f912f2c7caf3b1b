// Where a server shows its metrics, and to whom.

#include <utility>

#include "app/server.h"
#include "base/ip_address.h"
#include "base/try.h"
#include "net/tls_identity.h"

namespace petrel::app {

api::MetricsGate Server::metrics_gate(const Settings& settings) {
  if (settings.metrics_listen) {
    return {.closed_why = "the metrics have a listener of their own: metrics-listen"};
  }
  const auto ip = IpAddress::parse(settings.listen.host);
  const bool is_private = ip && ip->is_loopback();
  if (is_private || !settings.metrics_token.empty()) return {.token = settings.metrics_token};
  return {.closed_why =
              "the metrics are closed, as this listener is not on loopback: set "
              "metrics-token, or metrics-listen for a listener of their own"};
}

Status Server::bind_metrics(const Settings& settings) {
  if (!settings.metrics_listen) return Done{};
  net::HttpServerSettings http;
  http.host = settings.metrics_listen->host;
  http.port = settings.metrics_listen->port;
  if (!tls_.key.empty()) {
    ASSIGN_OR_RETURN(http.identity, net::TlsIdentity::load(tls_));
  }
  metrics_listener_ = std::make_unique<MetricsListener>(
      MetricsListener::Parts{.loop = control_loop_,
                             .clock = clock_,
                             .registry = metrics_.registry(),
                             .gate = {.token = settings.metrics_token}});
  Status bound = Done{};
  control_loop_.run_and_wait([&] { bound = metrics_listener_->bind(std::move(http)); });
  if (!bound.ok()) return Error{bound.error().kind, "metrics-listen", bound.error().detail};
  return Done{};
}

std::optional<std::uint16_t> Server::metrics_port() const {
  if (!metrics_listener_) return std::nullopt;
  return metrics_listener_->port();
}

}  // namespace petrel::app
