#include "api/json/wire_status.h"

#include "base/rfc3339.h"
#include "base/try.h"

namespace petrel::api {
namespace {

constexpr int kStatusMax = 4;

}  // namespace

WireStatus wire_status(const model::Delivery& delivery, bool is_expanded) {
  switch (delivery.state) {
    case model::DeliveryState::Delivered:
      return {0, "success"};
    case model::DeliveryState::Pending:
      return {1, "pending"};
    case model::DeliveryState::Retrying:
      return {3, "sending"};
    case model::DeliveryState::Dead:
    case model::DeliveryState::Discarded:
      break;
  }
  const bool is_canceled = delivery.reason == policy::DeadReason::Cancelled;
  return is_canceled && is_expanded ? WireStatus{4, "canceled"} : WireStatus{2, "fail"};
}

Result<std::optional<int>> read_status(const Query& query) {
  ASSIGN_OR_RETURN(const auto status, query.number("status"));
  if (!status) return std::optional<int>();
  if (*status > kStatusMax) return invalid("query.status", "must be 0 to 4");
  return std::optional(static_cast<int>(*status));
}

Result<bool> read_expanded(const Query& query) { return query.flag("expanded_statuses", false); }

void write_wire_status(const model::Delivery& delivery, bool is_expanded, JsonWriter& json) {
  const WireStatus status = wire_status(delivery, is_expanded);
  json.field("status", status.number).field("statusText", status.text);
  json.key("nextAttempt");
  if (delivery.is_live()) {
    json.value(to_rfc3339(delivery.due_at));
  } else {
    json.null();
  }
}

}  // namespace petrel::api
