#include "app/memory_shares.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/byte_text.h"

namespace petrel::app {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

constexpr std::size_t kStoreUsual = 64 * kMiB;
constexpr std::size_t kStoreLeast = 8 * kMiB;
constexpr std::size_t kReserveLeast = 48 * kMiB;
constexpr std::size_t kReserveMost = 512 * kMiB;

// A machine may be too small for half of it to be enough.
constexpr std::size_t kDefaultLeast = 256 * kMiB;

// So many of the largest messages have room at once. One is there several times while it is taken
// in: as it was sent, as it is kept, and as it is written.
constexpr std::size_t kLargestMessages = 8;

std::size_t whole_mib(std::size_t bytes) { return bytes / kMiB * kMiB; }

std::size_t store_part(std::size_t set_mib, std::size_t max) {
  if (set_mib > 0) return set_mib * kMiB;
  return std::clamp(whole_mib(max / 8), kStoreLeast, kStoreUsual);
}

}  // namespace

Result<MemoryShares> divide_memory(const Settings& settings, std::uint64_t machine) {
  MemoryShares shares;
  shares.max = settings.memory_max > 0
                   ? settings.memory_max
                   : std::max(whole_mib(static_cast<std::size_t>(machine) / 2), kDefaultLeast);
  shares.cache = store_part(settings.block_cache_mib, shares.max);
  shares.write_buffers = store_part(settings.write_buffer_mib, shares.max);
  shares.reserve = std::clamp(whole_mib(shares.max / 4), kReserveLeast, kReserveMost);
  if (shares.cache + shares.write_buffers > shares.max / 2) {
    return invalid("memory-max",
                   fmt::format("{} is less than twice what block-cache-mib and write-buffer-mib "
                               "set aside for the store",
                               to_byte_text(shares.max)));
  }
  shares.in_flight = shares.max - shares.cache - shares.write_buffers - shares.reserve;
  if (shares.in_flight < kLargestMessages * settings.payload_bytes_max) {
    return invalid("memory-max",
                   fmt::format("{} leaves {} for what is in flight, and messages of "
                               "payload-bytes-max need {} of it",
                               to_byte_text(shares.max), to_byte_text(shares.in_flight),
                               to_byte_text(kLargestMessages * settings.payload_bytes_max)));
  }
  return shares;
}

}  // namespace petrel::app
