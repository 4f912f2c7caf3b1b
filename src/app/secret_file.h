// The secret that signs bearer tokens: from the settings, or from a file in the store's folder that
// is made on the first start and that nobody else may read.

#pragma once

#include <string>

#include "app/settings.h"
#include "base/result.h"
#include "base/secure_random.h"

namespace petrel::app {

// The one to use; makes the file if there is none and the settings have none.
Result<std::string> jwt_secret(const Settings& settings, SecureRandom& random);

// As above, but NotFound instead of making one: for commands that must fit a server.
Result<std::string> find_jwt_secret(const Settings& settings);

}  // namespace petrel::app
