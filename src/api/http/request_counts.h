// RequestCounts counts the requests of one loop in the metrics, by method, route and status:
//
//   petrel_api_requests_total{method="GET",route="/api/v1/app/{app_id}",status="200"} 4
//
// A route is shown by its pattern, never by what a client has sent, so there are no more of them
// than the table has. What has no route is counted as "none", and files of the dashboard as
// "dashboard".
//
// Thread: confined to the loop; the counters are those of all loops.

#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/router.h"
#include "metric/metrics.h"

namespace petrel::api {

class RequestCounts {
 public:
  // Which of the routes it was; the table's, or one of the other two.
  using Place = std::size_t;

  // Every route is there from the start, with the status that it has if all is well.
  //
  // REQUIRES: the texts of the routes outlive it.
  RequestCounts(metric::CounterFamily& family, const std::vector<Route>& routes);

  Place place_of(std::size_t route) const { return route; }
  Place none() const { return rows_.size() - 2; }
  Place dashboard() const { return rows_.size() - 1; }

  void count(Place place, int status);

 private:
  struct Row {
    std::string method;
    std::string route;
    std::vector<std::pair<int, metric::Counter*>> by_status;  // A few.
  };

  metric::Counter& counter(Row& row, int status);

  metric::CounterFamily& family_;
  std::vector<Row> rows_;
};

}  // namespace petrel::api
