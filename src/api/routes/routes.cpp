#include "api/routes/routes.h"

#include <iterator>
#include <utility>

namespace petrel::api {

std::vector<Route> all_routes() {
  std::vector<Route> all;
  for (std::vector<Route> routes : {
           application_routes(),
           endpoint_routes(),
           endpoint_secret_routes(),
           endpoint_header_routes(),
           control_routes(),
           event_type_routes(),
           message_routes(),
           attempt_routes(),
           message_destination_routes(),
           resend_routes(),
           replay_routes(),
           task_routes(),
           example_routes(),
           application_storage_routes(),
           endpoint_stats_routes(),
           delivery_routes(),
           dead_letter_routes(),
           expunge_routes(),
           usage_stats_routes(),
           retry_policy_routes(),
           operational_routes(),
           authentication_routes(),
           health_routes(),
           docs_routes(),
       }) {
    std::move(routes.begin(), routes.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace petrel::api
