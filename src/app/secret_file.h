// The secrets of a server: each from the settings, or from a file in the store's folder that is
// made on the first start and that no other user may read.
//
//   jwt-secret    signs bearer tokens
//   main-secret   seals the secrets in the store; without it a store with endpoints does not open

#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/settings.h"
#include "base/result.h"
#include "base/secure_random.h"
#include "vault/vault.h"

namespace petrel::app {

// The files, as they are called in the store's folder. They belong to a backup.
inline constexpr std::array<std::string_view, 2> kSecretFiles = {"jwt-secret", "main-secret"};

// The one to use; makes the file if there is none and the settings have none. For a store that is
// used already (`is_used`) it is not made unless the settings say so: all tokens would be void.
Result<std::string> jwt_secret(const Settings& settings, bool is_used, SecureRandom& random);

// As above, but NotFound instead of making one: for commands that must fit a server.
Result<std::string> find_jwt_secret(const Settings& settings);

// The vault for the store; makes the file, and the store's folder, if there is none and the
// settings have none. If there is a file and the settings have secrets, the file's one still opens.
Result<std::shared_ptr<const vault::Vault>> open_vault(const Settings& settings,
                                                       SecureRandom& random);

// What to tell an operator whose store's folder or secret files any user of the machine can open.
std::vector<std::string> exposed_files(const Settings& settings);

}  // namespace petrel::app
