#include "api/header_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "api/json_fields.h"
#include "base/text.h"
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

Status check_header(std::string_view name, std::string_view value) {
  if (Status status = dispatch::check_custom_header(name, value); !status.ok()) return status;
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

}  // namespace

Result<HeaderList> read_headers(const JsonValue& value) {
  HeaderList headers;
  if (value.is_null()) return headers;
  const JsonValue::Object* object = value.as_object();
  if (object == nullptr) return wrong_kind(value, "an object of strings");
  if (object->size() > kHeadersMax) {
    return invalid("", fmt::format("must not be more than {} headers", kHeadersMax));
  }
  for (const auto& [name, content] : *object) {
    const std::string* text = content.as_string();
    if (text == nullptr) return wrong_kind(content, "a string").under(name);
    if (const Status status = check_header(name, *text); !status.ok()) {
      return status.error().under(name);
    }
    const auto is_known = [&, &named = name](const auto& known) {
      return equals_ignoring_case(known.first, named);
    };
    if (std::any_of(headers.begin(), headers.end(), is_known)) {
      return invalid(name, "stands twice, in another spelling");
    }
    headers.emplace_back(name, *text);
  }
  return headers;
}

}  // namespace petrel::api
