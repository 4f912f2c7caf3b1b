#include "app/memory_watch.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace petrel::app {
namespace {

std::size_t mib(std::size_t bytes) { return bytes >> 20U; }

}  // namespace

MemoryWatch::MemoryWatch(Parts parts)
    : parts_(std::move(parts)),
      used_(parts_.registry.gauges("petrel_memory_used_bytes",
                                   "Memory in use of what may be in flight.", {"use"})),
      refused_(parts_.registry.counters(
          "petrel_memory_refused_total",
          "What memory had no room for: refused to clients; payloads wait.", {"use"})),
      resident_(parts_.registry.gauge("petrel_memory_resident_bytes",
                                      "What the process takes of the machine's memory.")),
      timer_(parts_.loop.make_timer()) {
  parts_.registry.gauge("petrel_memory_max_bytes", "Memory for what is in flight.")
      .set(static_cast<std::int64_t>(parts_.budget.max()));
  look();
}

void MemoryWatch::look() {
  const MonoTime now = parts_.clock.mono();
  const MemoryBudget::Counts counts = parts_.budget.counts();
  const bool has_refused = counts.refused() > seen_.refused();
  show(counts);
  seen_ = counts;
  return_what_is_free(counts.used());
  if (has_refused) {
    short_at_ = now;
    if (!is_short_.exchange(true)) {
      const std::string whose = parts_.budget.last_refused();
      parts_.complain(fmt::format(
          "memory is short: {} of {} MiB are in flight; {} is refused or waits first, as it has "
          "most of it; memory-max makes more room",
          mib(counts.used()), mib(counts.max), whose.empty() ? "what is small" : whose));
    }
  } else if (is_short_ && now - short_at_ >= kOver) {
    is_short_ = false;
    parts_.complain("memory suffices again");
  }
  timer_->set(now + kLookEvery, [this] { look(); });
}

void MemoryWatch::show(const MemoryBudget::Counts& counts) {
  resident_.set(static_cast<std::int64_t>(parts_.resident()));
  for (const MemoryUse use : kMemoryUses) {
    const auto which = static_cast<std::size_t>(use);
    const MemoryBudget::UseCounts& now = counts.uses[which];
    const std::string name(to_string(use));
    used_.with({name}).set(static_cast<std::int64_t>(now.used));
    refused_.with({name}).add(now.refused - seen_.uses[which].refused);
  }
}

void MemoryWatch::return_what_is_free(std::size_t used) {
  peak_ = std::max(peak_, used);
  if (peak_ - used < kReturnedMin) return;
  if (parts_.return_free()) peak_ = used;
}

std::vector<std::string> MemoryWatch::problems() const {
  if (!is_short_) return {};
  return {
      fmt::format("memory is short, of {} MiB for what is in flight: requests are refused and "
                  "payloads wait",
                  mib(parts_.budget.max()))};
}

}  // namespace petrel::app
