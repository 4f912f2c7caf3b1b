// Authorization headers: whatever stands in one, it is answered; and what is taken for a token was
// signed with our secret, says when it expires, and names a caller whose own token says the same.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/http/auth.h"
#include "base/base64.h"
#include "base/check.h"

namespace petrel::api {
namespace {

constexpr WallTime kNow = wall_from_unix_seconds(1'800'000'000);
constexpr std::string_view kSecret = "the secret of the fuzzer";

std::string encoded(std::string_view text) {
  return to_base64url({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

// The claims as if a server of ours had signed them.
std::string signed_token(std::string_view claims) {
  const std::string content = encoded(R"({"alg":"HS256","typ":"JWT"})") + "." + encoded(claims);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(kSecret.data());
  signature::HmacKey key({bytes, kSecret.size()});
  const std::string_view part = content;
  return content + "." + to_base64url(key.tag({&part, 1}));
}

void check_header(std::string_view header) {
  static Auth auth{std::string(kSecret)};  // As in the server: it has seen other tokens.
  const Result<Session> session = auth.identify(header, kNow);
  if (!session.ok()) {
    CHECK(session.error().kind == ErrorKind::Invalid);
    CHECK(!session.error().detail.empty());
    return;
  }
  CHECK(bearer_token(header).size() <= kTokenBytesMax);
  CHECK(session->expires_at + kTokenLeeway > kNow);
  const std::string ours = auth.mint(session->caller, kNow, std::chrono::hours(1));
  if (ours.size() > kTokenBytesMax) return;
  const Result<Session> again = auth.identify("Bearer " + ours, kNow);
  CHECK(again.ok());
  CHECK(again->caller == session->caller);
}

}  // namespace
}  // namespace petrel::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  petrel::api::check_header(text);
  petrel::api::check_header("Bearer " + petrel::api::signed_token(text));
  return 0;
}
