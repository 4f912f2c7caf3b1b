// How an endpoint does: its attempts in a range of time, and what is on its way now.

#include <algorithm>

#include "api/http/call.h"
#include "api/http/error.h"
#include "api/http/route_table.h"
#include "api/routes/routes.h"
#include "base/try.h"

namespace petrel::api {
namespace {

constexpr Duration kSpanDefault = std::chrono::hours(28 * 24);
constexpr Duration kSlack = std::chrono::minutes(5);  // For clocks that differ a little.
constexpr Duration kInstant = std::chrono::microseconds(1);

Result<net::HttpResponse> stats_of(store::Browse& browse, EndpointId endpoint, WallTime since,
                                   WallTime until) {
  ASSIGN_OR_RETURN(const store::EndpointTally tally, browse.tally(endpoint));
  ASSIGN_OR_RETURN(const auto hours, browse.hours(endpoint, since, until));
  std::uint64_t success = 0;
  std::uint64_t failed = 0;
  for (const store::HourTally& hour : hours) {
    success += hour.success;
    failed += hour.failed;
  }
  return json_body(200, [&](JsonWriter& json) {
    const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
    json.begin_object();
    json.field("success", number(success)).field("fail", number(failed));
    json.field("pending", number(tally.live_fresh)).field("sending", number(tally.live_retry));
    json.field("canceled", number(tally.dead_of(policy::DeadReason::Cancelled)));
    json.end_object();
  });
}

Status stats(const CallPtr& call) {
  ASSIGN_OR_RETURN(const store::EndpointPtr endpoint, call->endpoint());
  ASSIGN_OR_RETURN(const auto since, call->query.time("since"));
  ASSIGN_OR_RETURN(const auto until, call->query.time("until"));
  const WallTime now = call->services().clock.wall();
  const WallTime end = until.value_or(now + kInstant);  // So that this moment is in it.
  const WallTime begin = since.value_or(end - kSpanDefault);
  const auto refuse = [&](std::string_view detail) -> Status {
    call->answer(coded_page(400, "invalid_range", detail));
    return Done{};
  };
  if (end > now + kSlack) return refuse("until must not be in the future");
  if (begin >= end) return refuse("since must be earlier than until");
  if (end - begin > kSpanDefault + kSlack) return refuse("the range must be at most 28 days");
  call->browse([id = endpoint->id, begin, end](store::Browse& browse) {
    return stats_of(browse, id, begin, end);
  });
  return Done{};
}

}  // namespace

std::vector<Route> endpoint_stats_routes() {
  using enum Capability;
  RouteTable table("Endpoint");
  table.add(
      "GET", "/api/v1/app/{app_id}/endpoint/{endpoint_id}/stats", {ViewBase, stats},
      {"v1.endpoint.get-stats", "Count the attempts of an endpoint, and what is on its way to it"},
      {.query = "since until", .response = "EndpointStats"});
  return table.take();
}

}  // namespace petrel::api
