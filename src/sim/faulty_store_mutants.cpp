// What mutants do to a simulated store: to what is written, read and answered.

#include <utility>

#include "sim/faulty_store.h"
#include "store/kept_lane.h"

namespace petrel::sim {

void FaultyStore::answer_early(const std::vector<store::Acceptance>& batch,
                               const AcceptDone& done) {
  std::vector<store::Accepted> answers;
  for (const store::Acceptance& acceptance : batch) {
    answers.push_back({store::Accepted::Kind::New, acceptance.message.id});
  }
  done(std::move(answers));
}

void FaultyStore::note_deleted(const store::Change& change) {
  const auto* const deletion = std::get_if<store::DeleteEndpoint>(&change);
  if (deletion == nullptr) return;
  const auto endpoint = platters_.endpoint(deletion->endpoint);
  if (endpoint.ok()) deleted_.emplace(endpoint->application, endpoint->id);
}

void FaultyStore::add_deleted(store::Acceptance& acceptance) const {
  const auto deleted = deleted_.find(acceptance.message.application);
  if (deleted == deleted_.end() || acceptance.deliveries.empty()) return;
  model::Delivery delivery = acceptance.deliveries.front();
  delivery.key.endpoint = deleted->second;
  acceptance.deliveries.push_back(std::move(delivery));
}

void FaultyStore::mutate(model::Settlement& settlement) {
  model::Delivery& delivery = settlement.delivery;
  if (mutant_ == Mutant::ForgesSuccess && delivery.is_live() && dice_.chance(0.05)) {
    delivery.state = model::DeliveryState::Delivered;
  }
  if (mutant_ == Mutant::WrongReason && delivery.reason == policy::DeadReason::Exhausted) {
    delivery.reason = policy::DeadReason::Permanent;
  }
  const bool is_probe = delivery.next && delivery.next->basis == model::NextBasis::Probe;
  if (mutant_ == Mutant::ProbeSpends && settlement.attempt && is_probe) {
    ++delivery.progress.attempts;
  }
  if (mutant_ == Mutant::LeaksClock && settlement.attempt) {
    model::Attempt& attempt = *settlement.attempt;
    const Duration took = attempt.ended_at - attempt.started_at;
    attempt.ended_at = world_.clock().wall();
    attempt.started_at = attempt.ended_at - took;
    attempt.id = AttemptId(Ksuid::make(attempt.ended_at, ids_));
  }
  const bool is_second = settlement.attempt && settlement.attempt->number == 2;
  if (mutant_ == Mutant::MiscountsAttempts && is_second) ++settlement.attempt->number;
}

// One that is delivered is shown once more, as it was before.
void FaultyStore::hand_out_again(const store::DueQuery& query, store::DuePage& page) {
  for (const model::Delivery& delivery : std::exchange(delivered_, {})) {
    if (delivery.key.endpoint != query.endpoint ||
        store::due_class(delivery.state) != query.queue) {
      delivered_.push_back(delivery);
    } else if (!query.after && page.deliveries.empty()) {
      page.deliveries.push_back(delivery);
    }
  }
}

void FaultyStore::forget_wishes(store::DuePage& page) {
  for (model::Delivery& delivery : page.deliveries) {
    if (!delivery.next) continue;
    delivery.next->not_before.reset();
    delivery.next->basis = model::NextBasis::Schedule;
  }
}

Result<store::Browse::KeptLanes> FaultyStore::kept_lanes() {
  Result<KeptLanes> lanes = ForwardingBrowse::kept_lanes();
  if (!lanes.ok()) return lanes;
  if (mutant_ == Mutant::ForgetsLanes) return KeptLanes();
  if (mutant_ != Mutant::ForgetsRamps && mutant_ != Mutant::ShortensHolds) return lanes;
  for (auto& [endpoint, bytes] : *lanes) {
    store::KeptLane lane = store::decode_kept_lane(bytes).value();
    if (mutant_ == Mutant::ForgetsRamps) lane.snapshot.ramp = {};
    if (mutant_ == Mutant::ShortensHolds) lane.snapshot.hold_left -= lane.snapshot.hold_left / 10;
    bytes.clear();
    encode(lane, bytes);
  }
  return lanes;
}

}  // namespace petrel::sim
