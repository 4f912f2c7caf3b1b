// Which headers of its own an endpoint may have: legal ones that neither the request itself nor the
// networks on the way depend on.
//
// Thread: any.

#pragma once

#include <string>
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

}  // namespace petrel::api
