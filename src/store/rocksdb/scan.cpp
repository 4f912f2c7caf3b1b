#include "store/rocksdb/scan.h"

#include "store/rocksdb/leap.h"
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

Scan::Scan(Database& database, Family family, const rocksdb::Slice& prefix, OnDamage on_damage,
           const rocksdb::ReadOptions& reads)
    : database_(database),
      family_(family),
      on_damage_(on_damage),
      first_(prefix.ToString()),
      end_(behind(prefix)),
      first_slice_(first_),
      end_slice_(end_),
      reads_(reads) {
  reads_.iterate_lower_bound = &first_slice_;
  if (!end_.empty()) reads_.iterate_upper_bound = &end_slice_;
  renew();
}

void Scan::renew() {
  iterator_.reset(database_.db().NewIterator(reads_, database_.family(family_)));
}

void Scan::seek_first() {
  iterator_->SeekToFirst();
  leap_from(first_, Order::Ascending);
}

void Scan::seek_last() {
  iterator_->SeekToLast();
  leap_from(end_.empty() ? std::string(kPlaceBytes, '\xFF') : end_, Order::Descending);
}

void Scan::seek_behind(const rocksdb::Slice& key) {
  iterator_->Seek(key);
  leap_from(view(key), Order::Ascending);
  if (iterator_->Valid() && iterator_->key() == key) next();
}

void Scan::seek_before(const rocksdb::Slice& key) {
  iterator_->SeekForPrev(key);
  leap_from(view(key), Order::Descending);
  if (iterator_->Valid() && iterator_->key() == key) step(Order::Descending);
}

void Scan::seek_behind_prefix(const rocksdb::Slice& inner) {
  const std::string end = behind(inner);
  if (end.empty()) {
    iterator_->SeekToLast();
    if (iterator_->Valid()) iterator_->Next();
  } else {
    iterator_->Seek(end);
    leap_from(end, Order::Ascending);
  }
}

void Scan::step(Order order) {
  if (on_damage_ == OnDamage::Leap) last_.assign(key().data(), key().size());
  order == Order::Ascending ? iterator_->Next() : iterator_->Prev();
  leap_from(last_, order);
}

// Nothing unless the iterator has met damage there.
void Scan::leap_from(std::string_view key, Order order) {
  if (on_damage_ == OnDamage::Stop || iterator_->Valid()) return;
  const rocksdb::Status met = iterator_->status();
  if (!met.IsCorruption()) return;
  has_leapt_ = true;
  const std::string family = kFamilyNames[static_cast<std::size_t>(family_)];
  Error error = to_error(met);
  error.detail += "; records of " + family + " in it are left out";
  database_.note(error, "the records of " + family);
  const auto seek = [this, order](const std::string& place) {
    renew();  // One that has gone from a good block to a damaged one finds no good one any more.
    order == Order::Ascending ? iterator_->Seek(place) : iterator_->SeekForPrev(place);
    return !iterator_->status().IsCorruption();
  };
  if (const std::optional<std::string> readable = find_readable(key, order, seek)) seek(*readable);
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
  // What it leaps over is noted, also if there is nothing to be read behind it.
  if (on_damage_ == OnDamage::Leap && status.IsCorruption()) return Done{};
  return to_error(status);
}

}  // namespace petrel::store
