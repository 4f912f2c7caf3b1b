#include "app/shard.h"

#include <utility>

#include <fmt/format.h>

#include "engine/resumption.h"

namespace petrel::app {
namespace {

constexpr Duration kPauseRetry = std::chrono::seconds(1);

metric::AttemptLabel label_of(const policy::Outcome& outcome, bool is_success) {
  using metric::AttemptLabel;
  if (is_success) return AttemptLabel::Success;
  switch (outcome.kind()) {
    case policy::Outcome::Kind::Answered:
      return AttemptLabel::Failure;
    case policy::Outcome::Kind::Blocked:
      return AttemptLabel::Blocked;
    case policy::Outcome::Kind::OurFault:
      return AttemptLabel::OurFault;
    case policy::Outcome::Kind::Failed:
      break;
  }
  switch (outcome.failure()) {
    case policy::FailureKind::Dns:
      return AttemptLabel::Dns;
    case policy::FailureKind::Connect:
      return AttemptLabel::Connect;
    case policy::FailureKind::Tls:
      return AttemptLabel::Tls;
    case policy::FailureKind::Timeout:
      return AttemptLabel::Timeout;
    case policy::FailureKind::Reset:
      return AttemptLabel::Reset;
    case policy::FailureKind::Protocol:
      return AttemptLabel::Protocol;
  }
  return AttemptLabel::Failure;
}

void on_refused(const model::DeliveryKey& delivery, const Error& error) {
  fmt::print(stderr,
             "petrel: the delivery of {} to {} is left alone, as what is stored of it is damaged "
             "({}); petrel inspect --verify says what else is.\n",
             delivery.message.text(), delivery.endpoint.text(), error.text());
}

std::uint64_t draw_seed(SecureRandom& random) {
  std::array<std::uint8_t, 8> bytes{};
  random.fill(bytes);
  std::uint64_t seed = 0;
  for (const std::uint8_t byte : bytes) seed = seed << 8U | byte;
  return seed;
}

}  // namespace

Shard::Shard(std::size_t index, Shared& shared)
    : shared_(shared),
      name_(fmt::format("shard-{}", index)),
      beat_(shared.beats.add(name_, shared.clock.mono())),
      loop_(name_, shared.clock) {}

Shard::~Shard() {
  loop_.run_and_wait([this] {
    pulse_.reset();
    http_.reset();
    api_.reset();
    health_check_.reset();
    herald_.reset();
    intake_.reset();
    runner_.reset();
    transport_.reset();
  });
}

Status Shard::bind(const net::HttpServerSettings& settings) {
  Status status = Done{};
  loop_.run_and_wait([&] {
    http_.reset();
    http_ = std::make_unique<net::HttpServer>(
        loop_.context(), shared_.clock, settings,
        net::HttpServer::Callbacks{.handle =
                                       [this](net::HttpRequest request, net::Responder respond) {
                                         api_->handle(std::move(request), std::move(respond));
                                       },
                                   .error_page = api::Api::error_page});
    status = http_->bind();
    port_ = http_->port();
  });
  return status;
}

Status Shard::build(const dispatch::HttpTransportSettings& transport,
                    const engine::CoreSettings& core) {
  Status status = Done{};
  loop_.run_and_wait([&] {
    Result<std::unique_ptr<dispatch::HttpTransport>> made = dispatch::HttpTransport::make(
        loop_.context(), shared_.clock, transport,
        [this](const EndpointId& id) { return shared_.catalogue.endpoint(id); });
    if (!made.ok()) {
      status = made.error();
      return;
    }
    transport_ = *std::move(made);
    build_on_loop(core);
  });
  return status;
}

void Shard::build_on_loop(const engine::CoreSettings& core) {
  const auto post = [this](std::function<void()> task) { loop_.post(std::move(task)); };
  runner_ = std::make_unique<engine::Runner>(
      engine::Runner::Parts{loop_, shared_.clock, shared_.store, *transport_, shared_.random,
                            shared_.ongoing},
      engine::Runner::Listeners{
          .settled = [this](const model::Settlement& settlement) { on_settled(settlement); },
          .refused = on_refused,
          .faulted =
              [this](const model::AttemptResult&) {
                shared_.metrics.attempts(metric::AttemptLabel::OurFault).add(1);
              },
          .paused = [this](const engine::PauseCommand& pause) { on_paused(pause); }},
      core, draw_seed(shared_.random));
  intake_ = std::make_unique<intake::Intake>(intake::Intake::Parts{
      .store = shared_.store,
      .catalogue = shared_.catalogue,
      .clock = shared_.clock,
      .random = shared_.random,
      .metrics = shared_.metrics,
      .defer = post,
      .post = post,
      .on_accepted = [this](const store::Acceptance& acceptance,
                            store::Sequence sequence) { on_accepted(acceptance, sequence); },
      .on_unsure = [this](const store::Acceptance& acceptance) { on_unsure(acceptance); }});
  herald_ =
      std::make_unique<notice::Herald>(notice::Herald::Parts{.catalogue = shared_.catalogue,
                                                             .browse = shared_.browse,
                                                             .intake = *intake_,
                                                             .metrics = shared_.metrics,
                                                             .post = post,
                                                             .run_blocking = shared_.run_blocking});
  health_check_ = std::make_unique<HealthCheck>(
      loop_, shared_.clock, shared_.beats,
      [this](const std::function<void(StoreState)>& done) { prove_store(done); });
  pulse_ = std::make_unique<Pulse>(loop_, shared_.clock, shared_.beats, beat_);
  api_ = std::make_unique<api::Api>(api::Parts{
      .store = shared_.store,
      .browse = shared_.browse,
      .catalogue = shared_.catalogue,
      .changes = shared_.changes,
      .intake = *intake_,
      .clock = shared_.clock,
      .random = shared_.random,
      .metrics = shared_.metrics,
      .auth = api::Auth(shared_.jwt_secret),
      .retry_policy = shared_.lane_defaults.retry_policy,
      .post = post,
      .run_blocking = shared_.run_blocking,
      .rate_limit = shared_.rate_limit,
      .nudge = shared_.nudge,
      .lanes = shared_.lanes,
      .tasks = shared_.tasks,
      .ask_health = [this](HealthCheck::Done done) { health_check_->ask(std::move(done)); },
      .public_url = shared_.public_url});
}

void Shard::prove_store(const std::function<void(StoreState)>& done) {
  shared_.store.prove([done](const store::StoreCondition& condition) {
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

void Shard::accept_requests() {
  loop_.run_and_wait([this] { http_->start(); });
}

void Shard::set_identity(const std::shared_ptr<net::TlsIdentity>& identity) {
  loop_.post([this, identity] {
    if (http_) http_->set_identity(identity);
  });
}

engine::LaneConfig Shard::config_of(const model::Endpoint& endpoint) const {
  const store::ApplicationPtr tenant = shared_.catalogue.application(endpoint.application);
  engine::LaneConfig config = node::lane_config(endpoint, tenant.get(), shared_.lane_defaults);
  if (tenant) config.shared_rate = shared_.rates.of(*tenant);
  const auto kept = shared_.kept_lanes.find(endpoint.id);
  if (kept != shared_.kept_lanes.end()) config.kept = kept->second;
  config.kept = engine::with_ramp_of_resume(std::move(config.kept), endpoint, shared_.clock.wall());
  return config;
}

void Shard::configure(const store::EndpointPtr& endpoint) {
  loop_.post([this, endpoint] { runner_->configure(config_of(*endpoint)); });
}

void Shard::nudge(const store::EndpointPtr& endpoint) {
  loop_.post([this, endpoint] {
    ensure_lane(endpoint->id);
    runner_->nudge(endpoint->id);
  });
}

void Shard::ensure_lane(EndpointId endpoint) {
  if (runner_->core().lane(endpoint) != nullptr) return;
  runner_->configure(config_of(*shared_.catalogue.endpoint(endpoint)));
  note_circuit(endpoint);
}

void Shard::note_circuit(EndpointId endpoint) {
  const engine::LaneState* const lane = runner_->core().lane(endpoint);
  if (lane == nullptr) return;
  const engine::Now now{shared_.clock.wall(), shared_.clock.mono()};
  shared_.circuits.note(endpoint, engine::open_circuit_of(*lane, now));
}

void Shard::accepted(std::vector<model::DueDelivery> due) {
  auto shared = std::make_shared<std::vector<model::DueDelivery>>(std::move(due));
  loop_.post([this, shared] {
    for (const model::DueDelivery& one : *shared) ensure_lane(one.delivery.key.endpoint);
    runner_->accepted(std::move(*shared));
  });
}

void Shard::changed(const notice::EndpointChange& change) {
  loop_.post([this, change] { herald_->changed(change); });
}

void Shard::ended(const model::Task& task) {
  loop_.post([this, task] { herald_->ended(task); });
}

void Shard::health(EndpointId endpoint, std::function<void(engine::LaneHealth)> answer) {
  loop_.post([this, endpoint, answer = std::move(answer)] {
    ensure_lane(endpoint);
    const engine::Now now{shared_.clock.wall(), shared_.clock.mono()};
    answer(engine::health_of(*runner_->core().lane(endpoint), now));
  });
}

void Shard::probe_now(EndpointId endpoint) {
  loop_.post([this, endpoint] {
    ensure_lane(endpoint);
    runner_->probe_now(endpoint);
  });
}

void Shard::close_circuit(EndpointId endpoint) {
  loop_.post([this, endpoint] {
    ensure_lane(endpoint);
    runner_->close_circuit(endpoint);
    note_circuit(endpoint);
  });
}

void Shard::on_accepted(const store::Acceptance& acceptance, store::Sequence sequence) {
  if (outbox_.empty()) {
    loop_.post([this] { shared_.hand_over(std::exchange(outbox_, {})); });
  }
  for (const model::Delivery& delivery : acceptance.deliveries) {
    outbox_.push_back({delivery, acceptance.payload, sequence, acceptance.message.content_type});
  }
}

void Shard::on_unsure(const store::Acceptance& acceptance) {
  if (unsure_.empty()) {
    loop_.post([this] {
      for (const EndpointId endpoint : std::exchange(unsure_, {})) shared_.nudge(endpoint);
    });
  }
  for (const model::Delivery& delivery : acceptance.deliveries) {
    unsure_.insert(delivery.key.endpoint);
  }
}

void Shard::on_settled(const model::Settlement& settlement) {
  const model::Delivery& delivery = settlement.delivery;
  if (settlement.lane) note_circuit(delivery.key.endpoint);
  const bool is_delivered = delivery.state == model::DeliveryState::Delivered;
  if (settlement.attempt) {
    shared_.metrics.attempts(label_of(settlement.attempt->outcome, is_delivered)).add(1);
  }
  if (delivery.is_manual) tell_tasks(settlement);
  if (is_delivered) shared_.metrics.deliveries_delivered().add(1);
  if (delivery.state == model::DeliveryState::Dead) shared_.metrics.deliveries_dead().add(1);
  herald_->settled(settlement);
}

// Tasks wait for the first answer to what they put back, or for its end.
void Shard::tell_tasks(const model::Settlement& settlement) {
  const model::Delivery& delivery = settlement.delivery;
  if (settlement.attempt && delivery.progress.attempts <= 1) {
    shared_.answered(delivery.key, delivery.state == model::DeliveryState::Delivered);
  } else if (!settlement.attempt && !delivery.is_live()) {
    shared_.unsent(delivery.key);
  }
}

void Shard::on_paused(const engine::PauseCommand& pause) {
  const auto edit = [why = pause.why, since = shared_.clock.wall()](model::Endpoint& endpoint) {
    if (!endpoint.pause) endpoint.pause = model::Pause{since, why};
    return Status(Done{});
  };
  // The lane stands still already. Until the pause is on disk it is tried again: a restart must not
  // wake an endpoint that told us to stop.
  shared_.changes.edit(pause.endpoint, edit, [this, pause](const Result<store::EndpointPtr>& done) {
    if (done.ok() || done.error().kind != ErrorKind::Unavailable) return;
    loop_.post([this, pause] {
      std::shared_ptr<LoopTimer> timer = loop_.make_timer();
      timer->set(shared_.clock.mono() + kPauseRetry, [this, pause, timer] { on_paused(pause); });
    });
  });
}

void Shard::stop_accepting() {
  loop_.run_and_wait([this] {
    if (http_) http_->stop();
  });
}

void Shard::drain(std::function<void()> done) {
  loop_.post([this, done = std::move(done)] {
    if (!runner_) return done();  // Start-up failed before there was anything to drain.
    // What was settled last may still have to be told.
    runner_->drain([this, done] { herald_->when_idle(done); });
  });
}

void Shard::cancel_attempts() {
  loop_.run_and_wait([this] {
    if (transport_) transport_->cancel_all();
  });
}

void Shard::stop_serving() {
  loop_.run_and_wait([this] { http_.reset(); });
}

void Shard::stop_telling() {
  loop_.run_and_wait([this] {
    if (herald_) herald_->stop();
  });
  // What was told in the turn before goes to the store at the end of that turn, by a task that may
  // have been queued only now. The store is closed after it.
  loop_.run_and_wait([] {});
}

}  // namespace petrel::app
