// What is asked for with a portal: the JSON of app-portal-access.
//
// Thread: any.

#pragma once

#include <optional>

#include "api/http/auth.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "model/application.h"

namespace petrel::api {

inline constexpr Duration kPortalLifetimeMin = std::chrono::hours(1);
inline constexpr Duration kPortalLifetimeMax = std::chrono::days(7);

struct PortalRequest {
  Caller limits;  // The flags and capabilities of its token; whose it is stays empty.
  Duration lifetime = kPortalLifetimeMax;
  std::optional<model::Application> application;  // To be made if there is none.
};

// Errors name the field below the body.
Result<PortalRequest> read_portal_request(const JsonValue& body);

}  // namespace petrel::api
