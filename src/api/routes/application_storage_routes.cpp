// How much is kept of an application, and for how long.

#include "api/http/call.h"
#include "api/http/error.h"
#include "api/http/route_table.h"
#include "api/routes/routes.h"
#include "base/duration_text.h"
#include "base/try.h"

namespace petrel::api {
namespace {

net::HttpResponse shown(const store::KeptSizes& kept, const model::Retention& retention) {
  return json_body(200, [&](JsonWriter& json) {
    const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
    json.begin_object();
    json.field("messages", number(kept.messages));
    json.field("payloads", number(kept.payloads));
    json.field("payloadBytes", number(kept.payload_bytes));
    json.field("retention", to_text(retention.ended));
    json.field("retentionPayloads", to_text(retention.payloads));
    json.field("retentionAttempts", to_text(retention.attempts));
    json.field("retentionDeadLetters", to_text(retention.dead_letters));
    json.end_object();
  });
}

Status storage(const CallPtr& call) {
  const model::Retention retention =
      model::retention_of(call->application->retention, call->context->settings.retention);
  call->browse(
      [id = call->application->id, retention](store::Browse& browse) -> Result<net::HttpResponse> {
        ASSIGN_OR_RETURN(const store::KeptSizes kept, browse.kept(id));
        return shown(kept, retention);
      });
  return Done{};
}

}  // namespace

std::vector<Route> application_storage_routes() {
  using enum Capability;
  RouteTable table("Application");
  table.add("GET", "/api/v1/app/{app_id}/storage", {ViewBase, storage},
            {"v1.application.get-storage", "Say how much is kept of an application, and how long"},
            {.response = "ApplicationStorage"});
  return table.take();
}

}  // namespace petrel::api
