#include "app/access_grant.h"

#include <string_view>

#include "base/try.h"

namespace petrel::app {
namespace {

constexpr std::string_view kAccess = "access";

// A command that goes on for longer asks again.
constexpr Duration kGranted = std::chrono::minutes(10);

}  // namespace

bool asks_for_access(const std::string& line) {
  return line == kAccess || line.starts_with(std::string(kAccess) + " ");
}

Result<std::string> grant_access(const std::string& line, const std::string& url, api::Auth auth,
                                 WallTime now) {
  const std::string named = line == kAccess ? "" : line.substr(kAccess.size() + 1);
  api::Caller caller;
  ASSIGN_OR_RETURN(
      caller.organisation,
      under("--org",
            OrganisationId::parse(named.empty() ? std::string(api::kDefaultOrganisation) : named)));
  return url + " " + auth.mint(caller, now, kGranted);
}

}  // namespace petrel::app
