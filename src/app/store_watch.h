// StoreWatch tells the operator how the store is: each damaged file or record, and when writes fail
// and work again, in the log and in the metrics.
//
//   petrel_store_damaged_records_total   files and records that were found damaged
//   petrel_store_write_faults_total      how often the store stopped taking writes
//   petrel_store_takes_writes            1, or 0 while it does not
//   petrel_store_commit_duration_seconds how long commits take
//   petrel_store_commit_size{kind="messages|settlements|changes"}
//                                        how many of them share a commit that has some
//
// The store is opened before the metrics are there; what it finds until then is counted later.
//
// Thread: safe.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "log/log.h"
#include "metric/registry.h"
#include "store/condition.h"
#include "store/rocksdb/commit_report.h"

namespace petrel::app {

class StoreWatch : public std::enable_shared_from_this<StoreWatch> {
 public:
  // `log` outlives it.
  explicit StoreWatch(log::Log& log) : log_(log) {}

  // For the store. They share the watch, so it may outlive the server.
  store::ConditionBoard::Listeners listeners();

  // As RocksSettings::on_commit.
  std::function<void(const store::CommitReport&)> commit_listener();

  // From now on it counts there. Once.
  void count_in(metric::Registry& registry);

  // The metrics are about to go.
  void stop_counting();

 private:
  void found(const store::StoreDamage& damage);
  void changed(const std::string& why);
  void committed(const store::CommitReport& report);

  log::Log& log_;
  std::mutex mutex_;
  std::uint64_t damaged_ = 0;  // Before there were metrics.
  std::uint64_t faults_ = 0;
  bool takes_writes_ = true;
  metric::Counter* damaged_count_ = nullptr;
  metric::Counter* faults_count_ = nullptr;
  metric::Gauge* takes_writes_gauge_ = nullptr;
  metric::Histogram* commit_duration_ = nullptr;
  std::array<metric::Histogram*, 3> commit_sizes_{};  // Messages, settlements, changes.
};

}  // namespace petrel::app
