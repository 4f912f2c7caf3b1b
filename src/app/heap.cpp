#include "app/heap.h"

#include <fstream>

#include <malloc.h>
#include <unistd.h>

namespace petrel::app {
namespace {

// Once this is set, glibc does not raise it by itself any more, up to 32 MiB, whenever a larger
// block is freed. A small message is never mapped: that would cost two system calls.
constexpr int kMappedMin = 128 * 1024;
constexpr int kTrimMin = 8 * 1024 * 1024;
constexpr int kOtherArenas = 4;  // Of the threads that read, write and browse.

}  // namespace

void keep_heap_small(std::size_t loops) {
  mallopt(M_MMAP_THRESHOLD, kMappedMin);
  mallopt(M_TRIM_THRESHOLD, kTrimMin);
  mallopt(M_ARENA_MAX, static_cast<int>(loops) + kOtherArenas);
}

void return_free_memory() { malloc_trim(0); }

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  if (!(file >> total >> resident)) return 0;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace petrel::app
