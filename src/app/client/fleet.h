// The applications and endpoints that a command walks over, as lists or one by name.
//
// Thread: confined.

#pragma once

#include <string>
#include <vector>

#include "app/client/api_client.h"
#include "base/json.h"
#include "base/result.h"

namespace petrel::app {

struct NamedThing {
  std::string id;
  std::string name;  // Its uid, or its id if it has none: what paths and people know it by.
};

struct NamedEndpoint {
  NamedThing endpoint;
  JsonValue json;
};

// All of them, or the one that `only` names.
Result<std::vector<NamedThing>> applications_of(ApiClient& api, const std::string& only);

Result<std::vector<NamedEndpoint>> endpoints_of(ApiClient& api, const NamedThing& application);

}  // namespace petrel::app
