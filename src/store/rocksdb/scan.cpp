#include "store/rocksdb/scan.h"

#include "store/rocksdb/rocks_error.h"

namespace petrel::store {
namespace {

// The first key behind everything that begins with `prefix`; empty if there can be none.
std::string behind(const rocksdb::Slice& prefix) {
  std::string end = prefix.ToString();
  while (!end.empty() && end.back() == '\xFF') end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

}  // namespace

Scan::Scan(Database& database, Family family, const rocksdb::Slice& prefix,
           rocksdb::ReadOptions reads)
    : first_(prefix.ToString()), end_(behind(prefix)), first_slice_(first_), end_slice_(end_) {
  reads.iterate_lower_bound = &first_slice_;
  if (!end_.empty()) reads.iterate_upper_bound = &end_slice_;
  iterator_.reset(database.db().NewIterator(reads, database.family(family)));
}

void Scan::seek_first() { iterator_->SeekToFirst(); }

void Scan::seek_last() { iterator_->SeekToLast(); }

void Scan::seek_behind(const rocksdb::Slice& key) {
  iterator_->Seek(key);
  if (iterator_->Valid() && iterator_->key() == key) iterator_->Next();
}

void Scan::seek_before(const rocksdb::Slice& key) {
  iterator_->SeekForPrev(key);
  if (iterator_->Valid() && iterator_->key() == key) iterator_->Prev();
}

void Scan::seek_behind_prefix(const rocksdb::Slice& inner) {
  const std::string end = behind(inner);
  if (end.empty()) {
    iterator_->SeekToLast();
    if (iterator_->Valid()) iterator_->Next();
  } else {
    iterator_->Seek(end);
  }
}

void Scan::seek(Order order, const std::optional<Key>& after) {
  if (order == Order::Ascending) {
    after ? seek_behind(after->slice()) : seek_first();
  } else {
    after ? seek_before(after->slice()) : seek_last();
  }
}

Status Scan::status() const {
  const rocksdb::Status status = iterator_->status();
  if (status.ok()) return Done{};
  return to_error(status);
}

}  // namespace petrel::store
