// Scan walks the keys of one family that begin with a prefix, in either direction.
//
//   Scan scan(database, Family::Message, prefix);
//   for (scan.seek_first(); scan.is_valid(); scan.next()) use(scan.key(), scan.value());
//   if (!scan.status().ok()) …     it may have ended because something could not be read
//
// One that leaps goes on behind what is damaged (leap.h) instead, and notes it: for those who make
// do with what is left.
//
// Thread: confined.

#pragma once

#include <memory>
#include <string>

#include <rocksdb/db.h>

#include "base/result.h"
#include "store/browse.h"
#include "store/rocksdb/database.h"

namespace petrel::store {

class Scan {
 public:
  enum class OnDamage : std::uint8_t { Stop, Leap };

  Scan(Database& database, Family family, const rocksdb::Slice& prefix,
       OnDamage on_damage = OnDamage::Stop, const rocksdb::ReadOptions& reads = {});
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;

  void seek_first();
  void seek_last();

  // The first one behind `key`, which itself need not be there.
  void seek_behind(const rocksdb::Slice& key);

  // The last one before `key`.
  void seek_before(const rocksdb::Slice& key);

  // The first one behind everything that begins with `inner`.
  void seek_behind_prefix(const rocksdb::Slice& inner);

  // To where a list in this order begins, given the key that it follows, if any.
  void seek(Order order, const std::optional<Key>& after);

  bool is_valid() const { return iterator_->Valid(); }
  void next() { step(Order::Ascending); }
  void step(Order order);

  rocksdb::Slice key() const { return iterator_->key(); }
  rocksdb::Slice value() const { return iterator_->value(); }

  Status status() const;

  // Whether it has left something out.
  bool has_leapt() const { return has_leapt_; }

 private:
  void renew();
  void leap_from(std::string_view key, Order order);

  Database& database_;
  Family family_;
  OnDamage on_damage_;
  bool has_leapt_ = false;
  std::string last_;  // The key that a step began at.

  // The iterator refers to them.
  std::string first_;
  std::string end_;
  rocksdb::Slice first_slice_;
  rocksdb::Slice end_slice_;
  rocksdb::ReadOptions reads_;

  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace petrel::store
