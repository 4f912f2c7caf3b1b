#include "store/rocksdb/tally_journal.h"

#include "base/check.h"
#include "store/bytes.h"
#include "store/record_parts.h"
#include "store/rocksdb/scan.h"

namespace petrel::store {
namespace {

using Kind = TallyKey::Kind;

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kKeyBytes = 1 + sizeof(std::uint64_t);

std::string key_of(std::uint64_t number) {
  std::string key(1, '\0');
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    key.push_back(static_cast<char>(number >> (shift - 8)));
  }
  return key;
}

std::string encoded(const TallyEntries& entries) {
  std::string bytes;
  std::string counts;
  ByteWriter to(bytes);
  to.byte(kVersion).number(entries.size());
  for (const TallyEntry& entry : entries) {
    to.id(entry.key.endpoint).byte(static_cast<std::uint8_t>(entry.key.kind));
    if (entry.key.kind != Kind::Endpoint) to.time(entry.key.begins);
    counts.clear();
    encode(entry.counts, counts);
    to.text(counts);
  }
  return bytes;
}

Kind read_kind(ByteReader& in) {
  const auto kind = static_cast<Kind>(in.byte());
  if (kind != Kind::Endpoint && kind != Kind::Hour && kind != Kind::Day && kind != Kind::Kept) {
    in.fail();
  }
  return kind;
}

Result<TallyEntries> decode(std::string_view bytes) {
  ByteReader in(bytes);
  const Result<std::uint8_t> version = read_version(in, "journal of tallies", kVersion);
  if (!version.ok()) return version.error();
  TallyEntries entries;
  for (std::size_t left = in.count(); left > 0; --left) {
    TallyEntry entry;
    entry.key.endpoint = in.id<EndpointId>();
    entry.key.kind = read_kind(in);
    if (entry.key.kind != Kind::Endpoint) entry.key.begins = in.time();
    const Result<TallyCounts> counts = decode_tally(in.text());
    if (!counts.ok()) return counts.error();
    entry.counts = *counts;
    entries.push_back(entry);
  }
  if (!in.ok()) return broken("journal of tallies");
  return entries;
}

}  // namespace

void put_in_journal(Database& database, std::uint64_t number, const TallyEntries& entries,
                    rocksdb::WriteBatch& batch) {
  // Ours: a batch has no bound of its own, and every family is open.
  CHECK(batch.Put(database.family(Family::Tally), key_of(number), encoded(entries)).ok());
}

void put_in_place(Database& database, const TallyEntries& entries, rocksdb::WriteBatch& batch) {
  std::string value;
  for (const TallyEntry& entry : entries) {
    // Days are added for as long as the endpoint is there, so those without dead letters go.
    if (entry.key.kind == Kind::Day && entry.counts == TallyCounts{}) {
      // Ours: as below.
      CHECK(batch.Delete(database.family(Family::Tally), entry.key.key().slice()).ok());
      continue;
    }
    value.clear();
    encode(entry.counts, value);
    // Ours: a batch has no bound of its own, and every family is open.
    CHECK(batch.Put(database.family(Family::Tally), entry.key.key().slice(), value).ok());
  }
}

Status check_journal_entry(std::string_view bytes) {
  const Result<TallyEntries> entries = decode(bytes);
  if (!entries.ok()) return entries.error();
  return Done{};
}

Status fold(Database& database) {
  std::unordered_map<TallyKey, TallyCounts, TallyKeyHash> last;
  rocksdb::WriteBatch batch;
  // Numbers for people: the store opens without those that cannot be read.
  Scan scan(database, Family::Tally, std::string(1, '\0'), Scan::OnDamage::Leap);
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    if (scan.key().size() != kKeyBytes) continue;
    const Result<TallyEntries> entries = decode(view(scan.value()));
    if (entries.ok()) {
      for (const TallyEntry& entry : *entries) last.insert_or_assign(entry.key, entry.counts);
    } else {
      database.note(entries.error());
    }
    // Ours: a batch has no bound of its own, and every family is open.
    CHECK(batch.Delete(database.family(Family::Tally), scan.key()).ok());
  }
  if (Status status = scan.status(); !status.ok()) return status;
  if (scan.has_leapt()) {
    // What was leapt over would hide the entries that come next: they have the same keys. Nobody
    // reads what is deleted as a range.
    const rocksdb::Status removed =
        batch.DeleteRange(database.family(Family::Tally), key_of(0), key_of(~std::uint64_t{0}));
    CHECK(removed.ok());  // Ours: a batch has no bound of its own, and every family is open.
  }
  if (batch.Count() == 0) return Done{};
  TallyEntries entries;
  for (const auto& [key, counts] : last) entries.push_back({key, counts});
  put_in_place(database, entries, batch);
  return database.write(batch);
}

}  // namespace petrel::store
