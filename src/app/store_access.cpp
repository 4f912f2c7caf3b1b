#include "app/store_access.h"

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/secret_file.h"
#include "base/secure_random.h"
#include "base/try.h"
#include "store/rocksdb/commit_mark.h"
#include "store/rocksdb/database.h"
#include "vault/vault.h"

namespace petrel::app {
namespace {

// The store's own, or one that opens nothing where open_vault() would make a secret: looking writes
// nothing.
Result<std::shared_ptr<const vault::Vault>> vault_to_look(const Settings& settings) {
  std::error_code ignored;
  const std::filesystem::path folder(settings.store);
  const bool has_secret =
      !settings.main_secret.empty() || std::filesystem::exists(folder / "main-secret", ignored);
  SystemSecureRandom random;
  if (has_secret || std::filesystem::exists(folder / "CURRENT", ignored)) {
    return open_vault(settings, random);
  }
  return std::make_shared<const vault::Vault>(std::vector<std::string>{"opens nothing"});
}

}  // namespace

bool has_store(const Settings& settings) {
  std::error_code ignored;
  const std::filesystem::path folder(settings.store);
  return std::filesystem::exists(folder / "CURRENT", ignored) ||
         std::filesystem::exists(folder / store::CommitMark::kFileName, ignored);
}

Result<store::RocksSettings> settings_to_look(const Settings& settings) {
  if (!has_store(settings)) {
    return not_found(fmt::format("there is no store at {}", settings.store));
  }
  if (store::is_of_older_version(settings.store)) {
    return invalid("store",
                   fmt::format("{} was last opened by an older Petrel. `petrel serve` of this "
                               "version brings it up to date, and the older one does not open it "
                               "any more then: back it up with that one before",
                               settings.store));
  }
  store::RocksSettings rocks;
  rocks.path = settings.store;
  rocks.keeps_everything = true;  // Only a server's own retention drops anything.
  ASSIGN_OR_RETURN(rocks.vault, vault_to_look(settings));
  return rocks;
}

Result<std::unique_ptr<store::RocksStore>> open_existing(const Settings& settings,
                                                         const Clock& clock) {
  ASSIGN_OR_RETURN(const store::RocksSettings rocks, settings_to_look(settings));
  return store::RocksStore::open(rocks, clock);
}

}  // namespace petrel::app
