// Event types: what an organisation sends, with schemas.

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "api/http/call.h"
#include "api/http/change_call.h"
#include "api/http/error.h"
#include "api/http/paging.h"
#include "api/http/route_table.h"
#include "api/json/event_type.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

using Types = std::vector<store::EventTypePtr>;

net::HttpResponse shown(int status, const model::EventType& type) {
  return json_body(status,
                   [&](JsonWriter& json) { write_event_type(type, SchemasShown::Yes, json); });
}

Error no_such_type() { return not_found("there is no such event type"); }

// The organisation sees all of them; a portal those without flags and those of its own flags.
class Sight {
 public:
  explicit Sight(const Caller& caller)
      : sees_all_(!caller.application),
        flags_(caller.feature_flags.begin(), caller.feature_flags.end()) {}

  bool shows(const model::EventType& type) const {
    if (sees_all_ || type.feature_flags.empty()) return true;
    return std::any_of(type.feature_flags.begin(), type.feature_flags.end(),
                       [&](const std::string& flag) { return flags_.contains(flag); });
  }

 private:
  bool sees_all_;
  std::set<std::string, std::less<>> flags_;
};

struct ListRequest {
  std::string after;  // A name. Empty: from the beginning.
  bool is_backwards = false;
  bool is_descending = false;  // As the store of names is walked.
  std::size_t limit = 0;
};

Result<ListRequest> read_list_request(const Query& query) {
  // The names are no ids, so only what is not about them is read as elsewhere.
  ASSIGN_OR_RETURN(const std::size_t limit, read_limit(query));
  ListRequest request;
  request.limit = limit;
  const std::string_view order = query.text("order");
  if (!order.empty() && order != "ascending" && order != "descending") {
    return invalid("query.order", "must be ascending or descending");
  }
  request.is_descending = order == "descending";
  std::string_view iterator = query.text("iterator");
  if (iterator.empty()) return request;
  if (iterator.starts_with('-')) {
    iterator.remove_prefix(1);
    request.is_backwards = true;
    request.is_descending = !request.is_descending;
  }
  TRY(under("query.iterator", check_event_type_name(iterator)));
  request.after = std::string(iterator);
  return request;
}

// The window that the request opens into types that are ordered by name.
Shown<store::EventTypePtr> window_of(Types types, const ListRequest& request) {
  if (request.is_descending) std::reverse(types.begin(), types.end());
  const auto is_before = [&](const store::EventTypePtr& type) {
    if (request.after.empty()) return false;
    return request.is_descending ? type->name >= request.after : type->name <= request.after;
  };
  types.erase(types.begin(), std::find_if_not(types.begin(), types.end(), is_before));
  Shown<store::EventTypePtr> page{{}, types.size() > request.limit, std::nullopt};
  types.resize(std::min(types.size(), request.limit));
  if (request.is_backwards) std::reverse(types.begin(), types.end());
  page.items = std::move(types);
  return page;
}

Result<net::HttpResponse> list(Call& call) {
  ASSIGN_OR_RETURN(const ListRequest request, read_list_request(call.query));
  ASSIGN_OR_RETURN(const bool with_archived, call.query.flag("include_archived", false));
  ASSIGN_OR_RETURN(const bool with_content, call.query.flag("with_content", false));

  Types types = call.services().catalogue.event_types_of(call.caller.organisation);
  const Sight sight(call.caller);
  std::erase_if(types, [&](const store::EventTypePtr& type) {
    return (type->is_archived && !with_archived) || !sight.shows(*type);
  });
  auto page = window_of(std::move(types), request);
  const SchemasShown schemas = with_content ? SchemasShown::Yes : SchemasShown::No;
  return json_body(200, [&](JsonWriter& json) {
    json.begin_object();
    write_items(item_texts(page, request.is_backwards,
                           [&](const store::EventTypePtr& type, JsonWriter& item) {
                             write_event_type(*type, schemas, item);
                           }),
                json);
    const bool is_empty = page.items.empty();
    write_page_end({.first = is_empty ? "" : page.items.front()->name,
                    .last = is_empty ? "" : page.items.back()->name,
                    .has_more = page.has_more},
                   json);
  });
}

Result<net::HttpResponse> get(Call& call) {
  const store::EventTypePtr type = call.services().catalogue.find_event_type(
      call.caller.organisation, call.parameter("event_type_name"));
  if (type == nullptr || !Sight(call.caller).shows(*type)) return no_such_type();
  return shown(200, *type);
}

// A new type of this name as the body has it.
Result<model::EventType> drafted(Call& call, const JsonValue& body, const std::string& name) {
  model::EventType type;
  type.organisation = call.caller.organisation;
  type.name = name;
  type.created_at = type.updated_at = call.services().clock.wall();
  TRY(under("body", read_event_type(body, call.request.body, type)));
  const bool has_description =
      std::any_of(body.as_object()->begin(), body.as_object()->end(),
                  [](const auto& field) { return field.first == "description"; });
  if (!has_description) return invalid("body.description", "is missing");
  return type;
}

