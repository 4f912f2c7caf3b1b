#include "node/shard.h"

#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "engine/resumption.h"
#include "node/attempt_label.h"

namespace petrel::node {
namespace {

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

Shard::Shard(const Parts& parts, const engine::CoreSettings& core)
    : parts_(parts),
      runner_({.loop = parts.own.loop,
               .clock = parts.seams.clock,
               .store = parts.seams.store,
               .transport = parts.own.transport,
               .secure_random = parts.seams.random,
               .ongoing = parts.ongoing},
              listeners(), core, draw_seed(parts.seams.random)),
      intake_({.store = parts.seams.store,
               .catalogue = parts.seams.catalogue,
               .clock = parts.seams.clock,
               .random = parts.seams.random,
               .metrics = parts.seams.metrics,
               .loop = parts.own.loop,
               .events = *this}),
      herald_({.catalogue = parts.seams.catalogue,
               .browse = parts.seams.browse,
               .intake = intake_,
               .metrics = parts.seams.metrics,
               .loop = parts.own.loop,
               .pool = parts.seams.pool}),
      mailbox_(parts.own.loop, [this](std::vector<ShardMail> mail) { read(std::move(mail)); }) {}

engine::Runner::Listeners Shard::listeners() {
  return {
      .settled = [this](const model::Settlement& settlement) { settled(settlement); },
      .refused = on_refused,
      .faulted =
          [this](const model::AttemptResult&) {
            parts_.seams.metrics.attempts(metric::AttemptLabel::OurFault).add(1);
          },
      .paused = [this](const engine::PauseCommand& pause) { parts_.events.pause_wanted(pause); }};
}

engine::Now Shard::moment() const { return {parts_.seams.clock.wall(), parts_.seams.clock.mono()}; }

// Its own lanes hear of it at once, the others by one letter per shard.
void Shard::accepted(std::vector<model::DueDelivery> due) {
  HandOver own;
  std::vector<HandOver> others(parts_.router.shard_count());
  for (model::DueDelivery& each : due) {
    const std::optional<std::size_t> shard = parts_.router.shard_of(each.delivery.key.endpoint);
    if (!shard) continue;
    (*shard == parts_.index ? own : others[*shard]).due.push_back(std::move(each));
  }
  if (!own.due.empty()) read(own);
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!others[i].due.empty()) parts_.router.send_to_shard(i, std::move(others[i]));
  }
}

void Shard::unsure(std::vector<EndpointId> endpoints) {
  for (const EndpointId endpoint : endpoints) parts_.router.send_to(endpoint, LaneLook{endpoint});
}

void Shard::read(std::vector<ShardMail> mail) {
  for (ShardMail& each : mail) {
    std::visit([this](auto& what) { read(what); }, each);
  }
}

void Shard::read(HandOver& mail) {
  std::erase_if(mail.due, [this](const model::DueDelivery& due) {
    return !ensure_lane(due.delivery.key.endpoint);
  });
  runner_.accepted(std::move(mail.due));
}

void Shard::read(LaneLook& mail) {
  if (ensure_lane(mail.endpoint)) runner_.nudge(mail.endpoint);
}

void Shard::read(LaneChanged& mail) {
  configure(mail.endpoint);
  mail.applied->acknowledge();
}

void Shard::read(ApplicationChanged& mail) {
  // The others' lanes are made by their first work, from the catalogue as it is then.
  const auto found = lanes_of_.find(mail.application);
  if (found != lanes_of_.end()) {
    for (const EndpointId endpoint : found->second) configure(endpoint);
  }
  mail.applied->acknowledge();
}

void Shard::read(LaneOrdered& mail) {
  if (!ensure_lane(mail.endpoint)) return mail.done(not_found("there is no such endpoint"));
  switch (mail.order) {
    case LaneOrder::Probe:
      runner_.probe_now(mail.endpoint);
      break;
    case LaneOrder::Close:
      runner_.close_circuit(mail.endpoint);
      break;
  }
  note_circuit(mail.endpoint);
  mail.done(Done{});
}

