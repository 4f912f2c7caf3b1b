#include "app/store_watch.h"

#include <fmt/format.h>

namespace petrel::app {

store::ConditionBoard::Listeners StoreWatch::listeners() {
  const auto self = shared_from_this();
  return {.damage = [self](const store::StoreDamage& damage) { self->found(damage); },
          .writes = [self](const std::string& why) { self->changed(why); }};
}

std::function<void(const store::CommitReport&)> StoreWatch::commit_listener() {
  return
      [self = shared_from_this()](const store::CommitReport& report) { self->committed(report); };
}

void StoreWatch::count_in(metric::Registry& registry) {
  const std::lock_guard lock(mutex_);
  damaged_count_ = &registry.counter("petrel_store_damaged_records_total",
                                     "Files and records of the store that were found damaged.");
  faults_count_ = &registry.counter("petrel_store_write_faults_total",
                                    "How often the store stopped taking writes.");
  takes_writes_gauge_ =
      &registry.gauge("petrel_store_takes_writes", "1 if the store takes writes, 0 if not.");
  commit_duration_ = &registry.histogram("petrel_store_commit_duration_seconds",
                                         "How long commits take, with their sync of the disk.",
                                         metric::kDurations);
  auto& sizes = registry.histograms("petrel_store_commit_size",
                                    "How many of a kind share a commit that has some of it.",
                                    {"kind"}, metric::kSizes);
  commit_sizes_ = {&sizes.with({"messages"}), &sizes.with({"settlements"}),
                   &sizes.with({"changes"})};
  damaged_count_->add(damaged_);
  faults_count_->add(faults_);
  takes_writes_gauge_->set(takes_writes_ ? 1 : 0);
}

void StoreWatch::stop_counting() {
  const std::lock_guard lock(mutex_);
  damaged_count_ = faults_count_ = nullptr;
  takes_writes_gauge_ = nullptr;
  commit_duration_ = nullptr;
}

void StoreWatch::committed(const store::CommitReport& report) {
  const std::lock_guard lock(mutex_);
  if (commit_duration_ == nullptr) return;
  commit_duration_->observe(report.duration);
  const std::array<std::size_t, 3> counts = {report.messages, report.settlements, report.changes};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) commit_sizes_[i]->observe(static_cast<std::int64_t>(counts[i]));
  }
}

void StoreWatch::found(const store::StoreDamage& damage) {
  log_.tell(log::Kind::StoreDamaged, [&] {
    return log::Words{fmt::format("the store is damaged: {}: {}; petrel inspect --verify, with the "
                                  "server stopped, says what else is",
                                  damage.name, damage.what),
                      {{"name", damage.name}}};
  });
  const std::lock_guard lock(mutex_);
  ++damaged_;
  if (damaged_count_ != nullptr) damaged_count_->add();
}

void StoreWatch::changed(const std::string& why) {
  const bool takes_writes = why.empty();
  log_.tell(takes_writes ? log::Kind::StoreBack : log::Kind::StoreAway, [&] {
    return takes_writes ? log::Words{"the store takes writes again"}
                        : log::Words{fmt::format("the store takes no writes: {}", why)};
  });
  const std::lock_guard lock(mutex_);
  takes_writes_ = takes_writes;
  if (!takes_writes) ++faults_;
  if (faults_count_ == nullptr) return;
  if (!takes_writes) faults_count_->add();
  takes_writes_gauge_->set(takes_writes ? 1 : 0);
}

}  // namespace petrel::app
