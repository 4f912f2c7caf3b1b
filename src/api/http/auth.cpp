#include "api/http/auth.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/base64.h"
#include "base/check.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/try.h"

namespace petrel::api {
namespace {

constexpr std::string_view kHeader = R"({"alg":"HS256","typ":"JWT"})";

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Error refused(std::string_view detail) { return invalid("", detail); }

// Takes the same time wherever the two differ.
bool is_same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Result<JsonValue> decode(std::string_view part) {
  const auto bytes = from_base64url(part);
  if (!bytes) return refused("the token is malformed");
  Result<JsonValue> json =
      parse_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!json.ok() || json->as_object() == nullptr) return refused("the token is malformed");
  return json;
}

const JsonValue* find(const JsonValue& json, std::string_view name) {
  for (const auto& [key, value] : *json.as_object()) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string text_of(const JsonValue& json, std::string_view name) {
  const JsonValue* value = find(json, name);
  const std::string* text = value == nullptr ? nullptr : value->as_string();
  return text == nullptr ? std::string() : *text;
}

// Empty if there is none. Beyond any calendar it is as far as one can go.
Result<std::optional<WallTime>> time_of(const JsonValue& json, std::string_view name) {
  const JsonValue* value = find(json, name);
  if (value == nullptr || value->is_null()) return std::optional<WallTime>();
  const std::optional<double> seconds = value->as_number();
  if (!seconds || !std::isfinite(*seconds)) return refused("a time in the token is malformed");
  constexpr double kFar = 1e12;
  const double within = std::clamp(*seconds, -kFar, kFar);
  const double whole = std::floor(within);
  const auto rest = std::chrono::microseconds(std::llround((within - whole) * 1e6));
  return std::optional<WallTime>(wall_from_unix_seconds(static_cast<std::int64_t>(whole)) + rest);
}

std::vector<std::string> texts_of(const JsonValue& json, std::string_view name) {
  const JsonValue* value = find(json, name);
  std::vector<std::string> texts;
  if (value == nullptr || value->as_array() == nullptr) return texts;
  for (const JsonValue& item : *value->as_array()) {
    if (item.as_string() != nullptr) texts.push_back(*item.as_string());
  }
  return texts;
}

// One that we do not know gives no right, so it is left out; a claim that is no list gives none.
Result<std::optional<Capabilities>> capabilities_of(const JsonValue& claims) {
  const JsonValue* value = find(claims, "capabilities");
  if (value == nullptr || value->is_null()) return std::optional<Capabilities>();
  if (value->as_array() == nullptr) return refused("the token's capabilities are malformed");
  Capabilities capabilities;
  for (const std::string& name : texts_of(claims, "capabilities")) {
    if (const auto capability = find_capability(name)) capabilities.add(*capability);
  }
  return std::optional(capabilities);
}

Result<Caller> caller_of(const JsonValue& claims) {
  const std::string subject = text_of(claims, "sub");
  if (!subject.starts_with(ApplicationId::kPrefix)) {
    const Result<OrganisationId> organisation = OrganisationId::parse(subject);
    if (!organisation.ok()) return refused("the token's sub is not the id of an organisation");
    return Caller{.organisation = *organisation};
  }
  const Result<OrganisationId> organisation = OrganisationId::parse(text_of(claims, "org"));
  if (!organisation.ok()) return refused("the token's org is not the id of an organisation");
  const Result<ApplicationId> application = ApplicationId::parse(subject);
  if (!application.ok()) return refused("the token's sub is not the id of an application");
  ASSIGN_OR_RETURN(std::optional<Capabilities> capabilities, capabilities_of(claims));
  return Caller{*organisation, *application, texts_of(claims, "feature_flags"),
                std::move(capabilities)};
}

void write_limits(const Caller& caller, JsonWriter& json) {
  if (!caller.feature_flags.empty()) {
    json.key("feature_flags").begin_array();
    for (const std::string& flag : caller.feature_flags) json.value(flag);
    json.end_array();
  }
  if (!caller.capabilities) return;
  json.key("capabilities").begin_array();
  for (const auto& [name, capability] : kCapabilities) {
    if (caller.capabilities->contains(capability)) json.value(name);
  }
  json.end_array();
}

}  // namespace

Auth::Auth(std::string secret) : secret_(std::move(secret)), key_(bytes_of(secret_)) {}

std::string Auth::tag_text(std::string_view content) {
  return to_base64url(key_.tag(std::span<const std::string_view>(&content, 1)));
}

bool Auth::is_signed(std::string_view content, std::string_view signature) {
  return is_same(tag_text(content), signature);
}

Result<Auth::Claims> Auth::read_claims(std::string_view payload) {
  ASSIGN_OR_RETURN(const JsonValue claims, decode(payload));
  ASSIGN_OR_RETURN(const Caller caller, caller_of(claims));
  ASSIGN_OR_RETURN(const auto expires_at, time_of(claims, "exp"));
  if (!expires_at) {
    return refused(
        "the token does not say when it expires: it needs an exp; `petrel token create` "
        "makes one that has it");
  }
  ASSIGN_OR_RETURN(const auto valid_from, time_of(claims, "nbf"));
  ASSIGN_OR_RETURN(const auto issued_at, time_of(claims, "iat"));
  return Claims{{caller, issued_at, *expires_at}, valid_from};
}

Result<Auth::Claims> Auth::read(std::string_view token) {
  const std::size_t second = token.rfind('.');
  const std::size_t first = token.find('.');
  if (first == std::string_view::npos || first == second) return refused("the token is malformed");
  const std::string_view content = token.substr(0, second);
  const bool is_good = is_signed(content, token.substr(second + 1));
  // Looked up only once the signature is right, so that nothing of what is known can be probed.
  const auto known = is_good ? known_.find(std::string(content)) : known_.end();
  if (known != known_.end()) return known->second;

  ASSIGN_OR_RETURN(const JsonValue header, decode(content.substr(0, first)));
  if (text_of(header, "alg") != "HS256") return refused("the token's algorithm must be HS256");
  if (!is_good) return refused("the token's signature is wrong");
  Result<Claims> claims = read_claims(content.substr(first + 1));
  if (!claims.ok()) return claims.error();
  if (known_.size() >= kKnownMax) known_.clear();
  known_.emplace(content, *claims);
  return claims;
}

std::string_view bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "Bearer ";
  if (!equals_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
  return trim(authorization.substr(kScheme.size()));
}

Result<Session> Auth::identify(std::string_view authorization, WallTime now) {
  const std::string_view token = bearer_token(authorization);
  if (token.empty()) return refused("a token is missing: send it as \"Authorization: Bearer …\"");
  if (is_same(token, secret_)) {
    return refused(
        "this is the secret that tokens are signed with, not a token; make one with "
        "`petrel token create`, and keep the secret to the server");
  }
  if (token.size() > kTokenBytesMax) return refused("the token is malformed");
  ASSIGN_OR_RETURN(const Claims claims, read(token));
  if (now >= claims.session.expires_at + kTokenLeeway) return refused("the token has expired");
  if (claims.valid_from && now < *claims.valid_from - kTokenLeeway) {
    return refused("the token is not valid yet");
  }
  return claims.session;
}

std::string Auth::mint(const Caller& caller, WallTime now, Duration lifetime) {
  JsonWriter json;
  json.begin_object();
  json.field("exp", unix_seconds(now + lifetime)).field("nbf", unix_seconds(now));
  json.field("iss", "petrel").key("iat");
  if (caller.application) {
    // To the microsecond: one that is made just after all others were revoked is good.
    const WallTime second = wall_from_unix_seconds(unix_seconds(now));
    const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(now - second);
    json.raw(fmt::format("{}.{:06}", unix_seconds(now), rest.count()));
    json.field("org", caller.organisation.text()).field("sub", caller.application->text());
    write_limits(caller, json);
  } else {
    json.value(unix_seconds(now)).field("sub", caller.organisation.text());
  }
  json.end_object();
  const std::string content =
      to_base64url(bytes_of(kHeader)) + "." + to_base64url(bytes_of(json.text()));
  return content + "." + tag_text(content);
}

}  // namespace petrel::api
