#include "node/shard.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "engine/resumption.h"
#include "node/attempt_figures.h"

namespace petrel::node {
namespace {

// Configuring a lane takes microseconds, and an application may have a hundred thousand.
constexpr std::size_t kLanesAtOnce = 1000;

constexpr Duration kRestedKept = std::chrono::hours(24);
constexpr Duration kRestedLookEvery = std::chrono::hours(1);

std::uint64_t draw_seed(SecureRandom& random) {
  std::array<std::uint8_t, 8> bytes{};
  random.fill(bytes);
  std::uint64_t seed = 0;
  for (const std::uint8_t byte : bytes) seed = seed << 8U | byte;
  return seed;
}

// The store copies what it writes: much of it at once would be there twice.
constexpr std::size_t kWritingPart = 8;

intake::IntakeSettings intake_settings(const MemoryBudget& memory) {
  intake::IntakeSettings settings;
  settings.pending_bytes_max = std::min(settings.pending_bytes_max, memory.max() / kWritingPart);
  return settings;
}

}  // namespace

Shard::Shard(const Parts& parts, const engine::CoreSettings& core)
    : parts_(parts),
      runner_({.loop = parts.own.loop,
               .clock = parts.seams.clock,
               .store = parts.seams.store,
               .transport = parts.own.transport,
               .secure_random = parts.seams.random,
               .ongoing = parts.ongoing,
               .note = parts.seams.note,
               .note_places = parts.note_places,
               .payloads = parts.payloads},
              listeners(), core, draw_seed(parts.seams.random)),
      intake_({.store = parts.seams.store,
               .catalogue = parts.seams.catalogue,
               .clock = parts.seams.clock,
               .random = parts.seams.random,
               .metrics = parts.seams.metrics,
               .loop = parts.own.loop,
               .memory = parts.memory,
               .events = *this},
              intake_settings(parts.memory)),
      herald_({.catalogue = parts.seams.catalogue,
               .browse = parts.seams.browse,
               .intake = intake_,
               .metrics = parts.seams.metrics,
               .loop = parts.own.loop,
               .pool = parts.seams.pool}),
      survey_({.loop = parts.own.loop,
               .clock = parts.seams.clock,
               .core = runner_.core(),
               .lanes = lanes_of_,
               .board = parts.board,
               .shard = parts.index,
               .failing_max = parts.endpoints_shown}),
      mailbox_(parts.own.loop, [this](std::vector<ShardMail> mail) { read(std::move(mail)); }) {}

engine::Runner::Listeners Shard::listeners() {
  return {
      .settled = [this](const model::Settlement& settlement) { settled(settlement); },
      .refused = [this](const model::DeliveryKey& delivery,
                        const Error& error) { log_refused(parts_.seams.log, delivery, error); },
      .faulted =
          [this](const model::DeliveryKey& delivery, const model::AttemptResult& result) {
            parts_.seams.metrics.attempts(metric::AttemptLabel::OurFault).add();
            parts_.seams.metrics.own_faults(label_of(result.fault)).add();
            log_fault(parts_.seams.log, delivery, result);
          },
      .blocked =
          [this](const model::DeliveryKey& delivery, const model::AttemptResult& result) {
            log_blocked(parts_.seams.log, delivery, result);
          },
      .probing = [this](EndpointId endpoint) { note_circuit(endpoint); },
      .paused = [this](const engine::PauseCommand& pause) { parts_.events.pause_wanted(pause); },
      .left = [this](engine::LaneLeft lane) { left(std::move(lane)); },
      .freed =
          [this](const engine::FreedSlot& slot) {
            parts_.router.send_to_shard(slot.shard, SlotGiven{slot.kind});
          },
      .suspect_ended = [this](const engine::SuspectEnded& ended) { suspect_ended(ended); },
      .woken = [this](Duration late) { parts_.seams.metrics.timer_delay().observe(late); },
      .turned = [this] { survey_.touch(); }};
}

engine::Now Shard::moment() const { return {parts_.seams.clock.wall(), parts_.seams.clock.mono()}; }

// Its own lanes hear of it at once, the others by one letter per shard.
void Shard::accepted(std::vector<model::DueDelivery> due) {
  HandOver own;
  std::vector<HandOver> others(parts_.router.shard_count());
  MessageId shelved;
  for (model::DueDelivery& each : due) {
    const MessageId message = each.delivery.key.message;
    if (each.payload && std::exchange(shelved, message) != message) {
      parts_.payloads.put(message, each.payload, each.content_type);
    }
    const std::optional<std::size_t> shard = parts_.router.shard_of(each.delivery.key.endpoint);
    if (!shard) continue;
    (*shard == parts_.index ? own : others[*shard]).due.push_back(std::move(each));
  }
  if (!own.due.empty()) take_over(std::move(own));
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!others[i].due.empty()) parts_.router.hand_over(i, std::move(others[i]));
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
  parts_.router.taken_over(parts_.index, mail.due.size());
  take_over(std::move(mail));
}

