// Statistics over applications, as tasks whose data is the answer.

#include <set>
#include <string>
#include <utility>

#include "api/http/call.h"
#include "api/http/change_call.h"
#include "api/http/route_table.h"
#include "api/json/fields.h"
#include "api/json/task.h"
#include "api/routes/routes.h"
#include "api/routes/task_start.h"
#include "base/try.h"

namespace petrel::api {
namespace {

constexpr std::size_t kApplicationsMax = 1000;

// Which applications are included: those that were named, or all; and the names that none has.
struct Named {
  std::vector<ApplicationId> applications;
  std::vector<std::string> unresolved;
};

Named resolve(Call& call, const std::optional<std::vector<std::string>>& names) {
  const store::Catalogue& catalogue = call.services().catalogue;
  const OrganisationId organisation = call.caller.organisation;
  Named named;
  if (!names) {
    for (const store::ApplicationPtr& application : catalogue.applications_of(organisation)) {
      named.applications.push_back(application->id);
    }
    return named;
  }
  std::set<ApplicationId> known;
  for (const std::string& name : *names) {
    const store::ApplicationPtr application = catalogue.find_application(organisation, name);
    if (application == nullptr) {
      named.unresolved.push_back(name);
    } else if (known.insert(application->id).second) {
      named.applications.push_back(application->id);
    }
  }
  return named;
}

net::HttpResponse shown_stats(const model::Task& task, const std::vector<std::string>& unresolved) {
  return json_body(202, [&](JsonWriter& json) {
    json.begin_object();
    write_task_fields(task, json);
    json.key("unresolvedAppIds").begin_array();
    for (const std::string& name : unresolved) json.value(name);
    json.end_array().end_object();
  });
}

Status app_stats(const CallPtr& call) {
  ASSIGN_OR_RETURN(const JsonValue body, call->json());
  ASSIGN_OR_RETURN(const Fields fields, under("body", Fields::of(body)));
  model::Task task = drafted_task(*call, model::TaskType::ApplicationStats);
  task.selection.until = WallTime::max();
  std::optional<std::vector<std::string>> names;
  TRY(under("body", first_error({read_time_range(fields, task),
                                 take_or_clear(fields, "appIds", names, read_texts)})));
  for (const char* name : {"since", "until"}) {
    const JsonValue* value = fields.find(name);
    if (value == nullptr || value->is_null()) {
      return invalid(std::string("body.") + name, "is missing");
    }
  }
  if (names && names->size() > kApplicationsMax) {
    return invalid("body.appIds", "must be at most 1000");
  }
  Named named = resolve(*call, names);
  if (named.applications.size() > kApplicationsMax) {
    return invalid("body.appIds", "is needed: there are more than 1000 applications");
  }
  if (names && !names->empty() && named.applications.empty()) {
    return invalid("body.appIds", "names no application that there is");
  }
  task.selection.applications = std::move(named.applications);
  const net::HttpResponse response = shown_stats(task, named.unresolved);
  start_task(call, std::move(task), response);
  return Done{};
}

void write_wishes(const store::ApplicationPtr& application,
                  const std::vector<store::EndpointPtr>& endpoints, JsonWriter& json) {
  std::set<std::string> types;
  bool takes_all = false;
  for (const store::EndpointPtr& endpoint : endpoints) {
    takes_all = takes_all || endpoint->event_types.empty();
    types.insert(endpoint->event_types.begin(), endpoint->event_types.end());
  }
  json.begin_object().field("appId", application->id.text());
  json.key("appUid");
  if (application->uid.empty()) {
    json.null();
  } else {
    json.value(application->uid);
  }
  json.key("explicitlySubscribedEventTypes").begin_array();
  for (const std::string& type : types) json.value(type);
  json.end_array().field("hasCatchAllEndpoint", takes_all).end_object();
}

std::string wishes_of(const store::Catalogue& catalogue, OrganisationId organisation) {
  JsonWriter json;
  json.begin_object().key("event_types").begin_array();
  for (const auto& application : catalogue.applications_of(organisation)) {
    write_wishes(application, catalogue.endpoints_of(application->id), json);
  }
  json.end_array().end_object();
  return json.take();
}

void answer_event_types(const CallPtr& call, std::string wishes) {
  model::Task task = drafted_task(*call, model::TaskType::EventTypeAggregate);
  task.state = model::TaskState::Finished;
  task.data = std::move(wishes);
  change(call, [task]() -> Plan {
    return {node::Changes::Turn(), [task]() -> Result<ChangeDecision> {
              return ChangeDecision{.changes = {store::CreateTask{task}},
                                    .response = shown_task(202, task)};
            }};
  });
}

// All of it is at hand, so the task is finished when it begins; but there may be a lot of it, and
// the loop has others to serve.
Status event_types(const CallPtr& call) {
  call->read<std::string>(
      [&catalogue = call->services().catalogue, organisation = call->caller.organisation](
          store::Browse&) -> Result<std::string> { return wishes_of(catalogue, organisation); },
      [call](std::string wishes) { answer_event_types(call, std::move(wishes)); });
  return Done{};
}

}  // namespace

std::vector<Route> usage_stats_routes() {
  RouteTable table("Statistics");
  table.add("POST", "/api/v1/stats/usage/app", {kOrganisation, app_stats},
            {"v1.statistics.aggregate-app-stats",
             "Count the deliveries that the messages of applications have made"},
            {.request = "AppUsageStatsIn", .status = 202, .response = "AppUsageStatsOut"});
  table.add("PUT", "/api/v1/stats/usage/event-types", {kOrganisation, event_types},
            {"v1.statistics.aggregate-event-types",
             "Say which event types the endpoints of each application want"},
            {.status = 202, .response = "BackgroundTaskOut"});
  return table.take();
}

}  // namespace petrel::api
