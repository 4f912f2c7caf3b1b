#include "api/http/capability.h"

namespace petrel::api {

std::optional<Capability> find_capability(std::string_view name) {
  for (const auto& [known, capability] : kCapabilities) {
    if (known == name) return capability;
  }
  return std::nullopt;
}

std::string_view name_of(Capability capability) {
  for (const auto& [name, known] : kCapabilities) {
    if (known == capability) return name;
  }
  return "";
}

bool Capabilities::allow(Capability capability) const {
  if (contains(capability)) return true;
  switch (capability) {
    case Capability::ViewEndpointSecret:
      return contains(Capability::ManageEndpointSecret) || contains(Capability::ManageEndpoint);
    case Capability::ManageEndpointSecret:
      return contains(Capability::ManageEndpoint);
    default:
      return false;
  }
}

}  // namespace petrel::api
