// The routes of each noun. Together they are the API; see docs/api.md.
//
// Thread: any.

#pragma once

#include <vector>

#include "api/http/router.h"

namespace petrel::api {

std::vector<Route> application_routes();
std::vector<Route> endpoint_routes();
std::vector<Route> endpoint_secret_routes();
std::vector<Route> endpoint_header_routes();
std::vector<Route> control_routes();
std::vector<Route> event_type_routes();
std::vector<Route> message_routes();
std::vector<Route> attempt_routes();
std::vector<Route> message_destination_routes();
std::vector<Route> resend_routes();
std::vector<Route> replay_routes();
std::vector<Route> task_routes();
std::vector<Route> example_routes();
std::vector<Route> application_storage_routes();
std::vector<Route> endpoint_stats_routes();
std::vector<Route> delivery_routes();
std::vector<Route> dead_letter_routes();
std::vector<Route> expunge_routes();
std::vector<Route> usage_stats_routes();
std::vector<Route> retry_policy_routes();
std::vector<Route> operational_routes();
std::vector<Route> authentication_routes();
std::vector<Route> health_routes();
std::vector<Route> docs_routes();

// All of them.
std::vector<Route> all_routes();

}  // namespace petrel::api
