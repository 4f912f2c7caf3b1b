#include "scratch_store.h"

#include "app/secret_file.h"

namespace petrel::bench {

std::unique_ptr<store::RocksStore> open_scratch_store(const std::string& folder,
                                                      const Clock& clock) {
  app::Settings settings;
  settings.store = folder;
  SystemSecureRandom random;
  store::RocksSettings rocks;
  rocks.path = folder;
  rocks.vault = must(app::open_vault(settings, random));
  rocks.is_sync = false;  // A scratch folder: after a power cut it is made anew.
  // More than a server has, so that what it looks up for each message stays in memory.
  rocks.cache_bytes = std::size_t{1} << 30U;
  rocks.write_buffer_bytes = std::size_t{256} << 20U;
  return must(store::RocksStore::open(rocks, clock));
}

}  // namespace petrel::bench
