#include "app/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/text.h"

namespace petrel::app {
namespace {

constexpr std::uint64_t kAssumed = std::uint64_t{1} << 30U;

constexpr const char* kMachine = "/proc/meminfo";
constexpr const char* kOurGroups = "/proc/self/cgroup";
constexpr std::string_view kGroups = "/sys/fs/cgroup";

template <typename Visit>
void each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    visit(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// "MemTotal:       24690300 kB"
std::optional<std::uint64_t> machine_total(std::string_view meminfo) {
  std::optional<std::uint64_t> total;
  each_line(meminfo, [&](std::string_view line) {
    constexpr std::string_view kName = "MemTotal:";
    if (!line.starts_with(kName) || !line.ends_with(" kB")) return;
    const auto number =
        parse_digits(trim(line.substr(kName.size(), line.size() - 3 - kName.size())));
    if (number) total = static_cast<std::uint64_t>(*number) * 1024;
  });
  return total;
}

// Where the limits of a group are found: a folder, and what is below it.
struct GroupPlace {
  std::string root;
  std::string path;  // "/system.slice/petrel.service"
  std::string_view file;
};

bool names_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::string_view name = controllers.substr(0, controllers.find(','));
    if (name == "memory") return true;
    controllers.remove_prefix(std::min(controllers.size(), name.size() + 1));
  }
  return false;
}

// "0::/system.slice/x.service" of version 2, "4:memory:/docker/2f1c" of version 1.
std::optional<GroupPlace> place_of(std::string_view line) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const std::string path(line.substr(second + 1));
  if (line.starts_with("0::")) return GroupPlace{std::string(kGroups), path, "memory.max"};
  if (!names_memory(controllers)) return std::nullopt;
  return GroupPlace{std::string(kGroups) + "/memory", path, "memory.limit_in_bytes"};
}

// Of the group and of all above it. In a container the path may be that of the host, which is not
// there; the container's own group is then the root.
void lower_to_groups(const GroupPlace& place, const ReadFile& read, MachineMemory& memory) {
  for (std::string path = place.path == "/" ? "" : place.path;;) {
    const std::string name = place.root + path + '/' + std::string(place.file);
    const auto text = read(name);
    const auto limit = text ? parse_digits(first_line(*text)) : std::nullopt;  // "max" is none.
    if (limit && *limit > 0 && static_cast<std::uint64_t>(*limit) < memory.bytes) {
      memory = {static_cast<std::uint64_t>(*limit), name};
    }
    if (path.empty()) return;
    path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

}  // namespace

MachineMemory machine_memory(const ReadFile& read) {
  MachineMemory memory{kAssumed, "nowhere"};
  const auto meminfo = read(kMachine);
  if (const auto total = meminfo ? machine_total(*meminfo) : std::nullopt; total && *total > 0) {
    memory = {*total, kMachine};
  }
  if (const auto groups = read(kOurGroups)) {
    each_line(*groups, [&](std::string_view line) {
      if (const auto place = place_of(line)) lower_to_groups(*place, read, memory);
    });
  }
  return memory;
}

ReadFile system_files() {
  return [](const std::string& path) -> std::optional<std::string> {
    std::ifstream file(path);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
}

MachineMemory machine_memory() { return machine_memory(system_files()); }

}  // namespace petrel::app
