#include "store/rocksdb/kept_sizes.h"

#include "store/encoding.h"
#include "store/rocksdb/scan.h"
#include "store/rocksdb/tally_journal.h"

namespace petrel::store {
namespace {

constexpr int kWrittenMax = 10'000;  // At once.

class KeptCount {
 public:
  explicit KeptCount(Database& database) : database_(database) {}

  Status add(ApplicationId application, MessageId message, std::string_view bytes) {
    if (application != application_) {
      if (Status closed = close(); !closed.ok()) return closed;
      application_ = application;
    }
    const auto stored = decode_stored_message(application, message, bytes);
    // What is damaged is told of when it is met; the others count.
    if (!stored.ok()) return Done{};
    const auto payload = read_payload_bytes(database_, message);
    if (!payload.ok() && payload.error().kind != ErrorKind::Corrupt) return payload.error();
    const bool has_payload = payload.ok() && *payload;
    for (TallyCounts* counts : {&counts_, &total_}) {
      ++(*counts)[kMessages];
      if (has_payload) ++(*counts)[kPayloads];
      if (has_payload) (*counts)[kPayloadBytes] += **payload;
    }
    if (!stored->message.payload_expires_at) return Done{};
    const Key key = again_key(*stored->message.payload_expires_at, application, message);
    // Ours: a batch has no bound of its own, and every family is open.
    CHECK(batch_.Put(database_.family(Family::Retention), key.slice(), {}).ok());
    return batch_.Count() < kWrittenMax ? Status(Done{}) : write();
  }

  Status finish() {
    if (Status closed = close(); !closed.ok()) return closed;
    put_in_place(database_, {{kept_key({}), total_}}, batch_);
    return write();
  }

 private:
  Status close() {
    if (counts_[kMessages] > 0)
      put_in_place(database_, {{kept_key(application_), counts_}}, batch_);
    counts_ = {};
    return batch_.Count() < kWrittenMax ? Status(Done{}) : write();
  }

  Status write() {
    if (Status written = database_.write(batch_); !written.ok()) return written;
    batch_.Clear();
    return Done{};
  }

  Database& database_;
  rocksdb::WriteBatch batch_;
  ApplicationId application_;
  TallyCounts counts_{};
  TallyCounts total_{};
};

}  // namespace

Result<std::optional<std::uint64_t>> read_payload_bytes(Database& database, MessageId message) {
  using Found = std::optional<std::uint64_t>;
  rocksdb::PinnableSlice value;
  const Result<bool> found = database.get(Family::Payload, Key().id(message).slice(), value);
  if (!found.ok()) return found.error();
  if (!*found) return Found();
  const Result<PayloadView> payload = decode_payload(view(value));
  if (!payload.ok()) return payload.error();
  return payload->is_gone ? Found() : Found(payload->content.size());
}

Status count_kept(Database& database) {
  KeptCount count(database);
  Scan scan(database, Family::Message, {}, Scan::OnDamage::Leap);
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    const Status added = count.add(ApplicationId(ksuid_at(scan.key(), 0)),
                                   MessageId(last_ksuid_of(scan.key())), view(scan.value()));
    if (!added.ok()) return added;
  }
  if (Status status = scan.status(); !status.ok()) return status;
  return count.finish();
}

}  // namespace petrel::store
