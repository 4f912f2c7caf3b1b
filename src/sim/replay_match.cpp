#include "sim/replay_match.h"

#include <algorithm>

namespace petrel::sim {
namespace {

using model::DeliveryState;
using model::TaskType;

template <typename T>
bool is_any_or_in(const std::vector<T>& wanted, const T& value) {
  return wanted.empty() || std::count(wanted.begin(), wanted.end(), value) > 0;
}

bool is_dead_then(const model::Selection& selection, const model::Delivery& delivery) {
  return delivery.state == DeliveryState::Dead && delivery.updated_at >= selection.since &&
         delivery.updated_at < selection.until && is_any_or_in(selection.reasons, *delivery.reason);
}

// To the step of its id.
bool is_of_then(const model::Selection& selection, const model::Message& message) {
  const bool is_since =
      selection.since == WallTime::min() || message.id.ksuid() >= Ksuid::first_at(selection.since);
  return is_since && message.id.time() < selection.until;
}

bool has_ended_so(const model::Selection& selection, const model::Delivery& delivery) {
  if (delivery.is_live() || delivery.state == DeliveryState::Discarded) return false;
  const bool is_delivered = delivery.state == DeliveryState::Delivered;
  if (selection.is_delivered.value_or(is_delivered) != is_delivered) return false;
  const int status_class = delivery.last_way / 100;
  return selection.status_class.value_or(status_class) == status_class;
}

}  // namespace

bool is_meant(const model::Task& task, const ReplayCase& one) {
  const model::Selection& selection = task.selection;
  const auto& [message, endpoint, delivery] = one;
  if (selection.endpoint.value_or(endpoint.id) != endpoint.id) return false;
  if (!is_any_or_in(selection.event_types, message.event_type)) return false;
  if (!selection.tag.empty() && message.tags.empty()) return false;
  switch (task.type) {
    case TaskType::Recover:
    case TaskType::Discard:
      return delivery && is_dead_then(selection, *delivery);
    case TaskType::BulkReplay:
      return delivery && is_of_then(selection, message) && has_ended_so(selection, *delivery);
    case TaskType::ReplayMissing:
      return !delivery && is_of_then(selection, message) &&
             is_any_or_in(endpoint.event_types, message.event_type);
    default:
      return false;
  }
}

}  // namespace petrel::sim
