#include "sim/sim_node.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/rfc3339.h"
#include "signature/secret.h"
#include "sim/mutated.h"
#include "sim/people.h"

namespace petrel::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kDrainMax = seconds(20);

TimerDefects defects_of(Mutant mutant) {
  if (mutant == Mutant::SlowTimers) return {.lag = seconds(30), .forget_every = 0};
  if (mutant == Mutant::LosesWakeups) return {.lag = {}, .forget_every = 50};
  if (mutant == Mutant::RestsLate) return {.far = minutes(55), .far_lag = minutes(15)};
  if (mutant == Mutant::NeverSleeps) return {.polls_every = seconds(10)};
  return {};
}

policy::Guards mutated_guards(Mutant mutant) {
  policy::Guards guards;
  if (mutant == Mutant::NeverRamps) {
    guards.ramp_in_flight = 1000;
    guards.ramp_divisor = 1;
    guards.ramp_step = milliseconds(1);
  }
  if (mutant == Mutant::RampQuadruples) guards.ramp_step = milliseconds(2500);  // Two in one.
  if (mutant == Mutant::RampLingers) guards.ramp_step = minutes(5);
  if (mutant == Mutant::OpensTooShort) guards.open_time = seconds(14);
  if (mutant == Mutant::PausesTooSoon) guards.pause_after = 99;
  if (mutant == Mutant::OpensForTooLong) guards.open_time = minutes(1);
  if (mutant == Mutant::NeverReleases) guards.release_after_outage = false;
  return guards;
}

policy::RetryPolicy mutated(policy::RetryPolicy policy, Mutant mutant) {
  if (mutant == Mutant::OneAttemptTooMany) ++policy.attempts_max;
  if (mutant == Mutant::Impatient) {
    policy.backoff.delay_base /= 2;
    for (Duration& delay : policy.backoff.schedule) delay /= 2;
  }
  return policy;
}

// What a person would see of it.
std::string words_for(const model::Endpoint& endpoint) {
  return fmt::format("{} {} limit {} rate {} {}{}", endpoint.id.text(), endpoint.url,
                     endpoint.in_flight_max.value_or(0), endpoint.throttle_rate.value_or(0),
                     endpoint.pause ? endpoint.pause->why : "sends",
                     endpoint.deleted_at ? " deleted" : "");
}

std::string words_for(const model::Application& application) {
  return fmt::format("{} rate {}", application.id.text(), application.throttle_rate.value_or(0));
}

}  // namespace

// What waits for the disk is done a moment later, unless the process has died by then.
class SimNode::Pool final : public BlockingPool {
 public:
  Pool(World& world, std::uint64_t seed) : world_(world), dice_(seed) {}
  ~Pool() override { *is_alive_ = false; }

  bool run(Function<void()> work) override {
    const Duration wait = dice_.chance(0.02) ? dice_.spread(milliseconds(10), seconds(3))
                                             : dice_.spread(Duration(10), milliseconds(10));
    world_.after(wait, [is_alive = is_alive_, work = std::move(work)] {
      if (*is_alive) work();
    });
    return true;
  }

