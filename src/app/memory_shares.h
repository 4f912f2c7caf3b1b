// How `memory-max` is divided: a part for the store's cache and its write buffers, a reserve for
// what the process needs anyway (code, the catalogue, lanes, what the allocator has not given back
// yet), and the rest for what is in flight: payloads, requests, answers, lists.
//
//   of 1 GiB:   cache 64 MiB │ write buffers 64 MiB │ reserve 256 MiB │ in flight 640 MiB
//
// Thread: any. Values.

#pragma once

#include <cstddef>
#include <cstdint>

#include "app/settings.h"
#include "base/result.h"

namespace petrel::app {

struct MemoryShares {
  std::size_t max = 0;  // The whole of it.
  std::size_t cache = 0;
  std::size_t write_buffers = 0;
  std::size_t reserve = 0;
  std::size_t in_flight = 0;
};

// `machine` is what the machine allows, of which half is the default of `memory-max`. Invalid, by
// the name of the setting, if what is set does not fit together.
Result<MemoryShares> divide_memory(const Settings& settings, std::uint64_t machine);

}  // namespace petrel::app
