#include "api/json/portal.h"

#include <fmt/format.h>

#include "api/json/application.h"
#include "api/json/fields.h"
#include "base/text.h"
#include "base/try.h"
#include "intake/names.h"

namespace petrel::api {
namespace {

constexpr int seconds_of(Duration duration) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(duration).count());
}

constexpr IntegerReading kReadExpiry{seconds_of(kPortalLifetimeMin),
                                     seconds_of(kPortalLifetimeMax)};

Result<std::vector<std::string>> read_flags(const JsonValue& value) {
  Result<std::vector<std::string>> flags = read_texts(value);
  if (!flags.ok()) return flags;
  for (std::size_t i = 0; i < flags->size(); ++i) {
    const Status status = intake::check_event_type((*flags)[i]);
    if (!status.ok()) return status.error().under(fmt::format("[{}]", i));
  }
  return flags;
}

Result<std::optional<Capabilities>> read_capabilities(const JsonValue& value) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, read_texts(value));
  Capabilities capabilities;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<Capability> capability = find_capability(names[i]);
    if (!capability) {
      return invalid(fmt::format("[{}]", i),
                     fmt::format("{} is not a capability", in_quotes(names[i])));
    }
    capabilities.add(*capability);
  }
  if (!capabilities.contains(Capability::ViewBase)) {
    return invalid("", "must have \"ViewBase\" among them");
  }
  return std::optional(capabilities);
}

Result<std::optional<model::Application>> read_new_application(const JsonValue& value) {
  model::Application application;
  TRY(read_application(value, application));
  return std::optional(std::move(application));
}

}  // namespace

Result<PortalRequest> read_portal_request(const JsonValue& body) {
  ASSIGN_OR_RETURN(const Fields fields, Fields::of(body));
  PortalRequest request;
  bool is_read_only = false;
  std::optional<int> seconds;
  TRY(first_error({
      take_or_clear(fields, "featureFlags", request.limits.feature_flags, read_flags),
      take_or_clear(fields, "readOnly", is_read_only, read_bool),
      take_or_clear(fields, "capabilities", request.limits.capabilities, read_capabilities),
      take_or_clear(fields, "expiry", seconds, kReadExpiry),
      take_or_clear(fields, "application", request.application, read_new_application),
  }));
  if (seconds) request.lifetime = std::chrono::seconds(*seconds);
  if (is_read_only) {
    request.limits.capabilities = Capabilities();
    request.limits.capabilities->add(Capability::ViewBase);
  }
  return request;
}

}  // namespace petrel::api
