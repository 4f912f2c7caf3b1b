// Whether a server could listen somewhere, found out by trying.
//
// Thread: any.

#pragma once

#include "app/listen_address.h"
#include "base/result.h"

namespace petrel::app {

// Lets go of the port at once. The error says why it cannot be had.
Status probe_port(const ListenAddress& address);

}  // namespace petrel::app
