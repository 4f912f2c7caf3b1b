// Whom a request is from when proxies of ours stand between.
//
//   peer 10.0.0.2 (trusted)   X-Forwarded-For: 6.6.6.6, 93.184.216.34, 10.0.0.1   →  93.184.216.34
//
// Each proxy adds the address that it was called from at the right end. So the list is read from
// there for as long as the addresses are those of trusted proxies; the first that is not is the
// client's. What stands to the left of it may be forged. From a peer that is not trusted
// nothing of it counts.
//
// Thread: any.

#pragma once

#include <vector>

#include "base/ip_address.h"
#include "net/http_message.h"

namespace petrel::net {

// If the list ends, or holds what is no address, it is the last address that could be trusted.
IpAddress client_address(const IpAddress& peer, const HttpHeaders& headers,
                         const std::vector<Subnet>& trusted);

}  // namespace petrel::net
