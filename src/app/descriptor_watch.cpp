#include "app/descriptor_watch.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace petrel::app {

DescriptorWatch::DescriptorWatch(Parts parts)
    : parts_(std::move(parts)),
      connections_(parts_.registry.gauges(
          "petrel_connections",
          "Connections of clients and to receivers, and those of them that idle.", {"use"})),
      open_(parts_.registry.gauge("petrel_descriptors_open", "File descriptors that are open.")),
      evicted_(parts_.registry.counter("petrel_connections_evicted_total",
                                       "Idle connections that were closed to make room.")),
      shortages_(parts_.registry.counter("petrel_descriptor_shortages_total",
                                         "Times that a connection found no file descriptor.")),
      timer_(parts_.loop.make_timer()) {
  parts_.registry.gauge("petrel_descriptors_limit", "File descriptors that there may be.")
      .set(static_cast<std::int64_t>(parts_.limit));
  look();
}

void DescriptorWatch::look() {
  const MonoTime now = parts_.clock.mono();
  const net::DescriptorBudget::Counts counts = parts_.budget.counts();
  const std::uint64_t shortages =
      counts.shortages + counts.refused - seen_.shortages - seen_.refused;
  evicted_.add(counts.evictions - seen_.evictions);
  shortages_.add(shortages);
  seen_ = counts;
  show(counts);
  if (shortages > 0) {
    short_at_ = now;
    if (!is_short_.exchange(true)) {
      parts_.complain(
          fmt::format("file descriptors have run out: {} of {} are open; attempts wait "
                      "for one, and cost their deliveries nothing",
                      parts_.count_open(), parts_.limit));
    }
  } else if (is_short_ && now - short_at_ >= kOver) {
    is_short_ = false;
    parts_.complain("file descriptors suffice again");
  }
  timer_->set(now + kLookEvery, [this] { look(); });
}

void DescriptorWatch::show(const net::DescriptorBudget::Counts& counts) {
  open_.set(static_cast<std::int64_t>(parts_.count_open()));
  connections_.with({"accepted"}).set(static_cast<std::int64_t>(counts.accepted));
  connections_.with({"outgoing"}).set(static_cast<std::int64_t>(counts.outgoing));
  connections_.with({"idle"}).set(static_cast<std::int64_t>(parts_.idle.count()));
}

std::vector<std::string> DescriptorWatch::problems() const {
  if (!is_short_) return {};
  return {fmt::format("file descriptors have run out, of {}: attempts wait for one", parts_.limit)};
}

}  // namespace petrel::app
