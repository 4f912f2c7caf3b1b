#include "engine/attempt_history.h"

#include <algorithm>
#include <cmath>

namespace petrel::engine {
namespace {

constexpr Duration kSlot = std::chrono::minutes(5);
constexpr std::int64_t kSlots = 12;
constexpr std::int64_t kSlotsOfRetries = 3;
constexpr Duration kFirstStep = std::chrono::milliseconds(1);

std::int64_t slot_at(MonoTime now) { return now.time_since_epoch() / kSlot; }

// The first step ends at a millisecond, each other √2 later than the one before.
std::size_t step_of(Duration latency, std::size_t steps) {
  if (latency <= kFirstStep) return 0;
  const double ratio = static_cast<double>(latency.count()) / kFirstStep.count();
  return std::min(static_cast<std::size_t>(std::ceil(2 * std::log2(ratio))), steps - 1);
}

Duration end_of_step(std::size_t step) {
  return Duration(static_cast<std::int64_t>(static_cast<double>(kFirstStep.count()) *
                                            std::pow(2.0, static_cast<double>(step) / 2)));
}

template <typename Counts>
std::optional<Duration> percentile(const Counts& counts, std::uint64_t total, double share) {
  if (total == 0) return std::nullopt;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(total)));
  std::uint64_t seen = 0;
  for (std::size_t step = 0; step < counts.size(); ++step) {
    seen += counts[step];
    if (seen >= wanted) return end_of_step(step);
  }
  return end_of_step(counts.size() - 1);
}

}  // namespace

void AttemptHistory::add(const Entry& entry, MonoTime now) {
  if (slots_.empty()) slots_.resize(kSlots);
  const std::int64_t number = slot_at(now);
  Slot& slot = slots_[static_cast<std::size_t>(number % kSlots)];
  if (slot.number != number) {
    slot = Slot();
    slot.number = number;
  }
  ++slot.attempts;
  if (entry.is_retry) ++slot.retries;
  if (entry.is_success) ++slot.successes;
  ++slot.latencies[step_of(entry.latency, kSteps)];
}

AttemptHistory::Figures AttemptHistory::figures(MonoTime now) const {
  const std::int64_t last = slot_at(now);
  Figures figures;
  std::array<std::uint64_t, kSteps> latencies{};
  std::uint64_t lately = 0;
  std::uint64_t retries = 0;
  for (const Slot& slot : slots_) {
    if (slot.number < 0 || slot.number <= last - kSlots) continue;
    figures.attempts += slot.attempts;
    figures.successes += slot.successes;
    for (std::size_t step = 0; step < kSteps; ++step) latencies[step] += slot.latencies[step];
    if (slot.number <= last - kSlotsOfRetries) continue;
    lately += slot.attempts;
    retries += slot.retries;
  }
  if (lately > 0) figures.retry_ratio = static_cast<double>(retries) / static_cast<double>(lately);
  figures.latency_p50 = percentile(latencies, figures.attempts, 0.50);
  figures.latency_p95 = percentile(latencies, figures.attempts, 0.95);
  figures.latency_p99 = percentile(latencies, figures.attempts, 0.99);
  return figures;
}

std::uint64_t AttemptHistory::failures(MonoTime now) const {
  const std::int64_t last = slot_at(now);
  std::uint64_t failures = 0;
  for (const Slot& slot : slots_) {
    if (slot.number < 0 || slot.number <= last - kSlots) continue;
    failures += slot.attempts - slot.successes;
  }
  return failures;
}

std::optional<MonoTime> AttemptHistory::over_at() const {
  std::int64_t last = -1;
  for (const Slot& slot : slots_) last = std::max(last, slot.number);
  if (last < 0) return std::nullopt;
  return MonoTime((last + kSlots) * kSlot);
}

}  // namespace petrel::engine
