// What a server says in the log when it starts: which Petrel it is, where its store is, and which
// settings it was given, from where. Of a setting that holds a secret it says that it is set.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/settings.h"
#include "log/log.h"

namespace petrel::app {

// As it may be shown. Empty if it may not, as for every setting that is not known to be harmless.
std::optional<std::string> shown_value(std::string_view setting, std::string_view value);

void log_start(log::Log& log, const Settings& settings);

// It accepts requests.
void log_listening(log::Log& log, const Settings& settings, std::uint16_t port, std::size_t shards);

}  // namespace petrel::app
