#include "store/rocksdb/purge_record.h"

#include "store/record_parts.h"

namespace petrel::store {
namespace {

constexpr std::uint8_t kVersion = 1;

}  // namespace

void encode(const PurgeCursor& cursor, std::string& out) {
  const model::Retention& retention = cursor.retention;
  ByteWriter to(out);
  to.byte(kVersion).id(cursor.last);
  to.duration(retention.ended).duration(retention.payloads);
  to.duration(retention.attempts).duration(retention.dead_letters);
}

Result<PurgeCursor> decode_purge_cursor(std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "purge cursor", kVersion);
  if (!version.ok()) return version.error();
  PurgeCursor cursor;
  cursor.last = in.id<MessageId>();
  cursor.retention.ended = in.duration();
  cursor.retention.payloads = in.duration();
  cursor.retention.attempts = in.duration();
  cursor.retention.dead_letters = in.duration();
  if (!in.ok()) return broken("purge cursor");
  return cursor;
}

}  // namespace petrel::store
