#include "sim/change_evidence.h"

#include "store/settlement_effect.h"

namespace petrel::sim {

ChangeEvidence::ChangeEvidence(store::Browse& platters, const store::ChangeSet& set,
                               const ChangeAuthor& author)
    : author_(author) {
  for (const store::Change& change : set.changes) look(platters, change);
  for (const model::Settlement& settlement : set.settlements) {
    const auto before = platters.delivery(settlement.delivery.key);
    const bool has_effect = before.ok() && store::effect_of(settlement, store::head_of(*before)) !=
                                               store::SettlementEffect::None;
    if (has_effect) {
      changed_.push_back(settlement.delivery.key);
    } else {
      ++overtaken_;
    }
  }
}

void ChangeEvidence::look(store::Browse& platters, const store::Change& change) {
  if (const auto* const added = std::get_if<store::AddDelivery>(&change)) {
    const bool is_new = !platters.delivery(added->delivery.key).ok();
    if (is_new) changed_.push_back(added->delivery.key);
    overtaken_ += is_new ? 0 : 1;
  }
  if (const auto* const expunge = std::get_if<store::ExpungePayload>(&change)) {
    const auto payload = platters.payload(expunge->message);
    const bool is_there = payload.ok() && *payload != nullptr;
    if (is_there) expunged_.push_back(*expunge);
    overtaken_ += is_there ? 0 : 1;
  }
  if (const auto* const created = std::get_if<store::CreateTask>(&change)) {
    record_ = created->task;
  }
  if (const auto* const updated = std::get_if<store::UpdateTask>(&change)) {
    record_ = updated->task;
  }
}

void ChangeEvidence::tell(store::Browse& platters, Witness& witness) const {
  for (const model::DeliveryKey& key : changed_) {
    const auto after = platters.delivery(key);
    if (after.ok()) witness.changed(*after, {author_.by, author_.task, author_.at});
  }
  for (const store::ExpungePayload& each : expunged_) {
    witness.payload_gone({each.application, each.message, author_.by, author_.task});
  }
  if (record_) witness.task_written(*record_, author_.by, overtaken_);
}

}  // namespace petrel::sim
