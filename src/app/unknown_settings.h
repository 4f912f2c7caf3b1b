// Names that look like settings and are none, which a slip of the finger makes.
//
// Thread: any.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace petrel::app {

// A sentence for each variable that begins as ours do and has no effect. Those that Kubernetes sets
// for a service with the name `petrel` are not meant for us, and left out.
std::vector<std::string> unknown_variables(std::span<const std::string> names);

// What is wrong with a key of a configuration file that is no setting.
std::string unknown_key(std::string_view key);

}  // namespace petrel::app
