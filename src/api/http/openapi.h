// openapi_document() is the description of the API for programs: OpenAPI 3.1, made from the table
// of routes itself, so that it cannot say anything else than what is served.
//
//   Route {method, pattern, scope, about}  ─▶  paths./app/{app_id}.get
//   openapi_components.json                ─▶  components: what bodies and parameters look like
//
// Thread: any.

#pragma once

#include <span>
#include <string>

#include "api/http/router.h"

namespace petrel::api {

std::string openapi_document(std::span<const Route> routes);

}  // namespace petrel::api
