#include "sim/sim_node.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace petrel::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kKeyKept = hours(12);
constexpr Duration kDrainMax = seconds(20);

TimerDefects defects_of(Mutant mutant) {
  if (mutant == Mutant::SlowTimers) return {.lag = seconds(30), .forget_every = 0};
  if (mutant == Mutant::LosesWakeups) return {.lag = {}, .forget_every = 50};
  return {};
}

lane::RampSettings ramp_of(Mutant mutant) {
  lane::RampSettings ramp;
  if (mutant == Mutant::NeverRamps) {
    ramp.in_flight_first = 1000;
    ramp.rate_first_min = lane::Rate::per_second(1'000'000);
  }
  if (mutant == Mutant::RampQuadruples) ramp.step /= 2;  // Doubles twice in a step's time.
  if (mutant == Mutant::RampLingers) ramp.step = hours(1);
  return ramp;
}

engine::CoreSettings mutated(engine::CoreSettings settings, Mutant mutant) {
  if (mutant == Mutant::NoHalfForOthers) settings.troubled_percent = 100;
  return settings;
}

std::shared_ptr<const policy::RetryPolicy> mutated(const policy::RetryPolicy& policy,
                                                   Mutant mutant) {
  auto changed = std::make_shared<policy::RetryPolicy>(policy);
  if (mutant == Mutant::OneAttemptTooMany) ++changed->attempts_max;
  if (mutant == Mutant::Impatient) {
    changed->backoff.delay_base /= 2;
    for (Duration& delay : changed->backoff.schedule) delay /= 2;
  }
  return changed;
}

}  // namespace

SimNode::Life::Life(SimNode& node, std::uint64_t seed)
    : loop(node.parts_.world, defects_of(node.parts_.mutant)),
      runner({.loop = loop,
              .clock = node.parts_.world.clock(),
              .store = node.parts_.store,
              .transport = node.parts_.transport,
              .secure_random = node.secure_random_,
              .ongoing = ongoing},
             node.listeners(), mutated(node.parts_.scenario.core, node.parts_.mutant), seed),
      ids(node.secure_random_) {}

SimNode::SimNode(const Parts& parts, std::uint64_t seed)
    : parts_(parts), dice_(seed), secure_random_(seed) {
  for (const EndpointPlan& plan : parts.scenario.endpoints) {
    places_.emplace(plan.id, settings_.size());
    settings_.push_back({.is_paused = false,
                         .held = {},
                         .in_flight_max = plan.in_flight_max,
                         .throttle_rate = plan.throttle_rate});
  }
}

engine::Runner::Listeners SimNode::listeners() {
  return {.settled = [](const model::Settlement&) {},
          .refused = [](const model::DeliveryKey&, const Error&) {},
          .paused =
              [this](const engine::PauseCommand& command) {
                const std::size_t endpoint = places_.at(command.endpoint);
                set_paused(endpoint, true);
                // Somebody looks at it sooner or later.
                parts_.world.after(dice_.spread(seconds(1), hours(2)),
                                   [this, endpoint] { resume(endpoint); });
              }};
}

engine::LaneConfig SimNode::config_of(std::size_t endpoint) const {
  const EndpointPlan& plan = parts_.scenario.endpoints[endpoint];
  const Settings& settings = settings_[endpoint];
  engine::LaneConfig config;
  config.endpoint = plan.id;
  config.application = parts_.scenario.applications[plan.application];
  config.url = plan.url;
  config.authority = plan.authority;
  config.policy = mutated(*plan.policy, parts_.mutant);
  config.timeout = plan.timeout;
  config.settings.in_flight_max = settings.in_flight_max;
  if (parts_.mutant == Mutant::OneTooManyInFlight) ++config.settings.in_flight_max;
  config.settings.throttle_rate = settings.throttle_rate;
  if (parts_.mutant == Mutant::TwiceTheRate && settings.throttle_rate) {
    config.settings.throttle_rate = 2 * *settings.throttle_rate;
  }
  config.settings.ramp = ramp_of(parts_.mutant);
  if (parts_.mutant == Mutant::OpensForTooLong) config.settings.breaker.open_divisor = 3;
  config.settings.may_send = !settings.is_paused;
  const auto kept = kept_lanes_.find(plan.id);
  if (kept != kept_lanes_.end()) config.kept = kept->second;
  if (parts_.mutant != Mutant::PausesCostTime) config.held_total = settings.held.total;
  return config;
}

