// What becomes of a simulated store when the process on it starts, dies, or ends in good order.

#include <utility>

#include "sim/faulty_store.h"
#include "store/settlement_effect.h"

namespace petrel::sim {

void FaultyStore::start(bool has_lived) {
  has_lived_ = has_lived;
  if (!has_lived) disk_.reopen();  // After whoever put the catalogue there.
}

void FaultyStore::crash(bool has_drained) {
  ++life_;
  last_write_at_ = world_.now();
  is_known_away_ = false;
  loading_.clear();
  if (has_drained && writes_.empty()) return disk_.reopen();
  is_dying_ = true;
  disk_.begin_crash();
  bool is_kept = true;
  for (const auto& [number, write] : std::exchange(writes_, {})) {
    is_kept = is_kept && dice_.chance(0.7);  // After one that is lost, all are.
    if (!is_kept && write.loss.lost) witness_.saw(*write.loss.lost);
    if (is_kept) write.write();
    if (is_kept && !doubts_.empty()) {
      is_kept = false;
      continue;
    }
    faults_.add(is_kept ? Fault::CrashKeepsWrite : Fault::CrashLosesWrite);
  }
  disk_.end_crash();
  is_dying_ = false;
  for (const Doubt& is_there : std::exchange(doubts_, {})) {
    faults_.add(is_there() ? Fault::CrashKeepsWrite : Fault::CrashLosesWrite);
  }
}

bool FaultyStore::look_for(const std::vector<store::Acceptance>& batch, MonoTime handed_over) {
  bool is_any_there = false;
  for (const store::Acceptance& acceptance : batch) {
    const model::Message& message = acceptance.message;
    if (!platters_.message(message.application, message.id).ok()) continue;
    is_any_there = true;
    known_.insert({message.application, message.id});
    const auto deliveries = platters_.deliveries_of_message(message.id);
    for (const model::Delivery& delivery : *deliveries) witness_.accepted(delivery, handed_over);
  }
  return is_any_there;
}

// Each of them would have had an effect before.
bool FaultyStore::look_for(const std::vector<model::Settlement>& batch, MonoTime handed_over) {
  bool is_any_there = false;
  for (const model::Settlement& settlement : batch) {
    const auto after = platters_.delivery(settlement.delivery.key);
    if (!after.ok()) continue;
    const auto effect = store::effect_of(settlement, store::head_of(*after));
    if (effect != store::SettlementEffect::None) continue;
    is_any_there = true;
    witness_.settled(*after, settlement.attempt, handed_over);
  }
  return is_any_there;
}

bool FaultyStore::look_for(const store::ChangeSet& set, const Handed& handed,
                           const ChangeEvidence& seen) {
  const auto kept = platters_.kept_answer(set.answer->key);
  const bool is_there = kept.ok() && kept->has_value();
  if (is_there) changes_written(set, handed, seen);
  return is_there;
}

}  // namespace petrel::sim
