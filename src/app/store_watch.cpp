#include "app/store_watch.h"

#include <fmt/format.h>

namespace petrel::app {

store::ConditionBoard::Listeners StoreWatch::listeners() {
  const auto self = shared_from_this();
  return {.damage = [self](const store::StoreDamage& damage) { self->found(damage); },
          .writes = [self](const std::string& why) { self->changed(why); }};
}

void StoreWatch::count_in(metric::Registry& registry) {
  const std::lock_guard lock(mutex_);
  damaged_count_ = &registry.counter("petrel_store_damaged_records_total",
                                     "Files and records of the store that were found damaged.");
  faults_count_ = &registry.counter("petrel_store_write_faults_total",
                                    "How often the store stopped taking writes.");
  takes_writes_gauge_ =
      &registry.gauge("petrel_store_takes_writes", "1 if the store takes writes, 0 if not.");
  damaged_count_->add(damaged_);
  faults_count_->add(faults_);
  takes_writes_gauge_->set(takes_writes_ ? 1 : 0);
}

void StoreWatch::stop_counting() {
  const std::lock_guard lock(mutex_);
  damaged_count_ = faults_count_ = nullptr;
  takes_writes_gauge_ = nullptr;
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