void SimNode::start() {
  if (life_) return;
  kept_lanes_.clear();
  if (parts_.mutant != Mutant::ForgetsLanes) {
    const store::Browse::KeptLanes lanes = parts_.disk.kept_lanes().value();
    for (const auto& [endpoint, bytes] : lanes) {
      store::KeptLane kept = store::decode_kept_lane(bytes).value();
      if (parts_.mutant == Mutant::ForgetsRamps) kept.snapshot.ramp = {};
      kept_lanes_.emplace(endpoint, std::move(kept));
    }
  }
  ++lives_;
  parts_.ledger.started();
  life_ = std::make_unique<Life>(*this, dice_.seed());
  for (std::size_t i = 0; i < settings_.size(); ++i) configure(i);
  if (parts_.mutant == Mutant::ForgetsQueue && lives_ > 1) return;
  const auto live = parts_.store.endpoints_with_live();
  if (!live.ok()) return;
  for (const EndpointId& endpoint : *live) life_->runner.nudge(endpoint);
}

void SimNode::configure(std::size_t endpoint) {
  if (life_) life_->runner.configure(config_of(endpoint));
}

void SimNode::crash() {
  if (!life_) return;
  parts_.ledger.happened(Fault::Crash);
  life_.reset();
  parts_.transport.crash();
  parts_.store.crash();
  parts_.ledger.crashed(parts_.disk);
}

void SimNode::restart(Duration pause) {
  if (!life_) return;
  parts_.ledger.happened(Fault::Restart);
  const auto stop = [this, pause, life = lives_] {
    if (life != lives_ || !life_) return;
    life_.reset();
    parts_.transport.crash();
    parts_.store.crash();
    parts_.ledger.crashed(parts_.disk);
    parts_.world.after(pause, [this] { start(); });
  };
  life_->runner.drain([this, stop] { parts_.world.after(Duration::zero(), stop); });
  parts_.world.after(kDrainMax / 2, [this, life = lives_] {
    if (life == lives_ && life_) parts_.transport.cancel_all();
  });
  parts_.world.after(kDrainMax, stop);
}

store::Acceptance SimNode::plan(const Request& request) {
  const WallTime now = parts_.world.clock().wall();
  const MessageId id(life_->ids.make(now));
  store::Acceptance acceptance;
  acceptance.message.id = id;
  acceptance.message.application = parts_.scenario.applications[request.application];
  acceptance.message.event_type = fmt::format("post.{}", request.post);
  acceptance.message.accepted_at = now;
  acceptance.payload = std::make_shared<const std::string>(
      fmt::format(R"({{"post":{},"other":{}}})", request.post, request.is_other_body));
  for (const EndpointPlan& endpoint : parts_.scenario.endpoints) {
    if (endpoint.application != request.application) continue;
    model::Delivery delivery;
    delivery.key = {endpoint.id, id};
    delivery.application = acceptance.message.application;
    delivery.due_at = now;
    delivery.updated_at = now;
    acceptance.deliveries.push_back(delivery);
    acceptance.message.endpoints.push_back(endpoint.id);
  }
  if (parts_.mutant == Mutant::ForgetsDelivery && dice_.chance(0.05)) {
    acceptance.deliveries.resize(acceptance.deliveries.size() / 2);
  }
  if (request.has_key) {
    acceptance.idempotent = store::IdempotentAnswer{
        .key = acceptance.message.event_type,
        .body_hash = *acceptance.payload,
        .expires_at = now + kKeyKept,
    };
  }
  return acceptance;
}

void SimNode::accept(const Request& request, Told told) {
  if (!life_) return told(unavailable("connection refused"));
  const store::Acceptance acceptance = plan(request);
  if (parts_.mutant == Mutant::AnswersTooEarly && !request.has_key) {
    told(store::Accepted{store::Accepted::Kind::New, acceptance.message.id});
    told = [](const Result<store::Accepted>&) {};
  }
  using Answers = Result<std::vector<store::Accepted>>;
  // The store calls this only if the process is still the one that asked.
  parts_.store.accept({acceptance}, [this, acceptance, told = std::move(told)](const Answers& all) {
    conclude(acceptance, all);
    if (!all.ok()) return told(all.error());
    told(all->front());
  });
}

