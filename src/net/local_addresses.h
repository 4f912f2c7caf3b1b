// The addresses by which this machine, and a listener of ours, can be reached from it.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <vector>

#include "base/ip_address.h"
#include "base/result.h"

namespace petrel::net {

// Of all interfaces, as they are now. Unavailable if the system does not say.
Result<std::vector<IpAddress>> local_addresses();

// Where a listener on `listen` can be dialled: there, or, if that is 0.0.0.0 or ::, on each of the
// machine's addresses.
std::vector<SocketAddress> dialled_as(const SocketAddress& listen,
                                      const std::vector<IpAddress>& local);

}  // namespace petrel::net