// Those of lanes that are elsewhere by now are in the store, where these look.
void Shard::take_over(HandOver mail) {
  std::erase_if(mail.due, [this](const model::DueDelivery& due) {
    const EndpointId endpoint = due.delivery.key.endpoint;
    if (ensure_lane(endpoint)) return false;
    if (is_elsewhere(endpoint)) parts_.router.send_to(endpoint, LaneLook{endpoint});
    return true;
  });
  runner_.accepted(std::move(mail.due));
}

void Shard::read(LaneLook& mail) {
  if (ensure_lane(mail.endpoint)) {
    runner_.nudge(mail.endpoint);
  } else if (is_elsewhere(mail.endpoint)) {
    parts_.router.send_to(mail.endpoint, mail);
  }
}

// A lane that is not there is made by its first work, from the catalogue as it is then, or by a
// resume: the ramp after it begins now, and ends although nothing is to be sent.
void Shard::read(LaneChanged& mail) {
  const bool is_here = runner_.core().lane(mail.endpoint) != nullptr;
  if (!is_here && mail.is_resumed) {
    kept_.insert_or_assign(mail.endpoint, engine::resumed(kept_of(mail.endpoint), moment().wall));
  }
  if (parts_.router.is_moving(mail.endpoint)) {
    is_here ? runner_.release(mail.endpoint) : depart(mail.endpoint, kept_of(mail.endpoint));
  } else if (is_here) {
    reconfigure(mail.endpoint);
  } else if (const auto endpoint = parts_.seams.catalogue.endpoint(mail.endpoint);
             endpoint && endpoint->deleted_at) {
    forget(mail.endpoint);
  } else if (mail.is_resumed) {
    ensure_lane(mail.endpoint);
  }
  mail.applied->acknowledge();
}

void Shard::read(ApplicationChanged& mail) {
  visit_lanes(mail.application, &Shard::reconfigure, std::move(mail.applied));
}

void Shard::read(ForgetPayloads& mail) {
  visit_lanes(mail.application, &Shard::forget_payloads, std::move(mail.applied));
}

void Shard::read(AuthorityLimitChanged& mail) {
  runner_.set_authority_limit(mail.authority, mail.limit);
  if (mail.applied) mail.applied->acknowledge();
}

void Shard::read(LaneArrives& mail) {
  if (const auto elsewhere = parts_.router.arrives(mail.endpoint, parts_.index)) {
    return parts_.router.send_to_shard(*elsewhere, std::move(mail));
  }
  if (mail.kept) kept_.insert_or_assign(mail.endpoint, *std::move(mail.kept));
  LaneLook look{mail.endpoint};
  read(look);
}

