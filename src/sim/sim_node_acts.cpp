// What people do to a simulated node.

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/mutated.h"
#include "sim/people.h"
#include "sim/sim_node.h"

namespace petrel::sim {
namespace {

// How long after its answer a mutant does what was asked for.
constexpr Duration kMutantLate = std::chrono::minutes(1);

int status_of(const Status& status) {
  if (status.ok()) return 200;
  return status.error().kind == ErrorKind::Unavailable ? 503 : 404;
}

}  // namespace

void SimNode::ask(const judge::Asked& asked, const CarryOut& carry_out) {
  const auto is_over = std::make_shared<bool>(false);
  const auto again = [this, asked, carry_out, is_over] {
    if (!std::exchange(*is_over, true)) ask(asked, carry_out);
  };
  if (!life_) return parts_.world.after(kTryAgain, again);
  parts_.world.after(kPatience, again);
  const std::uint64_t number = parts_.witness.asked(asked);
  if (is_answered_early(asked, parts_.mutant)) {
    *is_over = true;
    parts_.witness.told(number, 200);
    return parts_.world.after(kMutantLate, [this, number, carry_out] {
      if (life_) carry_out(life_->node->services(0), number, [](const Status&) {});
    });
  }
  carry_out(life_->node->services(0), number, [this, number, is_over, again](const Status& status) {
    parts_.witness.told(number, status_of(status));
    if (*is_over) return;
    if (status_of(status) >= 500) return parts_.world.after(kTryAgain, again);
    *is_over = true;
  });
}

void SimNode::ask(const judge::Asked& asked, const node::Changes::Turn& turn,
                  const Decide& decide) {
  ask(asked,
      [this, turn, decide](const node::Services& services, std::uint64_t number, Answer answer) {
        services.changes.make(
            turn,
            [this, number, decide] {
              parts_.witness.decides(number);
              return decide();
            },
            std::move(answer));
      });
}

judge::Asked SimNode::about(judge::Act act, std::size_t endpoint, std::string json) const {
  const EndpointPlan& plan = parts_.scenario.endpoints[endpoint];
  return {.act = act,
          .application = parts_.scenario.applications[plan.application],
          .endpoint = plan.id,
          .json = std::move(json)};
}

void SimNode::edit(std::size_t endpoint, const Wish& wish) {
  const EndpointId id = parts_.scenario.endpoints[endpoint].id;
  ask(about(wish.act, endpoint, wish.json),
      [this, id, edit = wish.edit](const node::Services& services, std::uint64_t number,
                                   Answer answer) {
        services.changes.edit(
            id,
            [this, number, edit](model::Endpoint& record) {
              parts_.witness.decides(number);
              edit(record);
              return Status(Done{});
            },
            std::move(answer));
      });
}

void SimNode::pause(std::size_t endpoint) {
  parts_.faults.add(Fault::PausedByHand);
  const WallTime since = parts_.world.clock().wall();
  edit(endpoint, {.act = judge::Act::Pause, .edit = [since](model::Endpoint& record) {
                    if (!record.pause) record.pause = model::Pause{since, "by hand"};
                  }});
}

void SimNode::resume(std::size_t endpoint) {
  edit(endpoint, {.act = judge::Act::Resume, .edit = [this](model::Endpoint& record) {
                    if (!record.pause) return;
                    record.pause.reset();
                    record.updated_at = parts_.world.clock().wall();
                    // As if it had been switched off only now.
                    if (parts_.mutant == Mutant::PausesCostTime)
                      record.held.since = record.updated_at;
                  }});
}

void SimNode::resume_all() {
  for (const auto& [id, place] : std::map(places_.begin(), places_.end())) {
    const auto endpoint = parts_.disk.browse().endpoint(id);
    if (endpoint->pause && !endpoint->deleted_at) resume(place);
  }
}

void SimNode::change(std::size_t endpoint, std::optional<int> in_flight_max) {
  parts_.faults.add(Fault::EndpointChanged);
  const EndpointPlan& plan = parts_.scenario.endpoints[endpoint];
  const int limit = in_flight_max ? *in_flight_max : dice_.between(1, plan.in_flight_max);
  std::optional<int> rate;
  if (dice_.chance(0.3)) rate = dice_.between(1, 20);
  edit(endpoint, {.json = fmt::format(R"({{"maxInFlight": {}, "throttleRate": {}}})", limit,
                                      rate ? std::to_string(*rate) : "null"),
                  .edit = [this, limit, rate](model::Endpoint& record) {
                    record.in_flight_max = mutated_limit(limit, parts_.mutant);
                    record.throttle_rate = mutated_rate(rate, parts_.mutant);
                  }});
}

void SimNode::move(std::size_t endpoint) {
  parts_.faults.add(Fault::UrlChanged);
  const EndpointPlan& plan = parts_.scenario.endpoints[endpoint];
  // Back, to another path, or to another host, perhaps of somebody else.
  const auto& others = parts_.scenario.endpoints;
  const std::string url = dice_.one_of<std::string>(
      {plan.url, plan.url + "hooks", others[dice_.index(others.size())].authority + "/moved",
       fmt::format("https://moved-{}.test:443/", dice_.between(1, 5))});
  edit(endpoint, {.json = fmt::format(R"({{"url": "{}"}})", url),
                  .edit = [url](model::Endpoint& record) { record.url = url; }});
}

void SimNode::erase(std::size_t endpoint) {
  parts_.faults.add(Fault::EndpointDeleted);
  const EndpointId id = parts_.scenario.endpoints[endpoint].id;
  ask(about(judge::Act::DeleteEndpoint, endpoint), node::Changes::turn_of(id),
      [this, id]() -> Result<store::ChangeSet> {
        const store::EndpointPtr shown = life_->catalogue.endpoint(id);
        if (shown == nullptr || shown->deleted_at) return not_found("there is no such endpoint");
        store::ChangeSet set;
        set.changes.emplace_back(store::DeleteEndpoint{id, parts_.world.clock().wall()});
        return set;
      });
}

void SimNode::order(std::size_t endpoint) {
  const bool is_probe = dice_.chance(0.5);
  order(endpoint, is_probe ? node::LaneOrder::Probe : node::LaneOrder::Close);
}

void SimNode::close(std::size_t endpoint) { order(endpoint, node::LaneOrder::Close); }

void SimNode::order(std::size_t endpoint, node::LaneOrder order) {
  parts_.faults.add(Fault::CircuitOrdered);
  const auto act = order == node::LaneOrder::Probe ? judge::Act::Probe : judge::Act::Close;
  ask(about(act, endpoint), [id = parts_.scenario.endpoints[endpoint].id, order](
                                const node::Services& services, std::uint64_t, Answer answer) {
    services.lanes.order(id, order, std::move(answer));
  });
}

void SimNode::disable(std::size_t endpoint) {
  parts_.faults.add(Fault::EndpointDisabled);
  edit(endpoint, {.json = R"({"disabled": true})",
                  .edit = [](model::Endpoint& record) { record.is_disabled = true; }});
}

void SimNode::enable(std::size_t endpoint) {
  edit(endpoint, {.json = R"({"disabled": false})", .edit = [this](model::Endpoint& record) {
                    if (!std::exchange(record.is_disabled, false)) return;
                    record.updated_at = parts_.world.clock().wall();
                  }});
}

void SimNode::resend(std::size_t endpoint) {
  const EndpointPlan& plan = parts_.scenario.endpoints[endpoint];
  const ApplicationId application = parts_.scenario.applications[plan.application];
  std::vector<MessageId> messages;
  for (const auto& [owner, message] : accepted_) {
    if (owner == application) messages.push_back(message);
  }
  if (!messages.empty()) resend(endpoint, messages[dice_.index(messages.size())]);
}

void SimNode::resend(std::size_t endpoint, MessageId message) {
  parts_.faults.add(Fault::Resent);
  judge::Asked asked = about(judge::Act::Resend, endpoint);
  asked.message = message;
  const ApplicationId application = asked.application;
  const model::DeliveryKey key{asked.endpoint, message};
  const bool is_forgotten = parts_.mutant == Mutant::ForgetsResends;
  ask(asked, [application, key, is_forgotten](const node::Services& services, std::uint64_t,
                                              Answer answer) {
    if (is_forgotten) return answer(Done{});
    services.deliveries.resend(application, key,
                               [answer = std::move(answer)](const Result<node::Resent>& resent) {
                                 if (!resent.ok()) return answer(resent.error());
                                 const bool is_done = *resent == node::Resent::Done;
                                 answer(is_done ? Status(Done{}) : conflict("it has no payload"));
                               });
  });
}

void SimNode::limit(std::size_t application, std::optional<int> rate) {
  parts_.faults.add(Fault::ApplicationLimited);
  const ApplicationId id = parts_.scenario.applications[application];
  const judge::Asked asked{
      .act = judge::Act::ChangeApplication,
      .application = id,
      .json = fmt::format(R"({{"throttleRate": {}}})", rate ? std::to_string(*rate) : "null")};
  ask(asked, node::Changes::turn_of(id),
      [this, id, rate = mutated_rate(rate, parts_.mutant)]() -> Result<store::ChangeSet> {
        const store::ApplicationPtr shown = life_->catalogue.application(id);
        if (shown == nullptr || shown->deleted_at) return not_found("there is no such application");
        model::Application changed = *shown;
        changed.throttle_rate = rate;
        changed.updated_at = parts_.world.clock().wall();
        store::ChangeSet set;
        set.changes.emplace_back(store::UpdateApplication{std::move(changed)});
        return set;
      });
}

void SimNode::expunge(std::optional<MessageId> wanted) {
  const auto found = std::find_if(accepted_.begin(), accepted_.end(),
                                  [&](const auto& each) { return each.second == wanted; });
  if (accepted_.empty() || (wanted && found == accepted_.end())) return;
  parts_.faults.add(Fault::Expunged);
  const auto [application, message] = wanted ? *found : accepted_[dice_.index(accepted_.size())];
  ask({.act = judge::Act::Expunge, .application = application, .message = message},
      [application = application, message = message](const node::Services& services, std::uint64_t,
                                                     Answer answer) {
        store::ChangeSet set;
        set.changes.emplace_back(store::ExpungePayload{application, message});
        services.changes.write(std::move(set), node::Author::Person, std::move(answer));
      });
}

}  // namespace petrel::sim
