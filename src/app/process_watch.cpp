#include "app/process_watch.h"

#include <array>
#include <utility>

#include <unistd.h>

#include "base/text.h"

namespace petrel::app {
namespace {

// Numbered as in proc(5), where the first field is 1.
enum Field : std::size_t {
  kUserTicks = 14,
  kSystemTicks = 15,
  kThreads = 20,
  kStartTicks = 22,
  kVirtualBytes = 23,
  kResidentPages = 24,
};

ProcessUnits units_of_system() {
  return {.ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK)),
          .page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
}

}  // namespace

std::optional<ProcessState> parse_process_state(std::string_view stat, const ProcessUnits& units) {
  // The second field is the program's name in brackets, which may hold spaces and brackets.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::string_view rest = trim(stat.substr(name_end + 1));
  std::array<std::uint64_t, kResidentPages + 1> fields{};
  for (std::size_t i = 3; i <= kResidentPages; ++i) {
    if (rest.empty()) return std::nullopt;
    // What is no plain number, as the state and what may be negative, is none that we want.
    fields[i] =
        static_cast<std::uint64_t>(parse_digits(rest.substr(0, rest.find(' '))).value_or(0));
    rest.remove_prefix(std::min(rest.size(), rest.find(' ')));
    rest = trim(rest);
  }
  return ProcessState{
      .cpu_seconds =
          static_cast<double>(fields[kUserTicks] + fields[kSystemTicks]) / units.ticks_per_second,
      .threads = fields[kThreads],
      .virtual_bytes = fields[kVirtualBytes],
      .resident_bytes = fields[kResidentPages] * units.page_bytes,
      .started_after_boot = static_cast<double>(fields[kStartTicks]) / units.ticks_per_second};
}

std::optional<double> parse_boot_time(std::string_view stat) {
  constexpr std::string_view kName = "\nbtime ";
  const std::size_t at = stat.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = stat.substr(at + kName.size());
  const auto seconds = parse_digits(rest.substr(0, rest.find('\n')));
  if (!seconds) return std::nullopt;
  return static_cast<double>(*seconds);
}

ProcessWatch::ProcessWatch(Parts parts)
    : parts_(std::move(parts)),
      units_(units_of_system()),
      cpu_(parts_.registry.table("process_cpu_seconds_total",
                                 "Processor time that the process has used, in seconds.", {},
                                 metric::Registry::TableKind::Total)),
      resident_(parts_.registry.table("process_resident_memory_bytes",
                                      "Bytes of the machine's memory that the process has.", {})),
      virtual_(parts_.registry.table("process_virtual_memory_bytes",
                                     "Bytes of addresses that the process has.", {})),
      open_(parts_.registry.table("process_open_fds", "File descriptors that are open.", {})),
      threads_(parts_.registry.table("process_threads", "Threads of the process.", {})),
      started_(parts_.registry.table("process_start_time_seconds",
                                     "When the process started, in seconds since 1970.", {})),
      timer_(parts_.loop.make_timer()) {
  parts_.registry.table("process_max_fds", "File descriptors that may be open.", {})
      .set(static_cast<double>(parts_.descriptor_limit));
  look();
}

void ProcessWatch::look() {
  timer_->set(parts_.clock.mono() + kLookEvery, [this] { look(); });
  open_.set(static_cast<double>(parts_.count_open()));
  const std::optional<std::string> own = parts_.read("/proc/self/stat");
  const auto state = own ? parse_process_state(*own, units_) : std::nullopt;
  if (!state) return;  // As on a system without /proc: it stays at zero.
  cpu_.set(state->cpu_seconds);
  resident_.set(static_cast<double>(state->resident_bytes));
  virtual_.set(static_cast<double>(state->virtual_bytes));
  threads_.set(static_cast<double>(state->threads));
  const std::optional<std::string> machine = parts_.read("/proc/stat");
  if (const auto boot = machine ? parse_boot_time(*machine) : std::nullopt) {
    started_.set(*boot + state->started_after_boot);
  }
}

}  // namespace petrel::app
