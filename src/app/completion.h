// Scripts by which a shell completes Petrel's commands and options, made of the command tree.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include "app/command_tree.h"
#include "base/result.h"

namespace petrel::app {

// Fails with Invalid for a shell other than bash, zsh and fish.
Result<std::string> completion_script(std::string_view shell, const CommandTree& tree);

}  // namespace petrel::app
