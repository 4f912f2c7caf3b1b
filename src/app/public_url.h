// Where a server is found, as URLs.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <string>

#include "app/settings.h"

namespace petrel::app {

// Where it listens: "http://127.0.0.1:8071".
std::string listen_url(const Settings& settings, std::uint16_t port);

// Where it is found from its own machine: as it listens, but by the loopback address if that is on
// all addresses.
std::string own_url(const Settings& settings, std::uint16_t port);
// Where the metrics' own listener is. REQUIRES: there is one.
std::string metrics_url(const Settings& settings, std::uint16_t port);

// What links to it begin with: the setting, or where it listens if there is none.
std::string public_url(const Settings& settings, std::uint16_t port);

}  // namespace petrel::app
