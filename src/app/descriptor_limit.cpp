#include "app/descriptor_limit.h"

#include <algorithm>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>

namespace petrel::app {
namespace {

// What is not known, and what has no limit.
constexpr std::size_t kUsual = 1024;
constexpr std::size_t kMost = std::size_t{1} << 20U;

constexpr const char* kOpenFiles = "/proc/self/fd";

}  // namespace

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kUsual;
  if (limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return std::min<std::size_t>(limit.rlim_cur, kMost);
}

std::size_t open_descriptors() {
  struct stat status {};
  if (stat(kOpenFiles, &status) != 0) return 0;
  if (status.st_size > 0) return static_cast<std::size_t>(status.st_size);
  // Before Linux 6.2 they have to be counted.
  std::error_code error;
  std::size_t count = 0;
  for (auto each = std::filesystem::directory_iterator(kOpenFiles, error);
       !error && each != std::filesystem::directory_iterator(); each.increment(error)) {
    ++count;
  }
  return count;
}

}  // namespace petrel::app
