#include "app/client/fleet.h"

#include <fmt/format.h>

#include "app/client/json_view.h"
#include "base/try.h"

namespace petrel::app {
namespace {

constexpr int kPerPage = 250;

// More than a server is likely to have, and less than would fill a memory.
constexpr std::size_t kThingsMax = 1'000'000;

NamedThing named(const JsonValue& json) {
  const std::string uid = text_at(json, "uid");
  const std::string id = text_at(json, "id");
  return {.id = id, .name = uid.empty() ? id : uid};
}

}  // namespace

Result<std::vector<NamedThing>> applications_of(ApiClient& api, const std::string& only) {
  std::vector<NamedThing> found;
  if (!only.empty()) {
    ASSIGN_OR_RETURN(const ApiAnswer answer, api.get("/app/" + escaped(only)));
    found.push_back(named(answer.json));
    return found;
  }
  TRY(for_each_page(api, "/app", kPerPage, [&](const ApiAnswer& page) -> Result<bool> {
    for (const JsonValue& each : list_at(page.json, "data")) found.push_back(named(each));
    return found.size() < kThingsMax;
  }));
  return found;
}

Result<std::vector<NamedEndpoint>> endpoints_of(ApiClient& api, const NamedThing& application) {
  std::vector<NamedEndpoint> found;
  const std::string path = fmt::format("/app/{}/endpoint", escaped(application.id));
  TRY(for_each_page(api, path, kPerPage, [&](const ApiAnswer& page) -> Result<bool> {
    for (const JsonValue& each : list_at(page.json, "data")) found.push_back({named(each), each});
    return found.size() < kThingsMax;
  }));
  return found;
}

}  // namespace petrel::app
