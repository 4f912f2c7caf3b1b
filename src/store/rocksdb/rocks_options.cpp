#include "store/rocksdb/rocks_options.h"

#include <algorithm>

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>
#include <rocksdb/write_buffer_manager.h>

#include "store/rocksdb/rocks_error.h"
#include "store/rocksdb/rocks_log.h"

namespace petrel::store {
namespace {

// Families that every message writes to.
bool is_busy(Family family) {
  switch (family) {
    case Family::Message:
    case Family::Payload:
    case Family::Delivery:
    case Family::Due:
    case Family::Attempt:
    case Family::AttemptByEndpoint:
    case Family::Tally:
      return true;
    default:
      return false;
  }
}

// Families that are asked for one key at a time; the others are only walked.
bool is_asked_by_key(Family family) {
  return family != Family::Due && family != Family::AttemptByEndpoint && family != Family::Dead;
}

// Notes what background work finds damaged, and keeps RocksDB from going on by itself when a full
// disk has room again. It would go on with the very log in which a write has failed, and if that
// fails once more while several flushes are on their way, the last of them may find it so after the
// recovery was given up, and abort.
class BackgroundWatch final : public rocksdb::EventListener {
 public:
  explicit BackgroundWatch(std::shared_ptr<ConditionBoard> board) : board_(std::move(board)) {}

  void OnBackgroundError(rocksdb::BackgroundErrorReason /*reason*/,
                         rocksdb::Status* error) override {
    if (!board_ || error == nullptr || error->ok()) return;
    const Error found = to_error(*error);
    if (found.kind == ErrorKind::Corrupt) board_->found_damage(found.field, found.detail);
    board_->refuses_writes(found.detail);
  }

  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status /*error*/,
                            bool* is_wanted) override {
    *is_wanted = false;
  }

 private:
  const std::shared_ptr<ConditionBoard> board_;  // Shared with the store.
};

rocksdb::CompressionType best_compression() {
  const std::vector<rocksdb::CompressionType> supported = rocksdb::GetSupportedCompressions();
  const bool has_lz4 =
      std::find(supported.begin(), supported.end(), rocksdb::kLZ4Compression) != supported.end();
  return has_lz4 ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
}

std::uint64_t seconds_of(Duration duration) {
  return static_cast<std::uint64_t>(std::chrono::floor<std::chrono::seconds>(duration).count());
}

rocksdb::ColumnFamilyOptions make_family(Family family, const RocksSettings& settings,
                                         const BlockCache& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  // So that the cache's bound is the whole bound. In parts, of which a question needs one or two:
  // the filter of a whole file takes megabytes, and would be read for every key that is asked for.
  table.cache_index_and_filter_blocks = true;
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.checksum = rocksdb::kXXH3;
  table.block_size = std::size_t{16} << 10U;
  table.format_version = 5;

  rocksdb::ColumnFamilyOptions options;
  if (is_asked_by_key(family)) {
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    // Most questions are about what is not there (has this message been accepted before?).
    options.memtable_prefix_bloom_size_ratio = 0.02;
    options.memtable_whole_key_filtering = true;
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = best_compression();
  options.write_buffer_size =
      is_busy(family) ? settings.write_buffer_bytes / 4 : std::size_t{2} << 20U;
  options.max_write_buffer_number = 3;
  options.level_compaction_dynamic_level_bytes = true;
  options.force_consistency_checks = true;
  if (is_busy(family) || family == Family::Dead || family == Family::Retention) {
    // Queues, all of them: what was taken from the due index or purged leaves tombstones at the
    // head, which every walk would come by, and its bytes until files are merged.
    options.table_properties_collector_factories.push_back(
        rocksdb::NewCompactOnDeletionCollectorFactory(4096, 2048));
  }
  return options;
}

}  // namespace

BlockCache make_block_cache(const RocksSettings& settings) {
  // Few, so that each has room for the filters of files that were not written in parts.
  constexpr int kShardBits = 2;
  return rocksdb::NewLRUCache(settings.cache_bytes + settings.write_buffer_bytes, kShardBits);
}

rocksdb::DBOptions make_db_options(const RocksSettings& settings, const Clock& clock,
                                   const BlockCache& cache) {
  rocksdb::DBOptions options;
  if (settings.env != nullptr) options.env = settings.env;
  options.create_if_missing = !settings.is_read_only;
  options.create_missing_column_families = !settings.is_read_only;
  options.paranoid_checks = true;
  options.max_open_files = settings.open_files_max;
  options.max_background_jobs = 2;
  // Each family's files are opened by threads of their own, made for that alone. Files are few and
  // most stay closed until they are read: sixteen threads for each of the families take longer to
  // make than to do it.
  options.max_file_opening_threads = 1;
  // What is written takes its place in the cache, which has that much more of it: the two together
  // have a bound, also while a slow disk lets write buffers grow beyond theirs.
  options.write_buffer_manager =
      std::make_shared<rocksdb::WriteBufferManager>(settings.write_buffer_bytes, cache);
  options.max_total_wal_size = 4 * settings.write_buffer_bytes;

  // One thread writes, so nothing is gained by letting several into a memtable.
  options.allow_concurrent_memtable_write = false;
  options.enable_pipelined_write = false;

  // Every commit is synced before it is acknowledged, so after a crash only the end of the last log
  // can be incomplete, and only by what nobody was told of: that is dropped. Damage anywhere before
  // it would be a loss of acknowledged data, and the store refuses to open; point-in-time recovery
  // would hide such a loss, absolute consistency would refuse after every power cut.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.recycle_log_file_num = 0;  // An old log's bytes behind the end would look like damage.
  // The end of an earlier log is no crash's doing: those that are synced and closed are listed with
  // their sizes, and one that is missing or shorter is a loss. CommitMark watches over the last.
  options.track_and_verify_wals_in_manifest = true;
  if (settings.accepts_loss && !settings.is_read_only) {
    options.track_and_verify_wals_in_manifest = false;
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  }

  options.wal_bytes_per_sync = 0;
  options.bytes_per_sync = std::uint64_t{1} << 20U;
  options.info_log = make_rocks_log({settings.path}, clock);
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;

  // The commit thread closes the store and opens it again.
  options.max_bgerror_resume_count = 0;
  options.listeners.push_back(std::make_shared<BackgroundWatch>(settings.board));
  return options;
}

std::vector<rocksdb::ColumnFamilyDescriptor> make_families(const RocksSettings& settings,
                                                           const Clock& clock,
                                                           const BlockCache& cache) {
  // Files that nothing else compacts are looked through this often.
  const Duration look_through =
      std::clamp<Duration>(settings.retention / 4, std::chrono::days(1), std::chrono::days(30));
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (std::size_t i = 0; i < kFamilyNames.size(); ++i) {
    const auto family = static_cast<Family>(i);
    rocksdb::ColumnFamilyOptions options = make_family(family, settings, cache);
    options.disable_auto_compactions = settings.keeps_everything || !settings.is_compacting;
    if (!settings.keeps_everything) {
      options.compaction_filter_factory = make_expiry({family, settings.retention}, clock);
    }
    if (options.compaction_filter_factory) {
      options.periodic_compaction_seconds = seconds_of(look_through);
    }
    families.emplace_back(kFamilyNames[i], std::move(options));
  }
  return families;
}

}  // namespace petrel::store
