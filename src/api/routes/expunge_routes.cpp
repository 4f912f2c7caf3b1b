// Deleting the payloads of many messages.

#include <algorithm>
#include <optional>
#include <utility>

#include "api/http/call.h"
#include "api/http/route_table.h"
#include "api/json/fields.h"
#include "api/routes/message_lookup.h"
#include "api/routes/routes.h"
#include "api/routes/task_start.h"
#include "base/try.h"

namespace petrel::api {
namespace {

constexpr std::size_t kIdsMax = 500;

// What was asked for, each with the message that it names.
using Found = std::vector<std::pair<std::string, std::optional<MessageId>>>;

Result<Found> find_all(store::Browse& browse, ApplicationId application,
                       const std::vector<std::string>& ids) {
  Found found;
  for (const std::string& id : ids) {
    const Result<model::Message> message = find_message(browse, application, id);
    if (!message.ok() && message.error().kind != ErrorKind::NotFound) return message.error();
    found.emplace_back(id, std::nullopt);
    if (message.ok()) found.back().second = message->id;
  }
  return found;
}

net::HttpResponse shown(const Found& found) {
  return json_body(200, [&](JsonWriter& json) {
    json.begin_object().key("results").begin_object();
    for (const auto& [id, message] : found) json.field(id, message ? "expunged" : "not-found");
    json.end_object().end_object();
  });
}

void expunge(const CallPtr& call, const Found& found) {
  std::vector<store::Change> changes;
  for (const auto& [id, message] : found) {
    if (message) changes.emplace_back(store::ExpungePayload{call->application->id, *message});
  }
  if (changes.empty()) return call->answer(shown(found));
  const auto done = [call, found](const Status& status) {
    call->services().loop.post([call, found, status] {
      call->answer(status.ok() ? Result<net::HttpResponse>(shown(found)) : status.error());
    });
  };
  call->services().changes.write({.changes = std::move(changes)}, node::Author::Person, done);
}

Status expunge_many(const CallPtr& call) {
  ASSIGN_OR_RETURN(const JsonValue body, call->json());
  ASSIGN_OR_RETURN(const Fields fields, under("body", Fields::of(body)));
  std::vector<std::string> ids;
  TRY(under("body", take(fields, "ids", ids, read_texts)));
  if (ids.size() > kIdsMax) return invalid("body.ids", "must be at most 500");
  // A name that appears twice is one entry of the answer.
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  call->read<Found>([application = call->application->id,
                     ids](store::Browse& browse) { return find_all(browse, application, ids); },
                    [call](const Found& found) { expunge(call, found); });
  return Done{};
}

Status expunge_all(const CallPtr& call) {
  start_task(call, drafted_task(*call, model::TaskType::ExpungeContent));
  return Done{};
}

}  // namespace

std::vector<Route> expunge_routes() {
  RouteTable table("Message");
  table.add("POST", "/api/v1/app/{app_id}/msg/bulk-expunge", {kOrganisation, expunge_many},
            {"v1.message.bulk-expunge-content", "Delete the payloads of several messages for good"},
            {.request = "BulkExpungeContentsIn", .response = "BulkExpungeContentsOut"});
  table.add("POST", "/api/v1/app/{app_id}/msg/expunge-all-contents", {kOrganisation, expunge_all},
            {"v1.message.expunge-all-contents",
             "Delete the payloads of all messages of an application for good"},
            {.status = 202, .response = "BackgroundTaskOut"});
  return table.take();
}

}  // namespace petrel::api
