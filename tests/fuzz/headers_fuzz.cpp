// Bodies with the headers of an endpoint: what is taken is within the limits, can be sent, and
// stays as it is when it is put on top of itself. Large bodies count here: none may take long.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/json/header_rules.h"
#include "base/check.h"
#include "base/json.h"
#include "dispatch/custom_header.h"

namespace petrel::api {
namespace {

void check_headers(const JsonValue& json) {
  const Result<HeaderList> headers = read_headers(json);
  if (!headers.ok()) {
    CHECK(headers.error().kind == ErrorKind::Invalid);
    return;
  }
  CHECK(headers->size() <= kHeadersMax);
  HeaderPatch patch;
  for (const auto& [name, value] : *headers) {
    CHECK(dispatch::check_custom_header(name, value).ok());
    patch.emplace_back(name, value);
    static_cast<void>(is_sensitive_header(name));
  }
  HeaderList same = *headers;
  CHECK(apply_header_patch(patch, same).ok());
  CHECK(same == *headers);
}

void check_patch(const JsonValue& json) {
  const Result<HeaderPatch> patch = read_header_patch(json);
  if (!patch.ok()) return;
  CHECK(patch->size() <= kHeaderPatchMax);
  HeaderList headers = {{"x-a", "1"}, {"x-b", "2"}};
  if (apply_header_patch(*patch, headers).ok()) CHECK(headers.size() <= kHeadersMax);
}

}  // namespace
}  // namespace petrel::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = petrel::parse_json({reinterpret_cast<const char*>(data), size});
  if (!json.ok()) return 0;
  petrel::api::check_headers(*json);
  petrel::api::check_patch(*json);
  return 0;
}
