// Dead letters: what will not be tried again by itself, to be looked at, counted and discarded.

#include <array>
#include <functional>
#include <optional>

#include "api/http/call.h"
#include "api/http/route_table.h"
#include "api/json/fields.h"
#include "api/routes/delivery_list.h"
#include "api/routes/endpoint_edit.h"
#include "api/routes/message_lookup.h"
#include "api/routes/routes.h"
#include "api/routes/task_start.h"
#include "base/try.h"
#include "replay/walk.h"

namespace petrel::api {
namespace {

using policy::DeadReason;

constexpr std::array<DeadReason, store::kDeadReasons> kReasons = {
    DeadReason::Permanent, DeadReason::Exhausted, DeadReason::Expired,
    DeadReason::Gone,      DeadReason::Cancelled, DeadReason::Blocked};

using Tally = store::EndpointTally;

void add(Tally& sum, const Tally& other) {
  for (std::size_t i = 0; i < sum.dead.size(); ++i) sum.dead[i] += other.dead[i];
}

void write_tally(const Tally& tally, JsonWriter& json) {
  const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
  json.field("total", number(tally.dead_total())).key("reasons").begin_object();
  for (const DeadReason reason : kReasons) {
    if (tally.dead_of(reason) > 0) json.field(to_string(reason), number(tally.dead_of(reason)));
  }
  json.end_object();
}

// Over the endpoints that have dead letters, deleted ones as well.
Result<Tally> tally_of(store::Browse& browse, ApplicationId application,
                       const std::function<void(EndpointId, const Tally&)>& each) {
  model::Task task;
  task.application = application;
  const replay::Walk walk{browse, task};
  Tally sum;
  std::optional<EndpointId> last;
  while (true) {
    ASSIGN_OR_RETURN(const auto endpoint, walk.next_endpoint(last));
    if (!endpoint) return sum;
    ASSIGN_OR_RETURN(const Tally tally, browse.tally(*endpoint));
    add(sum, tally);
    each(*endpoint, tally);
    last = endpoint;
  }
}

Status count(const CallPtr& call) {
  call->browse(
      [application = call->application->id](store::Browse& browse) -> Result<net::HttpResponse> {
        JsonWriter json;
        json.begin_object().key("endpoints").begin_array();
        const Result<Tally> sum =
            tally_of(browse, application, [&](EndpointId endpoint, const Tally& tally) {
              json.begin_object().field("endpointId", endpoint.text());
              write_tally(tally, json);
              json.end_object();
            });
        if (!sum.ok()) return sum.error();
        json.end_array();
        write_tally(*sum, json);
        json.end_object();
        return json_response(200, json.take());
      });
  return Done{};
}

Status count_all(const CallPtr& call) {
  const store::Catalogue& catalogue = call->services().catalogue;
  call->browse([&catalogue, organisation = call->caller.organisation](
                   store::Browse& browse) -> Result<net::HttpResponse> {
    Tally all;
    JsonWriter json;
    json.begin_object().key("applications").begin_array();
    for (const store::ApplicationPtr& application : catalogue.applications_of(organisation)) {
      ASSIGN_OR_RETURN(const Tally sum,
                       tally_of(browse, application->id, [](EndpointId, const Tally&) {}));
      if (sum.dead_total() == 0) continue;
      add(all, sum);
      json.begin_object().field("appId", application->id.text());
      write_tally(sum, json);
      json.end_object();
    }
    json.end_array();
    write_tally(all, json);
    json.end_object();
    return json_response(200, json.take());
  });
  return Done{};
}

Status discard_one(const CallPtr& call) {
  // One that was deleted may still have some, and is found by its id alone.
  const Result<store::EndpointPtr> found = call->endpoint();
  const Result<EndpointId> endpoint = found.ok()
                                          ? Result<EndpointId>((*found)->id)
                                          : EndpointId::parse(call->parameter("endpoint_id"));
  if (!endpoint.ok()) return no_such_endpoint();
  call->read<model::Message>(
      [application = call->application->id, id = call->parameter("msg_id")](store::Browse& browse) {
        return find_message(browse, application, id);
      },
      [call, endpoint = *endpoint](const model::Message& message) {
        call->services().deliveries.discard({endpoint, message.id}, [call](const Status& status) {
          call->services().loop.post([call, status] {
            if (!status.ok()) return call->answer(status.error());
            net::HttpResponse done;
            done.status = 204;
            call->answer(std::move(done));
          });
        });
      });
  return Done{};
}

Status discard(const CallPtr& call) {
  ASSIGN_OR_RETURN(const JsonValue body, call->json());
  ASSIGN_OR_RETURN(const Fields fields, under("body", Fields::of(body)));
  model::Task task = drafted_task(*call, model::TaskType::Discard);
  bool is_dry = false;
  TRY(under(
      "body",
      first_error({fields.only({"endpointId", "eventTypes", "reasons", "since", "until", "dryRun"}),
                   read_endpoint(*call, fields, task.selection, Endpoints::DeletedToo),
                   read_event_types(fields, task.selection), read_reasons(fields, task.selection),
                   read_time_range(fields, task), take(fields, "dryRun", is_dry, read_bool)})));
  begin_task(call, std::move(task), is_dry);
  return Done{};
}

}  // namespace

std::vector<Route> dead_letter_routes() {
  using enum Capability;
  RouteTable table("Dead letter");
  table.add("GET", "/api/v1/app/{app_id}/dead-letter",
            {ViewBase, [](const CallPtr& call) { return list_deliveries(call, Which::DeadOnly); }},
            {"v1.dead-letter.list", "List the dead letters of an application"},
            {.query = "limit iterator reason endpoint_id event_types channel tag before after",
             .response = "ListResponse_DeliveryOut_"});
  table.add("GET", "/api/v1/dead-letter", {kOrganisation, list_dead_of_organisation},
            {"v1.dead-letter.list-all", "List the dead letters of all applications"},
            {.query = "limit iterator reason event_types channel tag before after",
             .response = "ListResponse_DeliveryOut_"});
  table.add(
      "GET", "/api/v1/app/{app_id}/dead-letter/count", {ViewBase, count},
      {"v1.dead-letter.count", "Count the dead letters of an application by endpoint and reason"},
      {.response = "DeadLetterCountOut"});
  table.add("GET", "/api/v1/dead-letter/count", {kOrganisation, count_all},
            {"v1.dead-letter.count-all", "Count the dead letters of all applications by reason"},
            {.response = "DeadLetterCountAllOut"});
  table.add(
      "DELETE", "/api/v1/app/{app_id}/dead-letter/{msg_id}/{endpoint_id}",
      {ManageEndpoint, discard_one},
      {"v1.dead-letter.discard", "Take a dead letter off the list; it can still be sent again"},
      {.status = 204});
  table.add("POST", "/api/v1/app/{app_id}/dead-letter/discard", {ManageEndpoint, discard},
            {"v1.dead-letter.discard-many", "Take all dead letters that fit off the list"},
            {.request = "DiscardIn", .status = 202, .response = "BackgroundTaskOut"});
  return table.take();
}

}  // namespace petrel::api
