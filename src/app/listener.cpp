#include "app/listener.h"

#include <string>
#include <utility>

namespace petrel::app {

Listener::Listener(const Parts& parts) : parts_(parts) {}

Listener::~Listener() = default;

Status Listener::bind(const net::HttpServerSettings& settings) {
  http_.reset();
  http_ = std::make_unique<net::HttpServer>(
      parts_.loop.context(), parts_.clock, settings,
      net::HttpServer::Callbacks{
          .handle =
              [this](net::HttpRequest request, net::Responder respond) {
                api_->handle(std::move(request), std::move(respond));
              },
          .error_page = [this](int status,
                               std::string_view detail) { return api_->refusal(status, detail); },
          .account_of =
              [this](const net::HttpRequest& request) { return api_->account_of(request); },
          .relieve = parts_.relieve});
  Status status = http_->bind();
  port_ = http_->port();
  return status;
}

void Listener::start(const node::Services& services, store::Store& store,
                     api::ApiSettings settings) {
  health_check_ = std::make_unique<HealthCheck>(
      parts_.loop, parts_.clock, parts_.beats,
      [&store](const std::function<void(StoreState)>& done) { prove_store(store, done); },
      parts_.remarks);
  pulse_ = std::make_unique<Pulse>(Pulse::Parts{.loop = parts_.loop,
                                                .clock = parts_.clock,
                                                .beats = parts_.beats,
                                                .beat = parts_.beat,
                                                .log = services.log});
  settings.ask_health = [this](HealthCheck::Done done) { health_check_->ask(std::move(done)); };
  settings.late_loops = [this] { return parts_.beats.late(parts_.clock.mono()); };
  api_ = std::make_unique<api::Api>(services, std::move(settings));
  http_->start();
}

void Listener::prove_store(store::Store& store, const std::function<void(StoreState)>& done) {
  store.prove([done](const store::StoreCondition& condition) {
    StoreState state{.takes_writes = condition.takes_writes,
                     .why_not = condition.why_not,
                     .damage_total = condition.damage_total};
    for (const store::StoreDamage& damage : condition.damage) {
      if (state.damaged.size() == StoreState::kNamedMax) break;
      state.damaged.push_back(damage.name.empty() ? "a file that has no name" : damage.name);
    }
    done(std::move(state));
  });
}

void Listener::set_identity(const std::shared_ptr<net::TlsIdentity>& identity) {
  parts_.loop.post([this, identity] {
    if (http_) http_->set_identity(identity);
  });
}

void Listener::stop() {
  if (http_) http_->stop();
}

}  // namespace petrel::app
