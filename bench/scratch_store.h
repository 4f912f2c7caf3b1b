// A store that a server has left, opened by the benchmark itself to write into it what would take a
// server too long.

#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/rocksdb/rocks_store.h"

namespace petrel::bench {

template <typename T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error("scratch store: " + result.error().text());
  return *std::move(result);
}

// Throws std::runtime_error if it cannot be opened.
std::unique_ptr<store::RocksStore> open_scratch_store(const std::string& folder,
                                                      const Clock& clock);

}  // namespace petrel::bench
