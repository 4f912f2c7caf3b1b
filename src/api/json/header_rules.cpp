#include "api/json/header_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "api/json/fields.h"
#include "base/text.h"
#include "base/try.h"
#include "dispatch/custom_header.h"

namespace petrel::api {
namespace {

// Beyond what is ours to set: what caches, proxies and clouds on the way would act on.
constexpr std::array<std::string_view, 10> kForbidden = {
    "age",
    "cache-control",
    "clear-site-data",
    "content-language",
    "content-location",
    "expires",
    "pragma",
    "trailers",
    "via",
    "warning",
};
constexpr std::array<std::string_view, 8> kForbiddenPrefixes = {
    "x-amz-", "x-amzn-", "x-azure-", "x-fd-", "x-gfe", "x-goog-", "x-google", "x-svix-",
};

// Parts of a name, between dashes and underscores, that say that the value is a secret; the last
// few do so at the end of a part as well: "accesstoken".
constexpr std::array<std::string_view, 23> kSecretWords = {
    "auth",    "authenticate", "authentication", "authorization", "bearer",  "cookie",
    "cookies", "credential",   "credentials",    "hmac",          "jwt",     "key",
    "keys",    "pass",         "passwd",         "pwd",           "session", "sid",
    "tokens",  "apikey",       "password",       "secret",        "token",
};
constexpr std::size_t kSecretEndings = 4;

bool is_secret_word(std::string_view part) {
  const auto is_part = [&](std::string_view word) { return equals_ignoring_case(part, word); };
  const auto ends_part = [&](std::string_view word) {
    return part.size() > word.size() &&
           equals_ignoring_case(part.substr(part.size() - word.size()), word);
  };
  return std::any_of(kSecretWords.begin(), kSecretWords.end(), is_part) ||
         std::any_of(kSecretWords.end() - kSecretEndings, kSecretWords.end(), ends_part);
}

Error too_many(std::size_t count_max) {
  return invalid("", fmt::format("must not be more than {} headers", count_max));
}

Status check_header(std::string_view name, std::string_view value) {
  TRY(dispatch::check_custom_header(name, value));
  const auto is_name = [&](std::string_view other) { return equals_ignoring_case(name, other); };
  const auto is_prefix = [&](std::string_view prefix) {
    return equals_ignoring_case(name.substr(0, prefix.size()), prefix);
  };
  if (std::any_of(kForbidden.begin(), kForbidden.end(), is_name) ||
      std::any_of(kForbiddenPrefixes.begin(), kForbiddenPrefixes.end(), is_prefix)) {
    return invalid("", "is a header that cannot be set");
  }
  if (value.size() > kHeaderValueBytesMax) {
    return invalid("", fmt::format("must not be longer than {} bytes", kHeaderValueBytesMax));
  }
  return Done{};
}

Result<HeaderPatch> read_at_most(std::size_t count_max, const JsonValue& value) {
  HeaderPatch patch;
  if (value.is_null()) return patch;
  const JsonValue::Object* object = value.as_object();
  if (object == nullptr) return wrong_kind(value, "an object of strings");
  // First of all: below, each name is compared with all the others.
  if (object->size() > count_max) return too_many(count_max);
  for (const auto& [name, content] : *object) {
    const auto is_known = [&, &named = name](const auto& known) {
      return equals_ignoring_case(known.first, named);
    };
    if (std::any_of(patch.begin(), patch.end(), is_known)) {
      return invalid(name, "appears twice, in another spelling");
    }
    const std::string* text = content.as_string();
    if (text == nullptr && !content.is_null()) return wrong_kind(content, "a string").under(name);
    if (text != nullptr) {
      TRY(under(name, check_header(name, *text)));
    }
    patch.emplace_back(name, text == nullptr ? std::nullopt : std::optional(*text));
  }
  return patch;
}

}  // namespace

bool is_sensitive_header(std::string_view name) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("-_"), name.size());
    if (is_secret_word(name.substr(0, end))) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

Result<HeaderPatch> read_header_patch(const JsonValue& value) {
  return read_at_most(kHeaderPatchMax, value);
}

Status apply_header_patch(const HeaderPatch& patch, HeaderList& headers) {
  for (const auto& [name, value] : patch) {
    const auto found =
        std::find_if(headers.begin(), headers.end(), [&, &named = name](const auto& header) {
          return equals_ignoring_case(header.first, named);
        });
    if (!value) {
      if (found != headers.end()) headers.erase(found);
    } else if (found != headers.end()) {
      *found = {name, *value};
    } else {
      headers.emplace_back(name, *value);
    }
  }
  if (headers.size() > kHeadersMax) {
    return too_many(kHeadersMax).under("headers");
  }
  return Done{};
}

Result<HeaderList> read_headers(const JsonValue& value) {
  ASSIGN_OR_RETURN(const HeaderPatch patch, read_at_most(kHeadersMax, value));
  HeaderList headers;
  for (const auto& [name, text] : patch) {
    if (!text) return invalid(name, "must be a string, not null");
    headers.emplace_back(name, *text);
  }
  return headers;
}

}  // namespace petrel::api
