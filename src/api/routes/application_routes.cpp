// Applications, the tenants of an organisation.

#include <utility>

#include "api/http/call.h"
#include "api/http/change_call.h"
#include "api/http/paging.h"
#include "api/http/route_table.h"
#include "api/json/application.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

net::HttpResponse shown(int status, const model::Application& application) {
  return json_body(status, [&](JsonWriter& json) { write_application(application, json); });
}

Error no_such_application() { return not_found("there is no such application"); }

Result<net::HttpResponse> list(Call& call) {
  ASSIGN_OR_RETURN(const PageRequest request,
                   read_ordered_page(call.query, ApplicationId::kPrefix, store::Order::Ascending));
  const auto id_of = [](const store::ApplicationPtr& each) { return each->id; };
  auto listed = window(call.services().catalogue.applications_of(call.caller.organisation),
                       request.page, [](const auto& each) { return each->id.ksuid(); });
  return json_response(200, page_text(in_display_order(std::move(listed), request), request, id_of,
                                      [](const store::ApplicationPtr& each, JsonWriter& json) {
                                        write_application(*each, json);
                                      }));
}

Result<net::HttpResponse> get(Call& call) { return shown(200, *call.application); }

// As the body has it and with a new identity.
Result<model::Application> drafted(Call& call) {
  ASSIGN_OR_RETURN(const JsonValue body, call.json());
  model::Application application;
  TRY(under("body", read_application(body, application)));
  const WallTime now = call.services().clock.wall();
  application.id = ApplicationId(call.context->maker.make(now));
  application.organisation = call.caller.organisation;
  application.created_at = application.updated_at = now;
  return application;
}

Plan creation(const model::Application& application) {
  return {{}, [application]() -> Result<ChangeDecision> {
            return ChangeDecision{{store::CreateApplication{application}}, shown(201, application)};
          }};
}

Status create(const CallPtr& call) {
  ASSIGN_OR_RETURN(const bool get_if_exists, call->query.flag("get_if_exists", false));
  ASSIGN_OR_RETURN(const model::Application application, drafted(*call));
  change(call, [call, application, get_if_exists]() -> Plan {
    const store::ApplicationPtr known =
        get_if_exists && !application.uid.empty()
            ? call->services().catalogue.find_application(application.organisation, application.uid)
            : nullptr;
    if (known == nullptr) return creation(application);
    return {node::Changes::turn_of(known->id), [known]() -> Result<ChangeDecision> {
              return ChangeDecision{{}, shown(200, *known)};
            }};
  });
  return Done{};
}

using EditApplication = std::function<Status(model::Application&)>;

// Changes the application as it is once its turn has come.
Plan edit_plan(Call& call, ApplicationId id, EditApplication edit) {
  return {node::Changes::turn_of(id),
          [&catalogue = call.services().catalogue, now = call.services().clock.wall(), id,
           edit = std::move(edit)]() -> Result<ChangeDecision> {
            const store::ApplicationPtr before = catalogue.application(id);
            if (before == nullptr || before->deleted_at) return no_such_application();
            model::Application application = *before;
            TRY(edit(application));
            application.updated_at = now;
            net::HttpResponse response = shown(200, application);
            return ChangeDecision{{store::UpdateApplication{std::move(application)}},
                                  std::move(response)};
          }};
}

// All of what the body can say is as it says, or as it is in a new application.
Status replace(model::Application& application, const model::Application& wanted) {
  application.uid = wanted.uid;
  application.name = wanted.name;
  application.metadata = wanted.metadata;
  application.throttle_rate = wanted.throttle_rate;
  application.retry_policy = wanted.retry_policy;
  application.in_flight_max = wanted.in_flight_max;
  application.timeout = wanted.timeout;
  application.guards = wanted.guards;
  application.retention = wanted.retention;
  return Done{};
}

Status put(const CallPtr& call) {
  ASSIGN_OR_RETURN(const model::Application wanted, drafted(*call));
  change(call, [call, wanted]() -> Plan {
    const store::ApplicationPtr known = call->services().catalogue.find_application(
        call->caller.organisation, call->parameter("app_id"));
    if (known == nullptr) return creation(wanted);
    return edit_plan(*call, known->id,
                     [wanted](model::Application& edited) { return replace(edited, wanted); });
  });
  return Done{};
}

Status patch(const CallPtr& call) {
  ASSIGN_OR_RETURN(const auto body, call->kept_json());
  change(call, [call, body] {
    return edit_plan(*call, call->application->id, [body](model::Application& edited) -> Status {
      return under("body", read_application(*body, edited));
    });
  });
  return Done{};
}

Status remove(const CallPtr& call) {
  change(call, [call]() -> Plan {
    return {node::Changes::turn_of(call->application->id),
            [id = call->application->id,
             now = call->services().clock.wall()]() -> Result<ChangeDecision> {
              return ChangeDecision{{store::DeleteApplication{id, now}}, json_response(204, "")};
            }};
  });
  return Done{};
}

}  // namespace

std::vector<Route> application_routes() {
  using enum Capability;
  RouteTable table("Application");
  table.add("GET", "/api/v1/app", {kOrganisation, sync_route(list)},
            {"v1.application.list", "List applications"},
            {.query = "limit iterator order", .response = "ListResponse_ApplicationOut_"});
  table.add("POST", "/api/v1/app", {kOrganisation, create},
            {"v1.application.create", "Create an application"},
            {.query = "get_if_exists",
             .request = "ApplicationIn",
             .status = 201,
             .response = "ApplicationOut"});
  table.add("GET", "/api/v1/app/{app_id}", {ViewBase, sync_route(get)},
            {"v1.application.get", "Get an application"}, {.response = "ApplicationOut"});
  table.add("PUT", "/api/v1/app/{app_id}", {kNewApplication, put},
            {"v1.application.update", "Make or replace an application"},
            {.request = "ApplicationIn", .response = "ApplicationOut"});
  table.add("PATCH", "/api/v1/app/{app_id}", {kOrganisation, patch},
            {"v1.application.patch", "Change an application"},
            {.request = "ApplicationPatch", .response = "ApplicationOut"});
  table.add("DELETE", "/api/v1/app/{app_id}", {kOrganisation, remove},
            {"v1.application.delete", "Delete an application"}, {.status = 204});
  return table.take();
}

}  // namespace petrel::api
