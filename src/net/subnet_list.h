// A list of subnets as people write it: "10.1.0.0/16, ::1/128".
//
// Thread: any.

#pragma once

#include <string_view>
#include <vector>

#include "base/ip_address.h"
#include "base/result.h"

namespace petrel::net {

// Empty for an empty text. Fails with Invalid, and leaves the error's field to the caller.
Result<std::vector<Subnet>> parse_subnets(std::string_view text);

bool is_in_any(const std::vector<Subnet>& subnets, const IpAddress& address);

}  // namespace petrel::net
