// How an endpoint does: its attempts in a range of time, and what is on its way now.

#include <algorithm>

#include "api/http/call.h"
#include "api/http/error.h"
#include "api/http/route_table.h"
#include "api/routes/routes.h"

namespace petrel::api {
namespace {

constexpr Duration kSpanDefault = std::chrono::hours(28 * 24);
constexpr Duration kSlack = std::chrono::minutes(5);  // For clocks that differ a little.
constexpr Duration kInstant = std::chrono::microseconds(1);

net::HttpResponse invalid_range(std::string_view detail) {
  return coded_page(400, "invalid_range", detail);
}

Result<net::HttpResponse> stats_of(store::Browse& browse, EndpointId endpoint, WallTime since,
                                   WallTime until) {
  const Result<store::EndpointTally> tally = browse.tally(endpoint);
  if (!tally.ok()) return tally.error();
  const auto hours = browse.hours(endpoint, since, until);
  if (!hours.ok()) return hours.error();
  std::uint64_t success = 0;
  std::uint64_t failed = 0;
  for (const store::HourTally& hour : *hours) {
    success += hour.success;
    failed += hour.failed;
  }
  return json_body(200, [&](JsonWriter& json) {
    const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
    json.begin_object();
    json.field("success", number(success)).field("fail", number(failed));
    json.field("pending", number(tally->live_fresh)).field("sending", number(tally->live_retry));
    json.field("canceled", number(tally->dead_of(policy::DeadReason::Cancelled)));
    json.end_object();
  });
}

void stats(const CallPtr& call) {
  const store::EndpointPtr endpoint = call->endpoint();
  if (endpoint == nullptr) return call->answer(not_found("there is no such endpoint"));
  const auto since = call->query.time("since");
  if (!since.ok()) return call->answer(since.error());
  const auto until = call->query.time("until");
  if (!until.ok()) return call->answer(until.error());
  const WallTime now = call->services().clock.wall();
  const WallTime end = until->value_or(now + kInstant);  // So that this moment is in it.
  const WallTime begin = since->value_or(end - kSpanDefault);
  if (end > now + kSlack) return call->answer(invalid_range("until must not be in the future"));
  if (begin >= end) return call->answer(invalid_range("since must be earlier than until"));
  if (end - begin > kSpanDefault + kSlack) {
    return call->answer(invalid_range("the range must be at most 28 days"));
  }
  call->browse([id = endpoint->id, begin, end](store::Browse& browse) {
    return stats_of(browse, id, begin, end);
  });
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
