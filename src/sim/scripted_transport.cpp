#include "sim/scripted_transport.h"

#include <utility>

namespace petrel::sim {

ScriptedTransport::ScriptedTransport(const Parts& parts, std::uint64_t seed)
    : world_(parts.world),
      ledger_(parts.ledger),
      witness_(parts.witness),
      mutant_(parts.mutant),
      dice_(seed),
      scenario_(parts.scenario) {
  for (const EndpointPlan& plan : parts.scenario.endpoints) {
    places_.emplace(plan.id, receivers_.size());
    receivers_.emplace_back(plan);
  }
}

void ScriptedTransport::send(model::AttemptOrder order, Done done) {
  const std::size_t place = places_.at(order.delivery.endpoint);
  const Receiver& receiver = receivers_[place];
  Out out;
  out.request = witness_.requested(order, scenario_.endpoints[place].url);
  out.name = ledger_.sent(order);
  out.reply = receiver.reply(world_.now(), world_.clock().wall(), order.timeout, dice_);
  out.done = std::move(done);
  if (out.reply.fault) ledger_.happened(*out.reply.fault);

  const std::uint64_t number = next_++;
  world_.after(out.reply.arrives_after, [this, number] { arrive(number); });
  world_.after(out.reply.ends_after, [this, number] { end(number); });
  out_.emplace(number, std::move(out));
}

void ScriptedTransport::arrive(std::uint64_t number) {
  const auto found = out_.find(number);
  if (found == out_.end()) return;
  found->second.has_arrived = true;
  ledger_.arrived(found->second.name, found->second.reply.is_processed);
}

void ScriptedTransport::end(std::uint64_t number) {
  auto node = out_.extract(number);
  if (node.empty()) return;
  Out& out = node.mapped();
  ledger_.ended(out.name, out.reply.result.outcome, out.reply.wish);
  witness_.replied(out.request, out.reply.result);
  if (mutant_ == Mutant::IgnoresRetryAfter) out.reply.result.retry_after.clear();
  out.done(std::move(out.reply.result));
}

void ScriptedTransport::cancel_all() {
  for (auto& [number, out] : out_) {
    out.reply.result = {};
    out.reply.result.error = "cancelled";
    out.reply.wish.reset();
    world_.after(Duration::zero(), [this, cancelled = number] { end(cancelled); });
  }
}

void ScriptedTransport::crash() {
  for (auto& [number, out] : std::exchange(out_, {})) {
    const bool arrives = !out.has_arrived && dice_.chance(0.5);
    if (!arrives) continue;
    world_.after(out.reply.arrives_after,
                 [this, name = out.name, is_processed = out.reply.is_processed] {
                   ledger_.arrived(name, is_processed);
                 });
  }
}

void ScriptedTransport::heal() {
  for (Receiver& receiver : receivers_) receiver.heal();
}

}  // namespace petrel::sim