void SimNode::conclude(const store::Acceptance& acceptance,
                       const Result<std::vector<store::Accepted>>& answers) {
  // It may have been written all the same, now or when the producer asked first: the store knows.
  if (!answers.ok() || answers->front().kind == store::Accepted::Kind::Repeated) {
    return nudge(acceptance);
  }
  if (answers->front().kind != store::Accepted::Kind::New) return;
  const bool waits = parts_.mutant == Mutant::KeepsTurns && are_others_sending(acceptance);
  const auto tell = [this, acceptance, sequence = answers->front().sequence, life = lives_] {
    if (life == lives_ && life_) introduce(acceptance, sequence);
  };
  if (waits) return parts_.world.after(milliseconds(500), tell);
  tell();
  if (parts_.mutant != Mutant::RepeatsDelivered) return;
  parts_.world.after(minutes(1), [this, acceptance, life = lives_] {
    if (life == lives_ && life_) feed(delivered_of(acceptance), 0);
  });
}

void SimNode::introduce(const store::Acceptance& acceptance, store::Sequence sequence) {
  for (const model::Delivery& delivery : acceptance.deliveries) {
    parts_.ledger.known(delivery.key);
  }
  feed(acceptance, sequence);
}

bool SimNode::are_others_sending(const store::Acceptance& acceptance) const {
  return std::any_of(places_.begin(), places_.end(), [&](const auto& place) {
    const auto& own = acceptance.message.endpoints;
    if (std::find(own.begin(), own.end(), place.first) != own.end()) return false;
    const auto& queues = life_->runner.core().lane(place.first)->queues;
    return std::any_of(queues.begin(), queues.end(), [](const auto& q) { return q.size() > 0; });
  });
}

store::Acceptance SimNode::delivered_of(store::Acceptance acceptance) const {
  std::erase_if(acceptance.deliveries, [this](const model::Delivery& delivery) {
    return parts_.disk.delivery(delivery.key)->state != model::DeliveryState::Delivered;
  });
  return acceptance;
}

void SimNode::feed(const store::Acceptance& acceptance, store::Sequence sequence) {
  std::vector<model::DueDelivery> due;
  for (const model::Delivery& delivery : acceptance.deliveries) {
    due.push_back({.delivery = delivery, .payload = acceptance.payload, .sequence = sequence});
  }
  life_->runner.accepted(std::move(due));
}

void SimNode::nudge(const store::Acceptance& acceptance) {
  for (const EndpointId& endpoint : acceptance.message.endpoints) life_->runner.nudge(endpoint);
}

void SimNode::pause(std::size_t endpoint) {
  parts_.ledger.happened(Fault::PausedByHand);
  set_paused(endpoint, true);
}

void SimNode::resume(std::size_t endpoint) {
  if (settings_[endpoint].is_paused) set_paused(endpoint, false);
}

void SimNode::set_paused(std::size_t endpoint, bool is_paused) {
  Settings& settings = settings_[endpoint];
  settings.is_paused = is_paused;
  settings.held.note(is_paused, parts_.world.clock().wall());
  parts_.ledger.held(endpoint, settings.held.total);
  configure(endpoint);
}

void SimNode::resume_all() {
  for (std::size_t i = 0; i < settings_.size(); ++i) resume(i);
}

void SimNode::change(std::size_t endpoint) {
  parts_.ledger.happened(Fault::EndpointChanged);
  const EndpointPlan& plan = parts_.scenario.endpoints[endpoint];
  Settings& settings = settings_[endpoint];
  settings.in_flight_max = dice_.between(1, plan.in_flight_max);
  settings.throttle_rate.reset();
  if (dice_.chance(0.3)) settings.throttle_rate = dice_.between(1, 20);
  parts_.ledger.throttled(endpoint, settings.throttle_rate);
  configure(endpoint);
}

}  // namespace petrel::sim
