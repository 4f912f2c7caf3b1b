#include "sim/replay_lanes.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/check.h"

namespace petrel::sim {
namespace {

using model::DeliveryState;
using policy::DeadReason;
using replay::Standing;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kPast = hours(4);

}  // namespace

ReplayLanes::ReplayLanes(Parts parts, std::uint64_t seed)
    : world_(parts.world),
      scenario_(parts.scenario),
      disk_(parts.disk),
      log_(parts.log),
      answered_(std::move(parts.answered)),
      stopped_(std::move(parts.stopped)),
      dice_(seed),
      random_(seed),
      maker_(random_) {
  const WallTime past = world_.clock().wall() - 2 * kPast;
  application_ = ApplicationId(maker_.make(past));
  for (int i = 0; i < scenario_.endpoints; ++i) {
    const auto endpoint =
        std::make_shared<model::Endpoint>(signature::KeyRing{signature::Secret::generate(random_)});
    endpoint->id = EndpointId(maker_.make(past));
    endpoint->application = application_;
    if (dice_.chance(0.3)) endpoint->event_types = {"a", "b"};
    ids_.push_back(endpoint->id);
    lanes_.push_back({endpoint});
  }
}

std::size_t ReplayLanes::place_of(EndpointId id) const {
  const auto found = std::find(ids_.begin(), ids_.end(), id);
  CHECK(found != ids_.end());
  return static_cast<std::size_t>(found - ids_.begin());
}

std::shared_ptr<const model::Endpoint> ReplayLanes::endpoint(EndpointId id) const {
  const auto found = std::find(ids_.begin(), ids_.end(), id);
  if (found == ids_.end()) return nullptr;
  const Lane& lane = lanes_[static_cast<std::size_t>(found - ids_.begin())];
  return lane.standing == Standing::IsGone ? nullptr : lane.endpoint;
}

Standing ReplayLanes::ask(EndpointId id) {
  const Standing stands = standing(id);
  const bool may_stop = scenario_.incidents.stop > Duration(0) && stands == Standing::Takes;
  if (may_stop && dice_.chance(0.01)) stop(id, dice_.spread(seconds(1), seconds(100)));
  return stands;
}

void ReplayLanes::stock() {
  const WallTime begin = world_.clock().wall();
  for (int i = 0; i < scenario_.messages; ++i) {
    const MessageId message = accept(begin - kPast + kPast / scenario_.messages * i);
    for (const EndpointId id : ids_) draw_past({id, message});
  }
}

MessageId ReplayLanes::accept(WallTime at) {
  store::Acceptance given;
  given.message.id = MessageId(maker_.make(at));
  given.message.application = application_;
  given.message.event_type = dice_.one_of({"a", "b", "c"});
  if (dice_.chance(0.5)) given.message.tags = {"t"};
  if (!dice_.chance(scenario_.has_no_payload)) {
    given.payload = std::make_shared<const std::string>("{}");
  }
  for (const Lane& lane : lanes_) {
    if (lane.standing == Standing::IsGone || dice_.chance(0.2)) continue;
    model::Delivery delivery;
    delivery.key = {lane.endpoint->id, given.message.id};
    delivery.application = application_;
    delivery.due_at = delivery.updated_at = at;
    given.message.endpoints.push_back(lane.endpoint->id);
    given.deliveries.push_back(delivery);
  }
  messages_.push_back(given.message.id);
  disk_.accept({given}, [](const auto& accepted) { CHECK(accepted.ok()); });
  return messages_.back();
}

// What became of a delivery before all this.
void ReplayLanes::draw_past(const model::DeliveryKey& key) {
  const auto before = disk_.delivery_on_disk(key);
  if (!before) return;
  model::Settlement settlement{.attempt = {},
                               .state_before = before->state,
                               .due_before = before->due_at,
                               .delivery = *before};
  model::Delivery& delivery = settlement.delivery;
  delivery.state =
      dice_.one_of({DeliveryState::Dead, DeliveryState::Dead, DeliveryState::Dead,
                    DeliveryState::Delivered, DeliveryState::Discarded, DeliveryState::Retrying});
  if (delivery.state == DeliveryState::Dead) {
    delivery.reason = dice_.one_of(
        {DeadReason::Permanent, DeadReason::Exhausted, DeadReason::Expired, DeadReason::Gone});
  }
  const WallTime begin = world_.clock().wall();
  // Many die at one moment, as when an endpoint is deleted.
  const Duration ago = dice_.between(Duration(0), begin - before->updated_at);
  delivery.updated_at = dice_.chance(0.2) ? begin - seconds(1) : begin - ago;
  delivery.last_way = dice_.one_of<std::uint16_t>({0, 404, 500});
  if (delivery.state == DeliveryState::Delivered) delivery.last_way = 200;
  delivery.progress.attempts = delivery.attempts_total = 1;
  if (delivery.is_live()) {
    delivery.due_at = begin + dice_.spread(seconds(1), std::chrono::minutes(30));
  }
  disk_.settle_now(settlement);
}

void ReplayLanes::later(Duration delay, std::function<void()> action) {
  world_.after(delay, [this, life = life_, action = std::move(action)] {
    if (life == life_) action();
  });
}

void ReplayLanes::start() {
  is_up_ = true;
  for (const EndpointId id : ids_) nudge(id);
}

void ReplayLanes::crash() {
  ++life_;
  is_up_ = false;
  in_hand_.clear();
}

void ReplayLanes::nudge(EndpointId id) {
  if (!is_up_) return;
  for (const auto queue : {store::DueClass::Fresh, store::DueClass::Retry}) {
    disk_.load_due({.endpoint = id, .queue = queue, .limit = 10'000},
                   [this](const Result<store::DuePage>& page) {
                     for (const model::Delivery& one : page->deliveries) plan(one);
                   });
  }
}

void ReplayLanes::plan(const model::Delivery& delivery) {
  const InHand what{delivery.key, delivery.due_at};
  if (!in_hand_.insert(what).second) return;
  const ReplayAnswers answers = is_well_ ? ReplayAnswers() : scenario_.answers;
  if (dice_.chance(answers.never)) return;
  Duration delay = dice_.between(milliseconds(1), milliseconds(500));
  if (dice_.chance(answers.late)) delay += dice_.spread(seconds(1), seconds(90));
  const bool is_fresh = delivery.state == DeliveryState::Pending;
  if (!is_fresh) delay += std::max(Duration(0), delivery.due_at - world_.clock().wall());
  later(delay, [this, what] { attempt(what); });
}

void ReplayLanes::attempt(const InHand& what) {
  const auto delivery = disk_.delivery_on_disk(what.first);
  const bool is_ours = delivery && delivery->is_live() && delivery->due_at == what.second;
  const Standing stands = standing(what.first.endpoint);
  if (is_ours && stands == Standing::Waits) {
    return later(dice_.between(seconds(5), seconds(60)), [this, what] { attempt(what); });
  }
  in_hand_.erase(what);
  if (!is_ours) return;
  settle(*delivery,
         stands == Standing::Takes && (is_well_ || !dice_.chance(scenario_.answers.bad)));
}

void ReplayLanes::settle(const model::Delivery& before, bool is_good) {
  const bool is_gone = standing(before.key.endpoint) == Standing::IsGone;
  model::Settlement settlement{
      .attempt = {}, .state_before = before.state, .due_before = before.due_at, .delivery = before};
  model::Delivery& delivery = settlement.delivery;
  const WallTime now = world_.clock().wall();
  delivery.updated_at = std::max(now, before.updated_at + Duration(1));
  const bool is_attempted = !is_gone;
  if (is_attempted) {
    ++delivery.progress.attempts;
    ++delivery.attempts_total;
    delivery.last_way = is_good ? 200 : 500;
    settlement.attempt.emplace();
    settlement.attempt->delivery = before.key;
    settlement.attempt->number = delivery.attempts_total;
  }
  if (is_good) {
    delivery.state = DeliveryState::Delivered;
  } else if (!is_gone && delivery.progress.attempts < 3 && dice_.chance(0.4)) {
    delivery.state = DeliveryState::Retrying;
    delivery.due_at = now + dice_.between(seconds(5), seconds(60));
  } else {
    delivery.state = DeliveryState::Dead;
    delivery.reason = is_gone ? DeadReason::Cancelled : DeadReason::Exhausted;
  }
  disk_.settle_now(settlement);
  const bool is_first = delivery.is_manual && delivery.progress.attempts == 1 && is_attempted;
  if (is_first) answered_(before.key, is_good);
  if (delivery.is_live()) plan(delivery);
}

void ReplayLanes::post_message() {
  accept(world_.clock().wall());
  for (const EndpointId id : ids_) nudge(id);
}

void ReplayLanes::stop(EndpointId id, Duration length) {
  Lane& lane = lanes_[place_of(id)];
  if (lane.standing == Standing::IsGone || is_well_) return;
  log_.add(fmt::format("{} takes nothing", id.text()));
  if (lane.stops++ == 0) stopped_(id);
  lane.standing = Standing::Waits;
  world_.after(length, [this, &lane, id] {
    if (--lane.stops > 0 || lane.standing != Standing::Waits) return;
    lane.standing = Standing::Takes;
    log_.add(fmt::format("{} takes again", id.text()));
  });
}

void ReplayLanes::remove(EndpointId id) {
  Lane& lane = lanes_[place_of(id)];
  if (lane.standing == Standing::IsGone) return;
  log_.add(fmt::format("{} is deleted", id.text()));
  if (lane.standing == Standing::Takes) stopped_(id);
  lane.standing = Standing::IsGone;
}

void ReplayLanes::heal() {
  is_well_ = true;
  for (Lane& lane : lanes_) {
    if (lane.standing == Standing::Waits) lane.standing = Standing::Takes;
  }
  // What was never answered is taken up again.
  in_hand_.clear();
  ++life_;
  start();
}

}  // namespace petrel::sim
