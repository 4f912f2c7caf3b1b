// Deliveries: what is on its way where, what is stuck and why, and what is dead. Petrel's own; the
// client libraries know nothing of it.

#include <algorithm>
#include <array>
#include <optional>

#include "api/call.h"
#include "api/delivery_walk.h"
#include "api/json_delivery.h"
#include "api/message_lookup.h"
#include "api/paging.h"
#include "api/routes.h"

namespace petrel::api {
namespace {

constexpr std::array<std::string_view, 6> kStates = {"pending",  "sending",   "held",
                                                     "retrying", "delivered", "dead"};

// Explains deliveries by what is known of their endpoints.
class Explainer {
 public:
  explicit Explainer(Call& call)
      : catalogue_(call.parts().catalogue),
        application_(call.application),
        policy_(call.parts().retry_policy) {}

  store::EndpointPtr endpoint_of(const model::Delivery& delivery) const {
    return catalogue_.endpoint(delivery.key.endpoint);
  }

  void write(const WalkedDelivery& row, JsonWriter& json) const {
    const store::EndpointPtr endpoint = endpoint_of(row.delivery);
    const std::optional<policy::RetryPolicy> none;
    const policy::RetryPolicy& policy = policy::nearest(endpoint ? endpoint->retry_policy : none,
                                                        application_->retry_policy, policy_);
    write_delivery({.delivery = row.delivery,
                    .message = row.message ? &*row.message : nullptr,
                    .endpoint = endpoint.get(),
                    .attempts_max = policy.attempts_max},
                   json);
  }

