// Which headers of its own an endpoint may have: legal ones that neither the request itself nor the
// networks on the way depend on.
//
// Thread: any.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace petrel::api {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kHeadersMax = 50;
inline constexpr std::size_t kHeaderValueBytesMax = 4096;

// An object of strings, in its order and spelling. Null is no headers. The error names the header
// as its field.
Result<HeaderList> read_headers(const JsonValue& value);

// Whether its value is a secret by the sound of it: such are sent and never shown. Authorization,
// Cookie, X-Api-Key, X-Acme-Token, …
bool is_sensitive_header(std::string_view name);

// What becomes of single headers: a value that is set, or none, which removes it.
using HeaderPatch = std::vector<std::pair<std::string, std::optional<std::string>>>;

// As many as can take the place of as many others.
inline constexpr std::size_t kHeaderPatchMax = 2 * kHeadersMax;

// An object of strings and nulls, at most kHeaderPatchMax. The error names the header as its field.
Result<HeaderPatch> read_header_patch(const JsonValue& value);

// In the order of the patch. A header keeps its place and takes the spelling of the patch. Removing
// one that is not there is done. Invalid at "headers" if they become too many.
Status apply_header_patch(const HeaderPatch& patch, HeaderList& headers);

}  // namespace petrel::api
