// Auth says who is calling, by the JSON Web Token that the caller shows.
//
//   {"sub": "org_…"}                  the organisation: everything in it
//   {"org": "org_…", "sub": "app_…"}  one application of it: its portal
//
// The token of an application may say more: `feature_flags`, which event types it shows, and
// `capabilities`, what it is limited to; without them it may do all that an application may.
//
// Each says when it expires (`exp`); one that does not would be good for ever, and is refused.
//
// Tokens are signed with HS256 and a secret of the server; nothing is stored, and any organisation
// that a good token names is a tenant. A token of any other algorithm is refused, whatever it says.
//
// Thread: confined.

#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/http/capability.h"
#include "base/id.h"
#include "base/result.h"
#include "base/time.h"
#include "signature/hmac_key.h"

namespace petrel::api {

// The organisation that a token is for if nothing else is said.
inline constexpr std::string_view kDefaultOrganisation = "org_23rb8YdGqMT0qIzpgGwdXfHirMu";

// How far a clock may be off before a token's times count against it.
inline constexpr Duration kTokenLeeway = std::chrono::seconds(60);

// A longer one is malformed.
inline constexpr std::size_t kTokenBytesMax = 8 * 1024;

struct Caller {
  OrganisationId organisation = {};
  std::optional<ApplicationId> application = {};  // Set if the token is for one application only.
  std::vector<std::string> feature_flags = {};    // Of an application.
  std::optional<Capabilities> capabilities = {};  // Of an application. Empty: all of them.

  friend bool operator==(const Caller&, const Caller&) = default;
};

// A caller, by a token that is good now.
struct Session {
  Caller caller;
  std::optional<WallTime> issued_at;
  WallTime expires_at;
};

// The token in an Authorization header. Empty if there is none.
std::string_view bearer_token(std::string_view authorization);

class Auth {
 public:
  // REQUIRES: secret is not empty.
  explicit Auth(std::string secret);

  // Who a request with this Authorization header is from. An error of any kind is a 401; its detail
  // is for the caller to read.
  Result<Session> identify(std::string_view authorization, WallTime now);

  // A token for `caller` that is good from now on.
  std::string mint(const Caller& caller, WallTime now, Duration lifetime);

 private:
  // What a token says, kept by its signed text: reading it anew would cost more than the rest.
  struct Claims {
    Session session;
    std::optional<WallTime> valid_from;
  };
  static constexpr std::size_t kKnownMax = 1024;

  Result<Claims> read(std::string_view token);
  bool is_signed(std::string_view content, std::string_view signature);
  static Result<Claims> read_claims(std::string_view payload);
  std::string tag_text(std::string_view content);

  std::string secret_;
  signature::HmacKey key_;
  std::unordered_map<std::string, Claims> known_;
};

}  // namespace petrel::api
