// How much memory this process may use, by what the system's files say: the machine's own, or less
// where a control group (version 1 or 2) that the process is in, or one above it, has a limit. A
// container's limit is such a one.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace petrel::app {

// The content of a file by its path; nothing if it cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

// From the disk.
ReadFile system_files();

struct MachineMemory {
  std::uint64_t bytes = 0;
  std::string from;  // Which file says so: "/proc/meminfo", "/sys/fs/cgroup/memory.max".
};

// Pure but for `read`. What is missing or makes no sense is passed over; if nothing makes sense, as
// on a system without /proc, the answer is 1 GiB, from "nowhere".
MachineMemory machine_memory(const ReadFile& read);

// Of the system that we run on.
MachineMemory machine_memory();

}  // namespace petrel::app
