#include "store/rocksdb/tally_reader.h"

#include "store/rocksdb/rocks_error.h"
#include "store/rocksdb/scan.h"
#include "store/rocksdb/tallies.h"

namespace petrel::store {
namespace {

using Kind = TallyKey::Kind;

Result<TallyCounts> read_counts(Database& database, const rocksdb::ReadOptions& reads,
                                EndpointId endpoint) {
  rocksdb::PinnableSlice value;
  const Key key = TallyKey{endpoint}.key();
  const rocksdb::Status status =
      database.db().Get(reads, database.family(Family::Tally), key.slice(), &value);
  if (status.IsNotFound()) return TallyCounts{};
  if (!status.ok()) return to_error(status);
  return decode_tally(view(value));
}

Key prefix_of(EndpointId endpoint, Kind kind) {
  return Key().id(endpoint).byte(static_cast<std::uint8_t>(kind));
}

// Commits what was counted now and then, so that the memory that it takes is bounded.
class Counting {
 public:
  explicit Counting(Database& database) : database_(database) {}

  Status count(const Tallies::Event& event) {
    if (Status loaded = tallies_.load(database_, event); !loaded.ok()) return loaded;
    tallies_.count(event);
    return ++counted_ < kCountedMax ? Status(Done{}) : write();
  }

  Status write() {
    rocksdb::WriteBatch batch;
    tallies_.put_changes(database_, batch);
    tallies_.forget();
    counted_ = 0;
    const rocksdb::Status written = database_.db().Write({}, &batch);
    if (!written.ok()) return to_error(written);
    return Done{};
  }

 private:
  static constexpr int kCountedMax = 50'000;

  Database& database_;
  Tallies tallies_;
  int counted_ = 0;
};

Status count_deliveries(Database& database, Counting& counting) {
  Scan scan(database, Family::Delivery, {});
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    const model::DeliveryKey key{EndpointId(ksuid_at(scan.key(), 0)),
                                 MessageId(last_ksuid_of(scan.key()))};
    const Result<DeliveryHead> head = decode_delivery_head(view(scan.value()));
    if (!head.ok()) return head.error();
    if (head->state == model::DeliveryState::Delivered) continue;
    const Status counted = counting.count({.delivery = key, .before = {}, .after = *head});
    if (!counted.ok()) return counted;
  }
  return scan.status();
}

Status count_attempts(Database& database, Counting& counting) {
  DeliveryHead ended;  // Of which nothing but the attempt is counted.
  ended.state = model::DeliveryState::Delivered;
  Scan scan(database, Family::AttemptByEndpoint, {});
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    const Result<AttemptMark> mark = decode_attempt_mark(view(scan.value()));
    if (!mark.ok()) return mark.error();
    model::Attempt attempt;
    attempt.id = AttemptId(last_ksuid_of(scan.key()));
    attempt.outcome = policy::Outcome::from_way(mark->way);
    const Status counted =
        counting.count({.delivery = {EndpointId(ksuid_at(scan.key(), 0)), mark->message},
                        .before = {},
                        .after = ended,
                        .attempt = &attempt});
    if (!counted.ok()) return counted;
  }
  return scan.status();
}

Status remove_all(Database& database) {
  Scan scan(database, Family::Tally, {});
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    const rocksdb::Status removed =
        database.db().Delete({}, database.family(Family::Tally), scan.key());
    if (!removed.ok()) return to_error(removed);
  }
  return scan.status();
}

}  // namespace

Result<EndpointTally> read_tally(Database& database, EndpointId endpoint, WallTime cutoff) {
  const Snapshot snapshot(database);
  const Result<TallyCounts> counts = read_counts(database, snapshot.reads(), endpoint);
  if (!counts.ok()) return counts.error();
  EndpointTally tally{.live_fresh = (*counts)[kFresh], .live_retry = (*counts)[kRetrying]};
  const Key prefix = prefix_of(endpoint, Kind::Day);
  Scan scan(database, Family::Tally, prefix.slice(), snapshot.reads());
  scan.seek_behind(Key(prefix).time(cutoff - std::chrono::days(1)).slice());
  for (; scan.is_valid(); scan.next()) {
    const Result<TallyCounts> day = decode_tally(view(scan.value()));
    if (!day.ok()) return day.error();
    for (std::size_t i = 0; i < kDeadReasons; ++i) tally.dead[i] += (*day)[i];
  }
  if (Status status = scan.status(); !status.ok()) return status.error();
  return tally;
}

Result<std::vector<HourTally>> read_hours(Database& database, EndpointId endpoint, WallTime since,
                                          WallTime until) {
  const Snapshot snapshot(database);
  const WallTime first = hour_of(since);
  std::vector<HourTally> hours;
  const Key prefix = prefix_of(endpoint, Kind::Hour);
  Scan scan(database, Family::Tally, prefix.slice(), snapshot.reads());
  scan.seek_behind(Key(prefix).time(first - Duration(1)).slice());
  for (; scan.is_valid(); scan.next()) {
    const WallTime hour = time_at(scan.key(), prefix.slice().size());
    if (hour >= until) break;
    const Result<TallyCounts> counts = decode_tally(view(scan.value()));
    if (!counts.ok()) return counts.error();
    hours.push_back({hour, (*counts)[0], (*counts)[1]});
  }
  if (Status status = scan.status(); !status.ok()) return status.error();

  const Result<TallyCounts> counts = read_counts(database, snapshot.reads(), endpoint);
  if (!counts.ok()) return counts.error();
  const WallTime open = hour_from_number((*counts)[kOpenHour]);
  if ((*counts)[kOpenHour] != 0 && open >= first && open < until) {
    hours.push_back({open, (*counts)[kOpenSuccess], (*counts)[kOpenFailed]});
  }
  return hours;
}

Status count_all(Database& database) {
  if (Status removed = remove_all(database); !removed.ok()) return removed;
  Counting counting(database);
  if (Status counted = count_deliveries(database, counting); !counted.ok()) return counted;
  if (Status counted = count_attempts(database, counting); !counted.ok()) return counted;
  return counting.write();
}

}  // namespace petrel::store
