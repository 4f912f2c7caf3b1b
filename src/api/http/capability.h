// Capability is one thing that the token of an application may be limited to: a portal that shows
// attempts need not be one that shows secrets.
//
// The organisation's own tokens are not limited.
//
// Thread: any.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace petrel::api {

// In the words of the client libraries.
enum class Capability : std::uint8_t {
  ViewBase,              // Reads everything but secrets.
  ViewEndpointSecret,    //
  ManageEndpointSecret,  // Rotates secrets, and sees them.
  ManageTransformations,
  CreateAttempts,  // Has messages sent again, or for the first time.
  ManageEndpoint,  // Everything about endpoints, their secrets as well.
};

inline constexpr std::array<std::pair<std::string_view, Capability>, 6> kCapabilities = {{
    {"ViewBase", Capability::ViewBase},
    {"ViewEndpointSecret", Capability::ViewEndpointSecret},
    {"ManageEndpointSecret", Capability::ManageEndpointSecret},
    {"ManageTransformations", Capability::ManageTransformations},
    {"CreateAttempts", Capability::CreateAttempts},
    {"ManageEndpoint", Capability::ManageEndpoint},
}};

// Empty if there is none of this name.
std::optional<Capability> find_capability(std::string_view name);
std::string_view name_of(Capability capability);

class Capabilities {
 public:
  void add(Capability capability) { bits_ |= bit(capability); }

  // As it was given.
  bool contains(Capability capability) const { return (bits_ & bit(capability)) != 0; }

  // Itself, or one that includes it.
  bool allow(Capability capability) const;

  friend bool operator==(const Capabilities&, const Capabilities&) = default;

 private:
  static unsigned bit(Capability capability) { return 1U << static_cast<unsigned>(capability); }

  unsigned bits_ = 0;
};

}  // namespace petrel::api