void Shard::read(LaneAsked& mail) {
  if (const engine::LaneState* lane = runner_.core().lane(mail.endpoint)) {
    return mail.answer(engine::health_of(*lane, moment()));
  }
  std::optional<engine::LaneConfig> config = config_of(mail.endpoint);
  if (!config) return mail.answer(not_found("there is no such endpoint"));
  // As a lane would be that is made now; none is, since a question is no work.
  engine::Core core(engine::CoreSettings{}, parts_.seams.random, 0);
  core.configure(*std::move(config), moment());
  mail.answer(engine::health_of(*core.lane(mail.endpoint), moment()));
}

void Shard::read(EndpointNews& mail) { herald_.changed(mail.change); }

void Shard::read(TaskNews& mail) { herald_.ended(mail.task); }

void Shard::read(StartNothing& mail) {
  // What was settled last may still have to be told.
  runner_.drain(
      [this, drained = mail.drained] { herald_.when_idle([drained] { drained->acknowledge(); }); });
}

void Shard::read(CancelAttempts&) { parts_.own.transport.cancel_all(); }

// What was told in the turn before goes to the store at the end of that turn, by a task that may
// have been queued only now: the acknowledgement comes after it.
void Shard::read(StopTelling& mail) {
  herald_.stop();
  parts_.own.loop.post([stopped = mail.stopped] { stopped->acknowledge(); });
}

std::optional<engine::LaneConfig> Shard::config_of(EndpointId id) const {
  const store::Catalogue& catalogue = parts_.seams.catalogue;
  const store::EndpointPtr endpoint = catalogue.endpoint(id);
  if (endpoint == nullptr) return std::nullopt;
  const store::ApplicationPtr tenant = catalogue.application(endpoint->application);
  engine::LaneConfig config = lane_config(endpoint, tenant.get(), parts_.defaults);
  if (tenant) config.shared_rate = parts_.rates.of(*tenant);
  const auto kept = kept_.find(id);
  if (kept != kept_.end()) config.kept = kept->second;
  config.kept = engine::with_ramp_of_resume(std::move(config.kept), *endpoint, moment().wall);
  return config;
}

bool Shard::ensure_lane(EndpointId endpoint) {
  if (runner_.core().lane(endpoint) != nullptr) return true;
  if (!configure(endpoint)) return false;
  note_circuit(endpoint);
  return true;
}

bool Shard::configure(EndpointId endpoint) {
  std::optional<engine::LaneConfig> config = config_of(endpoint);
  if (!config) return false;
  lanes_of_[config->application].insert(endpoint);
  runner_.configure(*std::move(config));
  return true;
}

void Shard::note_circuit(EndpointId endpoint) {
  const engine::LaneState* const lane = runner_.core().lane(endpoint);
  if (lane != nullptr) parts_.circuits.note(endpoint, engine::open_circuit_of(*lane, moment()));
}

void Shard::settled(const model::Settlement& settlement) {
  const model::Delivery& delivery = settlement.delivery;
  metric::Metrics& metrics = parts_.seams.metrics;
  if (settlement.lane) note_circuit(delivery.key.endpoint);
  const bool is_delivered = delivery.state == model::DeliveryState::Delivered;
  if (settlement.attempt) {
    metrics.attempts(label_of(settlement.attempt->outcome, is_delivered)).add(1);
  }
  if (delivery.is_manual) tell_tasks(settlement);
  if (is_delivered) metrics.deliveries_delivered().add(1);
  if (delivery.state == model::DeliveryState::Dead) metrics.deliveries_dead().add(1);
  herald_.settled(settlement);
}

// Tasks wait for the first answer to what they put back, or for its end.
void Shard::tell_tasks(const model::Settlement& settlement) {
  const model::Delivery& delivery = settlement.delivery;
  if (settlement.attempt && delivery.progress.attempts <= 1) {
    parts_.events.answered(delivery.key, delivery.state == model::DeliveryState::Delivered);
  } else if (!settlement.attempt && !delivery.is_live()) {
    parts_.events.answered(delivery.key, std::nullopt);
  }
}

}  // namespace petrel::node
