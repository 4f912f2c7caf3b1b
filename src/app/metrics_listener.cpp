#include "app/metrics_listener.h"

#include <string>
#include <utility>

#include "api/http/api.h"
#include "api/http/error.h"
#include "api/http/router.h"

namespace petrel::app {
namespace {

// Prometheus needs one, and an operator who looks another.
constexpr std::size_t kConnectionsMax = 32;

}  // namespace

MetricsListener::MetricsListener(Parts parts) : parts_(std::move(parts)) {}

Status MetricsListener::bind(net::HttpServerSettings settings) {
  settings.connections_max = kConnectionsMax;
  http_ = std::make_unique<net::HttpServer>(
      parts_.loop.context(), parts_.clock, std::move(settings),
      net::HttpServer::Callbacks{
          .handle = [this](const net::HttpRequest& request,
                           const net::Responder& respond) { respond(answer(request)); },
          .error_page = api::Api::error_page});
  Status bound = http_->bind();
  port_ = http_->port();
  return bound;
}

void MetricsListener::start() { http_->start(); }

net::HttpResponse MetricsListener::answer(const net::HttpRequest& request) const {
  if (api::path_of(request.target) != "/metrics") {
    return api::error_page(404, "there are metrics here, at /metrics, and nothing else");
  }
  if (request.method != "GET" && request.method != "HEAD") {
    net::HttpResponse response = api::error_page(405, "this route takes GET, HEAD");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  if (auto refusal = parts_.gate.refusal(request)) return *std::move(refusal);
  net::HttpResponse response;
  response.body = parts_.registry.text();
  response.content_type = std::string(metric::Registry::kContentType);
  return response;
}

void MetricsListener::set_identity(const std::shared_ptr<net::TlsIdentity>& identity) {
  parts_.loop.post([this, identity] { http_->set_identity(identity); });
}

}  // namespace petrel::app
