#include "api/capability.h"

#include <algorithm>

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

std::optional<Capability> needed_for(std::string_view method, std::string_view pattern) {
  const auto is_about = [&](std::string_view part) {
    return pattern.find(part) != std::string_view::npos;
  };
  if (method == "GET") {
    return pattern.ends_with("/secret") ? Capability::ViewEndpointSecret : Capability::ViewBase;
  }
  // A token can always be given up.
  if (pattern.ends_with("/auth/logout")) return std::nullopt;
  if (is_about("/auth/")) return Capability::ViewBase;
  if (is_about("/secret")) return Capability::ManageEndpointSecret;
  // What a message, an attempt or a replay is asked for makes attempts; the rest is settings.
  constexpr std::array<std::string_view, 7> kSending = {
      "/msg", "/attempt", "/delivery", "/recover", "/replay", "/bulk-replay", "/send-example"};
  const bool is_sending = std::any_of(kSending.begin(), kSending.end(), is_about);
  return is_sending ? Capability::CreateAttempts : Capability::ManageEndpoint;
}

}  // namespace petrel::api
