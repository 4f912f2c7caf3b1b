#include "api/http/request_counts.h"

namespace petrel::api {

RequestCounts::RequestCounts(metric::CounterFamily& family, const std::vector<Route>& routes)
    : family_(family) {
  for (const Route& route : routes) {
    rows_.push_back({std::string(route.method), std::string(route.pattern), {}});
    counter(rows_.back(), route.about.shape.status);
  }
  rows_.push_back({"any", "none", {}});
  counter(rows_.back(), 404);
  rows_.push_back({"any", "dashboard", {}});
  counter(rows_.back(), 200);
}

void RequestCounts::count(Place place, int status) { counter(rows_[place], status).add(); }

metric::Counter& RequestCounts::counter(Row& row, int status) {
  for (const auto& [known, counter] : row.by_status) {
    if (known == status) return *counter;
  }
  metric::Counter& counter = family_.with({row.method, row.route, std::to_string(status)});
  row.by_status.emplace_back(status, &counter);
  return counter;
}

}  // namespace petrel::api
