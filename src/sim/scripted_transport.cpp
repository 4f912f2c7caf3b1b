#include "sim/scripted_transport.h"

#include <set>
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
  out.request = witness_.requested(order, payload_bytes(order.payload));
  out.payload = order.payload;
  out.reply = receiver.reply(world_.now(), world_.clock().wall(), order.timeout, dice_);
  out.done = std::move(done);
  if (out.reply.fault) faults_.add(*out.reply.fault);

  const std::uint64_t number = next_++;
  world_.after(out.reply.ends_after, [this, number] { end(number); });
  out_.emplace(number, std::move(out));
}

// Of all requests that are out and the next one. One copy that several have counts once.
std::size_t ScriptedTransport::payload_bytes(const model::Payload& next) const {
  std::set<const std::string*> copies{next.get()};
  for (const auto& [number, out] : out_) copies.insert(out.payload.get());
  std::size_t bytes = 0;
  for (const std::string* const copy : copies) bytes += copy->size();
  return bytes;
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