// Decided by the type as it is once the turn of its name has come; null if there is none.
using DecideType = std::function<Result<ChangeDecision>(const store::EventTypePtr& before)>;

void change_type(const CallPtr& call, const std::string& name, DecideType decide) {
  change(call, [call, name, decide = std::move(decide)]() -> Plan {
    const OrganisationId organisation = call->caller.organisation;
    return {node::Changes::turn_of(organisation, name),
            [&catalogue = call->services().catalogue, organisation, name, decide] {
              return decide(catalogue.find_event_type(organisation, name));
            }};
  });
}

ChangeDecision replaced(model::EventType type, const model::EventType& before, int status) {
  type.created_at = before.created_at;
  net::HttpResponse response = shown(status, type);
  return {{store::UpdateEventType{std::move(type)}}, std::move(response)};
}

Status create(const CallPtr& call) {
  ASSIGN_OR_RETURN(const JsonValue body, call->json());
  ASSIGN_OR_RETURN(const std::string name, under("body", read_event_type_name(body)));
  ASSIGN_OR_RETURN(const model::EventType type, drafted(*call, body, name));
  change_type(call, name, [type](const store::EventTypePtr& before) -> Result<ChangeDecision> {
    if (before == nullptr) {
      return ChangeDecision{{store::CreateEventType{type}}, shown(201, type)};
    }
    if (before->is_archived) return replaced(type, *before, 201);
    return ChangeDecision{
        {}, coded_page(409, "event_type_exists", "there is an event type of this name")};
  });
  return Done{};
}

Status put(const CallPtr& call) {
  const std::string& name = call->parameter("event_type_name");
  TRY(under("path.event_type_name", check_event_type_name(name)));
  ASSIGN_OR_RETURN(const JsonValue body, call->json());
  ASSIGN_OR_RETURN(const model::EventType type, drafted(*call, body, name));
  change_type(call, name, [type](const store::EventTypePtr& before) -> Result<ChangeDecision> {
    if (before != nullptr) return replaced(type, *before, 200);
    return ChangeDecision{{store::CreateEventType{type}}, shown(201, type)};
  });
  return Done{};
}

Status patch(const CallPtr& call) {
  ASSIGN_OR_RETURN(const auto body, call->kept_json());
  change_type(call, call->parameter("event_type_name"),
              [body, call, now = call->services().clock.wall()](
                  const store::EventTypePtr& before) -> Result<ChangeDecision> {
                if (before == nullptr) return no_such_type();
                model::EventType type = *before;
                TRY(under("body", read_event_type(*body, call->request.body, type)));
                type.updated_at = now;
                return replaced(std::move(type), *before, 200);
              });
  return Done{};
}

Status remove(const CallPtr& call) {
  ASSIGN_OR_RETURN(const bool is_expunged, call->query.flag("expunge", false));
  change_type(
      call, call->parameter("event_type_name"),
      [is_expunged, now = call->services().clock.wall()](
          const store::EventTypePtr& before) -> Result<ChangeDecision> {
        if (before == nullptr) return no_such_type();
        if (is_expunged) {
          return ChangeDecision{{store::DeleteEventType{before->organisation, before->name}},
                                json_response(204, "")};
        }
        model::EventType type = *before;
        type.is_archived = true;
        type.updated_at = now;
        return ChangeDecision{{store::UpdateEventType{std::move(type)}}, json_response(204, "")};
      });
  return Done{};
}

}  // namespace

std::vector<Route> event_type_routes() {
  using enum Capability;
  constexpr std::string_view kAll = "/api/v1/event-type";
  constexpr std::string_view kOne = "/api/v1/event-type/{event_type_name}";
  RouteTable table("Event Type");
  table.add("GET", kAll, {ViewBase, sync_route(list)}, {"v1.event-type.list", "List event types"},
            {.query = "limit iterator order include_archived with_content",
             .response = "ListResponse_EventTypeOut_"});
  table.add("POST", kAll, {kOrganisation, create}, {"v1.event-type.create", "Create an event type"},
            {.request = "EventTypeIn", .status = 201, .response = "EventTypeOut"});
  table.add("GET", kOne, {ViewBase, sync_route(get)}, {"v1.event-type.get", "Get an event type"},
            {.response = "EventTypeOut"});
  table.add("PUT", kOne, {kOrganisation, put},
            {"v1.event-type.update", "Make or replace an event type"},
            {.request = "EventTypeUpdate", .response = "EventTypeOut"});
  table.add("PATCH", kOne, {kOrganisation, patch}, {"v1.event-type.patch", "Change an event type"},
            {.request = "EventTypePatch", .response = "EventTypeOut"});
  table.add("DELETE", kOne, {kOrganisation, remove},
            {"v1.event-type.delete", "Archive or expunge an event type"},
            {.query = "expunge", .status = 204});
  return table.take();
}

}  // namespace petrel::api
