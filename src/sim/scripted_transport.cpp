#include "sim/scripted_transport.h"

#include <utility>

namespace petrel::sim {

ScriptedTransport::ScriptedTransport(const Parts& parts, std::uint64_t seed)
    : world_(parts.world),
      faults_(parts.faults),
      witness_(parts.witness),
      mutant_(parts.mutant),
      dice_(seed) {
  for (const EndpointPlan& plan : parts.scenario.endpoints) {
    places_.emplace(plan.id, receivers_.size());
    receivers_.emplace_back(plan);
  }
}

void ScriptedTransport::send(model::AttemptOrder order, Done done) {
  const std::size_t place = places_.at(order.delivery.endpoint);
  const Receiver& receiver = receivers_[place];
  Out out;
  out.request = witness_.requested(order);
  out.reply = receiver.reply(world_.now(), world_.clock().wall(), order.timeout, dice_);
  out.done = std::move(done);
  if (out.reply.fault) faults_.add(*out.reply.fault);

  const std::uint64_t number = next_++;
  world_.after(out.reply.ends_after, [this, number] { end(number); });
  out_.emplace(number, std::move(out));
}

void ScriptedTransport::end(std::uint64_t number) {
  auto node = out_.extract(number);
  if (node.empty()) return;
  Out& out = node.mapped();
  witness_.replied(out.request, out.reply.result);
  if (mutant_ == Mutant::IgnoresRetryAfter) out.reply.result.retry_after.clear();
  out.done(std::move(out.reply.result));
}

void ScriptedTransport::cancel_all() {
  for (auto& [number, out] : out_) {
    out.reply.result = {};
    out.reply.result.error = "cancelled";
    world_.after(Duration::zero(), [this, cancelled = number] { end(cancelled); });
  }
}

void ScriptedTransport::crash() { out_.clear(); }

void ScriptedTransport::heal() {
  for (Receiver& receiver : receivers_) receiver.heal();
}

}  // namespace petrel::sim