 private:
  World& world_;
  Dice dice_;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

SimNode::Life::Life(SimNode& own, std::size_t shards)
    : control(own.parts_.world), pool(std::make_unique<Pool>(own.parts_.world, own.dice_.seed())) {
  for (std::size_t i = 0; i < shards; ++i) {
    loops.push_back(std::make_unique<SimLoop>(own.parts_.world, defects_of(own.parts_.mutant)));
  }
}

SimNode::Life::~Life() = default;

SimNode::SimNode(const Parts& parts, std::uint64_t seed)
    : parts_(parts), dice_(seed), secure_random_(seed) {
  store::ChangeSet set;
  for (std::size_t i = 0; i < parts.scenario.applications.size(); ++i) {
    model::Application application;
    application.id = parts.scenario.applications[i];
    application.throttle_rate = mutated_rate(parts.scenario.rate_of(i), parts.mutant);
    application.retention = parts.scenario.retention_of(i);
    set.changes.emplace_back(store::CreateApplication{application});
  }
  for (const EndpointPlan& plan : parts.scenario.endpoints) {
    places_.emplace(plan.id, places_.size());
    set.changes.emplace_back(store::CreateEndpoint{record_of(plan)});
  }
  parts.disk.store().change(std::move(set), [](const Status& status) { CHECK(status.ok()); });
  parts.store.on_endpoint([this](const model::Endpoint& endpoint) { written(endpoint); });
  parts.store.on_others_sending(
      [this](const store::Acceptance& acceptance) { return are_others_sending(acceptance); });
  parts.witness.on_shown([this](ApplicationId application, EndpointId endpoint) {
    return is_shown(application, endpoint);
  });
}

model::Endpoint SimNode::record_of(const EndpointPlan& plan) {
  model::Endpoint endpoint(signature::KeyRing{signature::Secret::generate(secure_random_)});
  endpoint.id = plan.id;
  endpoint.application = parts_.scenario.applications[plan.application];
  endpoint.url = plan.url;
  endpoint.retry_policy = mutated(*plan.policy, parts_.mutant);
  endpoint.timeout = plan.timeout;
  endpoint.in_flight_max = mutated_limit(plan.in_flight_max, parts_.mutant);
  endpoint.throttle_rate = mutated_rate(plan.throttle_rate, parts_.mutant);
  // Long ago, so that no start takes it for an endpoint that was just resumed.
  endpoint.created_at = endpoint.updated_at = parts_.world.clock().wall() - hours(24 * 365);
  return endpoint;
}

node::NodeSettings SimNode::settings() const {
  node::NodeSettings settings;
  settings.lanes.guards = mutated_guards(parts_.mutant);
  settings.core = parts_.scenario.core;
  settings.retention = parts_.scenario.retention;
  if (parts_.mutant == Mutant::TwiceTheFurther) {
    settings.core.slots += settings.core.slots / 2;
    settings.core.first_percent = 33;
  }
  if (parts_.mutant == Mutant::KeepsNoPlaces) settings.core.kept_percent = 0;
  if (parts_.mutant == Mutant::OneSlotTooMany) settings.core.slots += 2;  // One of each kind.
  if (parts_.mutant == Mutant::OneTooManyAtAuthority) ++settings.core.in_flight_per_authority;
  settings.last_commit = kDrainMax / 2;
  const std::size_t memory = parts_.scenario.memory_bytes;
  if (memory > 0) settings.memory = MemoryBudget::make(memory);
  return settings;
}

void SimNode::start() {
  if (life_) return;
  auto life = std::make_unique<Life>(*this, parts_.scenario.shards);
  node::NodeLoops loops{.control = life->control, .shards = {}};
  for (const auto& loop : life->loops) {
    loops.shards.push_back({.loop = *loop, .transport = parts_.transport});
  }
  parts_.store.start(lives_ > 0);
  auto started = node::Node::start({.clock = parts_.world.clock(),
                                    .random = secure_random_,
                                    .store = parts_.store,
                                    .browse = parts_.store,
                                    .catalogue = life->catalogue,
                                    .pool = *life->pool,
                                    .metrics = life->metrics,
                                    .note = note_,
                                    .log = life->log},
                                   std::move(loops), settings());
  if (!started.ok()) {
    parts_.world.after(seconds(1), [this] { start(); });
    return;
  }
  life->node = *std::move(started);
  life->view.emplace(*life->node, life->loops.size());
  ++lives_;
  life_ = std::move(life);
  parts_.witness.started();
  parts_.store.started();
}

void SimNode::end_life(bool has_drained) {
  life_.reset();
  parts_.transport.crash();
  parts_.store.crash(has_drained);
  parts_.witness.ended(has_drained);
}

void SimNode::crash() {
  if (!life_) return;
  parts_.faults.add(Fault::Crash);
  end_life(false);
}

void SimNode::restart(Duration pause) {
  if (!life_ || std::exchange(life_->is_stopping, true)) return;
  parts_.faults.add(Fault::Restart);
  parts_.witness.stopping(kDrainMax / 2);
  const Duration grace = mutated_grace(kDrainMax / 2, parts_.mutant);
  life_->node->drain(grace, [this, pause, life = lives_] {
    parts_.world.after(Duration::zero(), [this, pause, life] {
      if (life == lives_ && life_) stopped(pause);
    });
  });
}

void SimNode::stopped(Duration pause) {
  end_life(true);
  parts_.world.after(pause, [this] { start(); });
}

void SimNode::accept(const Request& request, Told told) {
  if (!life_) return told(unavailable("connection refused"));
  intake::NewMessage message;
  message.application = parts_.scenario.applications[request.application];
  message.event_type = fmt::format("post.{}", request.post);
  const std::size_t padding = parts_.scenario.posts[request.post].payload_bytes;
  message.payload = std::make_shared<const std::string>(
      fmt::format(R"({{"post":{},"other":{}}})", request.post, request.is_other_body) +
      std::string(padding, ' '));
  if (request.has_key) {
    message.idempotent =
        store::IdempotentAnswer{.key = message.event_type,
                                .body_hash = *message.payload,
                                .expires_at = parts_.world.clock().wall() + kKeyKept};
  }
  message.deliver_at = mutated_schedule(request.deliver_at, parts_.mutant);
  std::string json = fmt::format(R"({{"eventType": "{}"}})", message.event_type);
  if (request.deliver_at) {
    json = fmt::format(R"({{"eventType": "{}", "deliverAt": "{}"}})", message.event_type,
                       to_rfc3339(*request.deliver_at));
  }
  const auto entrance =
      static_cast<std::size_t>(dice_.between(0, static_cast<int>(life_->loops.size()) - 1));
  const std::uint64_t number =
      parts_.witness.asked({.act = judge::Act::Post,
                            .application = message.application,
                            .key = request.has_key ? message.event_type : "",
                            .json = std::move(json)});
  const auto answer = [this, number, application = message.application,
                       told = std::move(told)](const Result<intake::Receipt>& receipt) {
    using Kind = store::Accepted::Kind;
    if (receipt.ok()) {
      parts_.witness.told(number, 202, receipt->message.id);
      if (!receipt->is_repeated) accepted_.emplace_back(application, receipt->message.id);
      const Kind kind = receipt->is_repeated ? Kind::Repeated : Kind::New;
      return told(store::Accepted{kind, receipt->message.id});
    }
    const bool is_refused = receipt.error().kind == ErrorKind::Conflict;
    const bool is_invalid = receipt.error().kind == ErrorKind::Invalid;
    parts_.witness.told(number, is_refused ? 409 : is_invalid ? 422 : 503);
    told(is_refused ? Result(store::Accepted{Kind::KeyReused, MessageId()})
                    : Result<store::Accepted>(receipt.error()));
  };
  // As it comes in on a loop of the process, which may die before.
  life_->loops[entrance]->post([this, entrance, message = std::move(message), answer]() mutable {
    life_->node->services(entrance).intake.accept(std::move(message), answer);
  });
}

bool SimNode::is_shown(ApplicationId application, EndpointId endpoint) const {
  if (endpoint == EndpointId()) {
    const auto tenant = parts_.disk.browse().application(application);
    const auto known = life_ ? life_->catalogue.application(application) : nullptr;
    return tenant.ok() && known != nullptr && *known == *tenant;
  }
  const auto on_disk = parts_.disk.browse().endpoint(endpoint);
  const store::EndpointPtr shown = life_ ? life_->catalogue.endpoint(endpoint) : nullptr;
  return on_disk.ok() && shown != nullptr && *shown == *on_disk;
}

judge::Dump SimNode::dump() const {
  judge::Dump dump;
  for (const ApplicationId id : parts_.scenario.applications) {
    const auto on_disk = parts_.disk.browse().application(id);
    if (on_disk.ok()) dump.on_disk.push_back(words_for(*on_disk));
    const store::ApplicationPtr shown = life_ ? life_->catalogue.application(id) : nullptr;
    if (shown != nullptr) dump.shown.push_back(words_for(*shown));
  }
  for (const EndpointPlan& plan : parts_.scenario.endpoints) {
    const auto on_disk = parts_.disk.browse().endpoint(plan.id);
    if (on_disk.ok()) dump.on_disk.push_back(words_for(*on_disk));
    const store::EndpointPtr shown = life_ ? life_->catalogue.endpoint(plan.id) : nullptr;
    if (shown != nullptr) dump.shown.push_back(words_for(*shown));
  }
  return dump;
}

std::uint64_t SimNode::turns() const {
  if (!life_) return 0;
  std::uint64_t turns = life_->control.turns();
  for (const auto& loop : life_->loops) turns += loop->turns();
  return turns;
}

bool SimNode::are_others_sending(const store::Acceptance& acceptance) const {
  const auto& own = acceptance.message.endpoints;
  return std::any_of(places_.begin(), places_.end(), [&](const auto& place) {
    if (std::find(own.begin(), own.end(), place.first) != own.end()) return false;
    const engine::LaneState* const lane = life_->view->lane(place.first);
    if (lane == nullptr) return false;
    return std::any_of(lane->queues.begin(), lane->queues.end(),
                       [](const auto& queue) { return queue.size() > 0; });
  });
}

// The disk holds a new record of an endpoint, whoever made it.
void SimNode::written(const model::Endpoint& endpoint) {
  // Somebody looks sooner or later at what the server has paused by itself.
  if (!endpoint.pause || endpoint.pause->why == "by hand") return;
  const std::size_t place = places_.at(endpoint.id);
  parts_.world.after(dice_.spread(seconds(1), hours(2)), [this, place] { resume(place); });
}

}  // namespace petrel::sim
