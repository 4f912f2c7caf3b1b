// Tallies keeps the numbers of store/tally.h in step with what commits change. The thread that
// commits has one: it knows the current numbers of the endpoints that it met lately, and puts each
// that changed into the commit once, as it is then.
//
//   key                     numbers
//   endpoint                fresh, retrying, the hour that is open, its successes, its failures
//   endpoint 'h' hour       successes, failures            of an hour before the open one
//   endpoint 'd' day        the dead, by reason            of messages that were accepted that day
//
// The open hour stands with the endpoint so that a settlement costs one put and not two. The dead
// are counted by the day of their message because retention takes them by it: what is over takes
// its numbers along.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <rocksdb/write_batch.h>

#include "base/result.h"
#include "store/encoding.h"
#include "store/rocksdb/database.h"

namespace petrel::store {

// Where some numbers stand.
struct TallyKey {
  enum class Kind : std::uint8_t { Endpoint = 0, Hour = 'h', Day = 'd' };

  EndpointId endpoint;
  Kind kind = Kind::Endpoint;
  WallTime begins = {};  // Of an hour or a day.

  Key key() const;

  friend bool operator==(const TallyKey&, const TallyKey&) = default;
};

struct TallyKeyHash {
  std::size_t operator()(const TallyKey& key) const noexcept;
};

// The places of an endpoint's own numbers.
enum TallyPlace : std::size_t { kFresh, kRetrying, kOpenHour, kOpenSuccess, kOpenFailed };

// An hour as a number in its place, and back. 0 is no hour.
std::uint64_t hour_number(WallTime hour);
WallTime hour_from_number(std::uint64_t number);

WallTime day_of(MessageId message);

class Tallies {
 public:
  // What is remembered from commit to commit; beyond it all is read again.
  static constexpr std::size_t kKeptMax = 65'536;

  // What happened to a delivery: it is new, or was `before`; and perhaps it was an attempt that did
  // it.
  struct Event {
    model::DeliveryKey delivery;
    std::optional<DeliveryHead> before;
    DeliveryHead after;
    const model::Attempt* attempt = nullptr;
  };

  // Has the numbers at hand that counting it will change.
  Status load(Database& database, const Event& event);

  // REQUIRES: it was loaded in this commit. So what enters a commit together can be loaded whole,
  // before any of it is counted.
  void count(const Event& event);

  // Puts what has changed since the last time.
  void put_changes(Database& database, rocksdb::WriteBatch& batch);

  // Nobody knows whether what was put is on disk: all is read again.
  void forget();

 private:
  struct Entry {
    TallyCounts counts{};
    bool is_changed = false;
  };

  Result<const TallyCounts*> fetch(Database& database, const TallyKey& key);
  TallyCounts& change(const TallyKey& key);
  void count_attempt(EndpointId endpoint, const model::Attempt& attempt);

  std::unordered_map<TallyKey, Entry, TallyKeyHash> entries_;
  std::vector<TallyKey> changed_;
};

}  // namespace petrel::store
