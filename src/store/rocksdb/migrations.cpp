#include "store/rocksdb/migrations.h"

#include <array>
#include <string>

#include "store/bytes.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/kept_sizes.h"
#include "store/rocksdb/tally_reader.h"

namespace petrel::store {
namespace {

constexpr std::string_view kFormatKey = "format";

// The format that the store has; 0 if it has none yet.
Result<std::uint64_t> read_format(Database& database) {
  rocksdb::PinnableSlice value;
  const Result<bool> found = database.get(Family::Meta, slice(kFormatKey), value);
  if (!found.ok()) return found.error();
  if (!*found) return std::uint64_t{0};
  ByteReader in(view(value));
  const std::uint64_t format = in.number();
  if (!in.ok() || format == 0) return corrupt("the store does not say which format it has");
  return format;
}

Status write_format(Database& database, std::uint64_t format) {
  std::string value;
  ByteWriter(value).number(format);
  rocksdb::WriteBatch batch;
  // Ours: a batch has no bound of its own, and every family is open.
  CHECK(batch.Put(database.family(Family::Meta), slice(kFormatKey), value).ok());
  return database.write(batch);
}

// Format 2 left the numbers of dead letters behind that retention had dropped.
Status count_everything(Database& database) {
  if (Status counted = count_all(database); !counted.ok()) return counted;
  return count_kept(database);
}

}  // namespace

Status migrate(Database& database) {
  constexpr std::array<Migration, 1> kMigrations = {{{3, count_everything}}};
  return migrate(database, kFormat, kMigrations);
}

Status migrate(Database& database, std::uint64_t format, std::span<const Migration> migrations) {
  const Result<std::uint64_t> found = read_format(database);
  if (!found.ok()) return found.error();
  if (*found > format) return too_new(*found);
  if (*found == 0) return write_format(database, format);
  for (const Migration& migration : migrations) {
    if (migration.to <= *found) continue;
    if (Status status = migration.run(database); !status.ok()) return status;
    if (Status status = write_format(database, migration.to); !status.ok()) return status;
  }
  return Done{};
}

Error too_new(std::uint64_t found) {
  return conflict("written by a newer Petrel (format " + std::to_string(found) +
                  ", this one knows " + std::to_string(kFormat) +
                  "): use that version or restore a backup");
}

}  // namespace petrel::store
