#include "store/rocksdb/resealing.h"

#include "store/encoding.h"
#include "store/rocksdb/rocks_error.h"
#include "store/rocksdb/scan.h"

namespace petrel::store {
namespace {

// A record that was replaced lies in the files until they are merged, and in the log until
// everything that is in it is in files.
Status forget_replaced(Database& database) {
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  for (std::size_t i = 0; i < kFamilyNames.size(); ++i) {
    families.push_back(database.family(static_cast<Family>(i)));
  }
  const rocksdb::Status flushed = database.db().Flush({}, families);
  if (!flushed.ok()) return to_error(flushed);
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  const rocksdb::Status merged =
      database.db().CompactRange(options, database.family(Family::Endpoint), nullptr, nullptr);
  if (!merged.ok()) return to_error(merged);
  return Done{};
}

}  // namespace

Status reseal(Database& database) {
  rocksdb::WriteBatch batch;
  std::string value;
  Scan scan(database, Family::Endpoint, {}, Scan::OnDamage::Leap);
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    if (is_sealed_now(view(scan.value()), database.vault())) continue;
    const EndpointId id(ksuid_at(scan.key(), 0));
    const auto endpoint = decode_endpoint(id, view(scan.value()), database.vault());
    if (!endpoint.ok() && endpoint.error().kind == ErrorKind::Corrupt) {
      database.note(endpoint.error(), "an endpoint");  // It stays as it is.
      continue;
    }
    if (!endpoint.ok()) return endpoint.error();
    value.clear();
    encode(*endpoint, database.vault(), value);
    batch.Put(database.family(Family::Endpoint), scan.key(), value);
  }
  if (Status status = scan.status(); !status.ok()) return status;
  if (batch.Count() == 0) return Done{};
  if (Status written = database.write(batch); !written.ok()) return written;
  // A table with damage cannot be merged, and trying would stop all writes.
  if (scan.has_leapt()) return Done{};
  return forget_replaced(database);
}

}  // namespace petrel::store
