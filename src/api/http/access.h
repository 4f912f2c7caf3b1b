// Access says who may call a route: anyone, any good token, the organisation, or also the
// application that the path names, if its token has a capability.
//
//   {"GET", "/api/v1/app/{app_id}/endpoint", Capability::ViewBase, …}
//   {"POST", "/api/v1/app", kOrganisation, …}
//
// There is no default: a route that does not say who may call it does not compile.
//
// Thread: any. Does not change once it is made.

#pragma once

#include <cstdint>
#include <optional>

#include "api/http/capability.h"

namespace petrel::api {

class Access {
 public:
  enum class Scope : std::uint8_t {
    Open,          // Anyone, without a token.
    Application,   // The organisation, or the application that the path names.
    Organisation,  // The organisation alone.

    // The organisation alone, also where there is no application yet of the name in the path.
    NewApplication,
  };

  // The organisation, and the application that the path names if its token has this capability.
  constexpr Access(Capability needed)  // NOLINT(google-explicit-constructor)
      : scope_(Scope::Application), needed_(needed) {}

  static constexpr Access of(Scope scope) { return Access(scope); }

  constexpr Scope scope() const { return scope_; }

  // What the token of an application must have. Empty: every good token of the scope will do.
  constexpr std::optional<Capability> needed() const { return needed_; }

 private:
  explicit constexpr Access(Scope scope) : scope_(scope) {}

  Scope scope_;
  std::optional<Capability> needed_;
};

inline constexpr Access kOpen = Access::of(Access::Scope::Open);
inline constexpr Access kOrganisation = Access::of(Access::Scope::Organisation);
inline constexpr Access kNewApplication = Access::of(Access::Scope::NewApplication);
inline constexpr Access kAnyToken = Access::of(Access::Scope::Application);

}  // namespace petrel::api