void Shard::read(LaneOrdered& mail) {
  if (!ensure_lane(mail.endpoint)) {
    const bool is_known = parts_.seams.catalogue.endpoint(mail.endpoint) != nullptr;
    return mail.done(is_known ? unavailable("the endpoint's URL has just changed; try again")
                              : not_found("there is no such endpoint"));
  }
  switch (mail.order) {
    case LaneOrder::Probe:
      runner_.probe_now(mail.endpoint);
      break;
    case LaneOrder::Close:
      runner_.close_circuit(mail.endpoint);
      break;
  }
  note_circuit(mail.endpoint);
  runner_.keep_lane(mail.endpoint, std::move(mail.done));
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

void Shard::read(SlotGiven& mail) { runner_.slot_given(mail.kind); }

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
void Shard::read(StopNotices& mail) {
  herald_.stop();
  parts_.own.loop.post([stopped = mail.stopped] { stopped->acknowledge(); });
}

void Shard::read(SuspectsMayGo&) { runner_.suspects_may_go(); }

void Shard::read(SuspectChanged& mail) {
  LaneLook look{mail.delivery.endpoint};
  read(look);
  parts_.suspects.put(mail.delivery, std::move(mail.entry));
}

std::optional<engine::LaneConfig> Shard::config_of(EndpointId id) const {
  const store::Catalogue& catalogue = parts_.seams.catalogue;
  const store::EndpointPtr endpoint = catalogue.endpoint(id);
  if (endpoint == nullptr) return std::nullopt;
  const store::ApplicationPtr tenant = catalogue.application(endpoint->application);
  engine::LaneConfig config = lane_config(endpoint, tenant.get(), parts_.defaults);
  if (tenant) config.shared_rate = parts_.rates.of(*tenant);
  if (config.shared_rate) config.shared_edition = config.shared_rate->edition();
  config.kept = kept_of(id);
  return config;
}

std::optional<store::KeptLane> Shard::kept_of(EndpointId endpoint) const {
  for (const KeptLanes* lanes : {&kept_, &rested_}) {
    const auto found = lanes->find(endpoint);
    if (found != lanes->end()) return found->second;
  }
  return std::nullopt;
}

bool Shard::ensure_lane(EndpointId endpoint) {
  const engine::LaneState* const lane = runner_.core().lane(endpoint);
  if (lane != nullptr) return !lane->is_leaving;
  if (parts_.router.is_moving(endpoint) || is_elsewhere(endpoint)) return false;
  std::optional<engine::LaneConfig> config = config_of(endpoint);
  if (!config) return false;
  lanes_of_[config->application].insert(endpoint);
  runner_.configure(*std::move(config));
  kept_.erase(endpoint);
  rested_.erase(endpoint);
  note_circuit(endpoint, LaneIs::New);
  return true;
}

bool Shard::is_elsewhere(EndpointId endpoint) const {
  return parts_.router.shard_of(endpoint).value_or(parts_.index) != parts_.index;
}

// REQUIRES: its lane is here.
void Shard::reconfigure(EndpointId endpoint) {
  std::optional<engine::LaneConfig> config = config_of(endpoint);
  if (config) runner_.configure(*std::move(config));
}

void Shard::forget_payloads(EndpointId endpoint) { runner_.forget_payloads(endpoint); }

void Shard::visit_lanes(ApplicationId application, LaneAction action, Applied applied,
                        EndpointId after) {
  const auto found = lanes_of_.find(application);
  if (found == lanes_of_.end()) return applied->acknowledge();
  auto next = found->second.upper_bound(after);
  EndpointId last = after;
  for (std::size_t i = 0; i < kLanesAtOnce && next != found->second.end(); ++i, ++next) {
    last = *next;
    (this->*action)(last);
  }
  if (next == found->second.end()) return applied->acknowledge();
  parts_.own.loop.post([this, application, action, applied = std::move(applied), last]() mutable {
    visit_lanes(application, action, std::move(applied), last);
  });
}

void Shard::left(engine::LaneLeft lane) {
  const auto tenant = lanes_of_.find(lane.application);
  tenant->second.erase(lane.endpoint);
  if (tenant->second.empty()) lanes_of_.erase(tenant);
  if (parts_.router.is_moving(lane.endpoint)) return depart(lane.endpoint, std::move(lane.kept));
  const store::EndpointPtr endpoint = parts_.seams.catalogue.endpoint(lane.endpoint);
  if (endpoint == nullptr || endpoint->deleted_at) {
    forget(lane.endpoint);
  } else if (lane.kept) {
    (lane.is_at_ease ? rested_ : kept_).insert_or_assign(lane.endpoint, *std::move(lane.kept));
  }
  forget_old_lanes();
}

// Of an endpoint that was deleted.
void Shard::forget(EndpointId endpoint) {
  kept_.erase(endpoint);
  rested_.erase(endpoint);
  parts_.circuits.note(endpoint, std::nullopt);
}

// A success that is a day old says nothing any more.
void Shard::forget_old_lanes() {
  const engine::Now now = moment();
  if (now.mono - rested_looked_at_ < kRestedLookEvery) return;
  rested_looked_at_ = now.mono;
  std::erase_if(rested_,
                [&](const auto& each) { return now.wall - each.second.kept_at > kRestedKept; });
}

// The lane goes on at the shard of its new URL.
void Shard::depart(EndpointId endpoint, std::optional<store::KeptLane> kept) {
  const auto to = parts_.router.departs(endpoint);
  if (!to) return;
  kept_.erase(endpoint);
  rested_.erase(endpoint);
  parts_.router.send_to_shard(*to, LaneArrives{endpoint, std::move(kept)});
}

void Shard::note_circuit(EndpointId endpoint, LaneIs is) {
  const engine::LaneState* const lane = runner_.core().lane(endpoint);
  if (lane == nullptr) return;
  const std::optional<engine::OpenCircuit> after = engine::open_circuit_of(*lane, moment());
  const std::optional<engine::OpenCircuit> before = parts_.circuits.note(endpoint, after);
  log_circuit(parts_.seams.log, lane->config, before, after, is);
}

void Shard::settled(const model::Settlement& settlement) {
  if (settlement.lane) note_circuit(settlement.delivery.key.endpoint);
  count(settlement, parts_.seams.metrics);
  if (settlement.delivery.is_manual) tell_tasks(settlement);
  herald_.settled(settlement);
  log_settlement(parts_.seams.log, settlement);
}

void Shard::suspect_ended(const engine::SuspectEnded& ended) {
  for (std::size_t i = 0; ended.had_turn && i < parts_.router.shard_count(); ++i) {
    parts_.router.send_to_shard(i, SuspectsMayGo{});
  }
  if (ended.is_cleared) parts_.events.suspect_cleared(ended.delivery);
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