 private:
  const store::Catalogue& catalogue_;
  store::ApplicationPtr application_;
  policy::RetryPolicy policy_;
};

struct ListQuery {
  DeliveryWalk::Range range;
  std::string state;  // Empty: any.
  std::optional<policy::DeadReason> reason;
  std::optional<DeliveryCursor> after;
  std::size_t limit = 0;
  bool is_backwards = false;
};

Status take_state(const Query& query, ListQuery& list) {
  list.state = std::string(query.text("status"));
  if (!list.state.empty() &&
      std::find(kStates.begin(), kStates.end(), list.state) == kStates.end()) {
    return invalid("query.status", "must be pending, sending, held, retrying, delivered or dead");
  }
  const std::string_view reason = query.text("reason");
  if (!reason.empty()) {
    list.reason = policy::parse_dead_reason(reason);
    if (!list.reason) {
      return invalid("query.reason",
                     "must be permanent, exhausted, expired, gone, cancelled or blocked");
    }
  }
  list.range.is_dead_only = list.state == "dead" || list.reason;
  return Done{};
}

Status take_iterator(const Query& query, ListQuery& list) {
  std::string_view iterator = query.text("iterator");
  if (iterator.empty()) return Done{};
  if (iterator.starts_with('-')) {
    iterator.remove_prefix(1);
    list.is_backwards = true;
    list.range.order = store::Order::Ascending;
  }
  list.after = DeliveryCursor::parse(iterator);
  if (!list.after || list.after->died_at.has_value() != list.range.is_dead_only) {
    return invalid("query.iterator", "is not one of this list's");
  }
  return Done{};
}

Result<ListQuery> read_list_query(Call& call) {
  ListQuery list;
  list.range.application = call.application->id;
  const auto limit = read_limit(call.query);
  if (!limit.ok()) return limit.error();
  list.limit = *limit;
  auto filter = read_message_filter(call.query);
  if (!filter.ok()) return filter.error();
  list.range.messages = *std::move(filter);
  if (const std::string_view id = call.query.text("endpoint_id"); !id.empty()) {
    const auto endpoint = call.parts().catalogue.find_endpoint(call.application->id, id);
    if (endpoint == nullptr) return not_found("there is no such endpoint");
    list.range.endpoint = endpoint->id;
  }
  if (const Status status = take_state(call.query, list); !status.ok()) return status.error();
  if (const Status status = take_iterator(call.query, list); !status.ok()) return status.error();
  return list;
}

bool fits(const ListQuery& list, const WalkedDelivery& row, const Explainer& explainer) {
  if (list.reason && row.delivery.reason != list.reason) return false;
  if (!list.state.empty() &&
      shown_state(row.delivery, explainer.endpoint_of(row.delivery).get()) != list.state) {
    return false;
  }
  return row.message ? list.range.messages.matches(*row.message)
                     : !list.range.messages.looks_inside();
}

struct Found {
  std::vector<WalkedDelivery> rows;
  std::optional<DeliveryCursor> looked_to;  // If that is further than the last row.
  bool has_more = false;
};

Result<Found> find(DeliveryWalk& walk, const ListQuery& list, const Explainer& explainer) {
  Found found;
  std::optional<DeliveryCursor> after = list.after;
  for (std::size_t scanned = 0; scanned < kScanMax; scanned += DeliveryWalk::kBatch) {
    Result<WalkedBatch> batch = walk.next(after);
    if (!batch.ok()) return batch.error();
    for (WalkedDelivery& row : batch->rows) {
      if (!fits(list, row, explainer)) continue;
      found.has_more = found.rows.size() == list.limit;
      if (found.has_more) return found;
      found.rows.push_back(std::move(row));
    }
    if (!batch->has_more) return found;
    after = batch->looked_to;
  }
  found.has_more = true;
  found.looked_to = after;
  return found;
}

Result<net::HttpResponse> page_of(store::Browse& browse, const ListQuery& list,
                                  const Explainer& explainer) {
  DeliveryWalk walk(browse, list.range);
  Result<Found> found = find(walk, list, explainer);
  if (!found.ok()) return found.error();
  std::vector<WalkedDelivery>& rows = found->rows;
  if (list.is_backwards) std::reverse(rows.begin(), rows.end());
  JsonWriter json;
  json.begin_object().key("data").begin_array();
  for (const WalkedDelivery& row : rows) explainer.write(row, json);
  json.end_array();
  PageEnds ends{.first = {}, .last = {}, .has_more = found->has_more};
  if (!rows.empty()) {
    ends.first = walk.cursor_of(rows.front().delivery).text();
    ends.last = walk.cursor_of(rows.back().delivery).text();
  }
  if (found->looked_to) {
    (list.is_backwards ? ends.first : ends.last) = found->looked_to->text();
  }
  write_page_end(ends, json);
  return json_response(200, json.take());
}

void list(const CallPtr& call) {
  const Result<ListQuery> query = read_list_query(*call);
  if (!query.ok()) return call->answer(query.error());
  // Nothing here knows what is being sent at this moment.
  call->browse([query = *query, explainer = Explainer(*call)](store::Browse& browse) {
    return page_of(browse, query, explainer);
  });
}

void get(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(not_found("there is no such endpoint"));
  call->browse([application = call->application->id, endpoint = endpoint->id,
                id = call->parameter("msg_id"),
                explainer = Explainer(*call)](store::Browse& browse) -> Result<net::HttpResponse> {
    const Result<model::Message> message = find_message(browse, application, id);
    if (!message.ok()) return message.error();
    const Result<model::Delivery> delivery = browse.delivery({endpoint, message->id});
    if (!delivery.ok()) return delivery.error();
    return written(200, [&](JsonWriter& json) { explainer.write({*delivery, *message}, json); });
  });
}

}  // namespace

std::vector<Route> delivery_routes() {
  constexpr std::string_view kTag = "Delivery";
  return {
      {"GET",
       "/api/v1/app/{app_id}/delivery",
       Scope::Application,
       list,
       {.id = "v1.delivery.list",
        .summary = "List deliveries, each with its state and why it is in it",
        .tag = kTag,
        .query = "limit iterator delivery_status reason endpoint_id event_types channel tag before "
                 "after",
        .response = "ListResponse_DeliveryOut_"}},
      {"GET",
       "/api/v1/app/{app_id}/delivery/{msg_id}/{endpoint_id}",
       Scope::Application,
       get,
       {.id = "v1.delivery.get",
        .summary = "Get the delivery of a message to an endpoint",
        .tag = kTag,
        .response = "DeliveryOut"}},
  };
}

}  // namespace petrel::api
