// The rules for headers that an endpoint adds to its requests: what may be sent, and what is ours
// alone.
//
// Thread: any.

#pragma once

#include <string_view>

#include "base/result.h"

namespace petrel::dispatch {

// Fails with Invalid if the name is no token, if it is one of ours or steers the connection (host,
// content-length, webhook-*, proxy-* …), or if the value holds anything but printable ASCII and
// tabs. A header that fails here is never sent.
Status check_custom_header(std::string_view name, std::string_view value);

}  // namespace petrel::dispatch
