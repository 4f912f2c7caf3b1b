#include "api/routes/delivery_list.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "api/http/paging.h"
#include "api/json/delivery.h"
#include "api/routes/message_lookup.h"
#include "base/try.h"

namespace petrel::api {
namespace {

using store::Order;

constexpr std::array<std::string_view, 7> kStates = {"pending",   "sending", "held",     "retrying",
                                                     "delivered", "dead",    "discarded"};

struct ListQuery {
  DeliveryWalk::Range range;
  std::string state;  // Empty: any.
  std::optional<policy::DeadReason> reason;
  std::optional<DeliveryCursor> after;
  std::size_t limit = 0;
  bool is_backwards = false;
};

Status take_state(const Query& query, ListQuery& list) {
  if (list.state.empty()) list.state = std::string(query.text("status"));
  if (!list.state.empty() &&
      std::find(kStates.begin(), kStates.end(), list.state) == kStates.end()) {
    return invalid("query.status",
                   "must be pending, sending, held, retrying, delivered, dead or discarded");
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

// Without the sign that it goes backwards, if there is one.
std::string_view take_direction(std::string_view iterator, ListQuery& list) {
  if (!iterator.starts_with('-')) return iterator;
  list.is_backwards = true;
  list.range.order = Order::Ascending;
  return iterator.substr(1);
}

Error not_ours() { return invalid("query.iterator", "is not one of this list's"); }

Status take_iterator(std::string_view iterator, ListQuery& list) {
  if (iterator.empty()) return Done{};
  list.after = DeliveryCursor::parse(take_direction(iterator, list));
  if (!list.after || list.after->died_at.has_value() != list.range.is_dead_only) return not_ours();
  return Done{};
}

// All but the iterator and what an application alone has.
Result<ListQuery> read_common(Call& call, Which which) {
  ListQuery list;
  if (which == Which::DeadOnly) list.state = "dead";
  ASSIGN_OR_RETURN(list.limit, read_limit(call.query));
  ASSIGN_OR_RETURN(list.range.messages, read_message_filter(call.query));
  TRY(take_state(call.query, list));
  return list;
}

Result<ListQuery> read_list_query(Call& call, Which which) {
  Result<ListQuery> list = read_common(call, which);
  if (!list.ok()) return list.error();
  list->range.application = call.application->id;
  if (const std::string_view id = call.query.text("endpoint_id"); !id.empty()) {
    const auto endpoint = call.endpoint_even_deleted(id);
    if (endpoint == nullptr) return no_such_endpoint();
    list->range.endpoint = endpoint->id;
  }
  TRY(take_iterator(call.query.text("iterator"), *list));
  return list;
}

bool fits(const ListQuery& list, const WalkedDelivery& row, const Explainer& explainer) {
  if (list.reason && row.delivery.reason != list.reason) return false;
  if (!list.state.empty() && explainer.state_of(row.delivery) != list.state) {
    return false;
  }
  return row.message ? list.range.messages.matches(*row.message)
                     : !list.range.messages.looks_inside();
}

struct Found {
  std::vector<WalkedDelivery> rows;
  std::optional<DeliveryCursor> looked_to;  // If that is further than the last row.
  bool has_more = false;
  std::size_t scanned = 0;
};

// Adds to what was found until there is enough of it.
Status find(store::Browse& browse, const ListQuery& list, const Explainer& explainer,
            Found& found) {
  DeliveryWalk walk(browse, list.range);
  std::optional<DeliveryCursor> after = list.after;
  do {
    ASSIGN_OR_RETURN(WalkedBatch batch, walk.next(after));
    found.scanned += std::max<std::size_t>(batch.rows.size(), 1);
    for (WalkedDelivery& row : batch.rows) {
      if (!fits(list, row, explainer)) continue;
      found.has_more = found.rows.size() == list.limit;
      if (found.has_more) return Done{};
      found.rows.push_back(std::move(row));
    }
    if (!batch.has_more) return Done{};
    after = batch.looked_to;
  } while (found.scanned < kScanMax);
  found.has_more = true;
  found.looked_to = after;
  return Done{};
}

// `cursor_of(row)` is the text of its place in the list.
template <typename CursorOf>
net::HttpResponse page_of(Found found, bool is_backwards, const Explainer& explainer,
                          CursorOf cursor_of, const std::string& looked_to) {
  std::vector<WalkedDelivery>& rows = found.rows;
  if (is_backwards) std::reverse(rows.begin(), rows.end());
  JsonWriter json;
  json.begin_object().key("data").begin_array();
  for (const WalkedDelivery& row : rows) explainer.write(row, json);
  json.end_array();
  PageEnds ends{.first = {}, .last = {}, .has_more = found.has_more};
  if (!rows.empty()) {
    ends.first = cursor_of(rows.front().delivery);
    ends.last = cursor_of(rows.back().delivery);
  }
  if (!looked_to.empty()) (is_backwards ? ends.first : ends.last) = looked_to;
  write_page_end(ends, json);
  return json_response(200, json.take());
}

// Where the list of an organisation goes on: "app_….msg_….ep_….…".
struct OrganisationCursor {
  ApplicationId application;
  DeliveryCursor place;

  std::string text() const { return application.text() + "." + place.text(); }

  static std::optional<OrganisationCursor> parse(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const Result<ApplicationId> application = ApplicationId::parse(text.substr(0, dot));
    const auto place = DeliveryCursor::parse(text.substr(dot + 1));
    if (!application.ok() || !place || !place->died_at) return std::nullopt;
    return OrganisationCursor{*application, *place};
  }
};

// The place behind everything that an application has.
OrganisationCursor end_of(ApplicationId application, Order order) {
  DeliveryCursor end{{}, WallTime()};
  if (order == Order::Ascending) {
    Ksuid::Bytes bytes;
    bytes.fill(0xFF);
    end = {{EndpointId(Ksuid(bytes)), MessageId(Ksuid(bytes))}, WallTime::max()};
  }
  return {application, end};
}

struct OrganisationQuery {
  ListQuery list;
  std::vector<ApplicationId> applications;  // Those that are left, in the order of the walk.
  std::optional<OrganisationCursor> after;
};

Result<OrganisationQuery> read_organisation_query(Call& call) {
  ASSIGN_OR_RETURN(ListQuery list, read_common(call, Which::DeadOnly));
  OrganisationQuery query{std::move(list), {}, {}};
  const std::string_view iterator = call.query.text("iterator");
  if (!iterator.empty()) {
    query.after = OrganisationCursor::parse(take_direction(iterator, query.list));
    if (!query.after) return not_ours();
  }
  for (const auto& application :
       call.services().catalogue.applications_of(call.caller.organisation)) {
    query.applications.push_back(application->id);
  }
  std::vector<ApplicationId>& ids = query.applications;
  std::sort(ids.begin(), ids.end());
  if (query.list.is_backwards) std::reverse(ids.begin(), ids.end());
  if (query.after) {
    const ApplicationId first = query.after->application;
    std::erase_if(
        ids, [&](ApplicationId id) { return query.list.is_backwards ? id > first : id < first; });
  }
  return query;
}

Result<net::HttpResponse> organisation_page(store::Browse& browse, OrganisationQuery query,
                                            const Explainer& explainer) {
  Found found;
  ListQuery& list = query.list;
  std::string looked_to;
  for (const ApplicationId application : query.applications) {
    if (found.scanned >= kScanMax) {
      found.has_more = true;
      break;
    }
    list.range.application = application;
    list.after.reset();
    if (query.after && query.after->application == application) list.after = query.after->place;
    TRY(find(browse, list, explainer, found));
    looked_to.clear();
    if (found.looked_to) looked_to = OrganisationCursor{application, *found.looked_to}.text();
    if (found.has_more) break;
    looked_to = end_of(application, list.range.order).text();
  }
  // Where everything was seen, or a row says where to go on, nothing else has to.
  if (!found.has_more || (!found.looked_to && found.rows.size() == list.limit)) looked_to.clear();
  const auto cursor_of = [](const model::Delivery& delivery) {
    return OrganisationCursor{delivery.application, {delivery.key, delivery.updated_at}}.text();
  };
  return page_of(std::move(found), list.is_backwards, explainer, cursor_of, looked_to);
}

}  // namespace

Explainer::Explainer(Call& call)
    : catalogue_(call.services().catalogue),
      policy_(call.context->settings.retry_policy),
      lanes_(call.services().lanes),
      now_(call.services().clock.wall()) {}

DeliveryView Explainer::view_of(const model::Delivery& delivery,
                                const model::Endpoint* endpoint) const {
  DeliveryView view{.delivery = delivery, .message = nullptr, .endpoint = endpoint, .now = now_};
  if (delivery.is_live()) {
    view.circuit = lanes_.open_circuit(delivery.key.endpoint);
    view.is_sending = lanes_.is_sending(delivery.key);
    view.suspicion = lanes_.suspicion(delivery.key);
  }
  return view;
}

std::string Explainer::state_of(const model::Delivery& delivery) const {
  const store::EndpointPtr endpoint = catalogue_.endpoint(delivery.key.endpoint);
  return std::string(shown_state(view_of(delivery, endpoint.get())));
}

void Explainer::write(const WalkedDelivery& row, JsonWriter& json) const {
  const store::EndpointPtr endpoint = catalogue_.endpoint(row.delivery.key.endpoint);
  const store::ApplicationPtr application = catalogue_.application(row.delivery.application);
  const std::optional<policy::RetryPolicy> none;
  const policy::RetryPolicy& policy =
      policy::nearest(endpoint ? endpoint->retry_policy : none,
                      application ? application->retry_policy : none, policy_);
  DeliveryView view = view_of(row.delivery, endpoint.get());
  view.message = row.message ? &*row.message : nullptr;
  view.attempts_max = policy.attempts_max;
  write_delivery(view, json);
}

Status list_deliveries(const CallPtr& call, Which which) {
  ASSIGN_OR_RETURN(const ListQuery query, read_list_query(*call, which));
  call->browse(
      [query, explainer = Explainer(*call)](store::Browse& browse) -> Result<net::HttpResponse> {
        Found found;
        TRY(find(browse, query, explainer, found));
        const DeliveryWalk walk(browse, query.range);
        const std::string looked_to = found.looked_to ? found.looked_to->text() : "";
        return page_of(
            std::move(found), query.is_backwards, explainer,
            [&](const model::Delivery& delivery) { return walk.cursor_of(delivery).text(); },
            looked_to);
      });
  return Done{};
}

Status list_dead_of_organisation(const CallPtr& call) {
  ASSIGN_OR_RETURN(OrganisationQuery query, read_organisation_query(*call));
  call->browse([query = std::move(query), explainer = Explainer(*call)](store::Browse& browse) {
    return organisation_page(browse, query, explainer);
  });
  return Done{};
}

}  // namespace petrel::api
