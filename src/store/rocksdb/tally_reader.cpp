#include "store/rocksdb/tally_reader.h"

#include <map>

#include "store/rocksdb/rocks_error.h"
#include "store/rocksdb/scan.h"
#include "store/rocksdb/tallies.h"
#include "store/rocksdb/tally_journal.h"

namespace petrel::store {
namespace {

using Kind = TallyKey::Kind;

using ByTime = std::map<WallTime, TallyCounts>;

// Numbers that have no time, as the sight shows them.
Result<TallyCounts> read_one(Database& database, const TallyView::Sight& sight,
                             const TallyKey& key) {
  for (const TallyEntry& entry : sight.changed) {
    if (entry.key == key) return entry.counts;
  }
  rocksdb::PinnableSlice value;
  const rocksdb::Status status = database.db().Get(
      sight.snapshot->reads(), database.family(Family::Tally), key.key().slice(), &value);
  if (status.IsNotFound()) return TallyCounts{};
  if (!status.ok()) return to_error(status);
  return decode_tally(view(value));
}

// Its hours or days that begin at `first` or later.
Result<ByTime> read_since(Database& database, const TallyView::Sight& sight,
                          const TallyKey& first) {
  ByTime found;
  const Key prefix = Key().id(first.endpoint).byte(static_cast<std::uint8_t>(first.kind));
  Scan scan(database, Family::Tally, prefix.slice(), Scan::OnDamage::Stop, sight.snapshot->reads());
  scan.seek_behind(Key(prefix).time(first.begins - Duration(1)).slice());
  for (; scan.is_valid(); scan.next()) {
    const Result<TallyCounts> counts = decode_tally(view(scan.value()));
    if (!counts.ok()) return counts.error();
    found[time_at(scan.key(), prefix.slice().size())] = *counts;
  }
  if (Status status = scan.status(); !status.ok()) return status.error();
  for (const TallyEntry& entry : sight.changed) {
    if (entry.key.kind != first.kind || entry.key.begins < first.begins) continue;
    found[entry.key.begins] = entry.counts;
  }
  return found;
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
    put_in_place(database_, tallies_.take_changes(), batch);
    tallies_.forget();
    counted_ = 0;
    return database_.write(batch);
  }

 private:
  static constexpr int kCountedMax = 50'000;

  Database& database_;
  TallyView view_;
  TallyTotals totals_;
  Tallies tallies_{view_, totals_};
  int counted_ = 0;
};

Status count_deliveries(Database& database, Counting& counting) {
  Scan scan(database, Family::Delivery, {}, Scan::OnDamage::Leap);
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    const model::DeliveryKey key{EndpointId(ksuid_at(scan.key(), 0)),
                                 MessageId(last_ksuid_of(scan.key()))};
    const Result<DeliveryHead> head = decode_delivery_head(view(scan.value()));
    if (!head.ok()) continue;  // What is damaged is told of when it is met; the others count.
    if (head->state == model::DeliveryState::Delivered) continue;
    if (head->state == model::DeliveryState::Discarded) continue;
    const Status counted = counting.count({.delivery = key, .before = {}, .after = *head});
    if (!counted.ok()) return counted;
  }
  return scan.status();
}

Status count_attempts(Database& database, Counting& counting) {
  DeliveryHead ended;  // Of which nothing but the attempt is counted.
  ended.state = model::DeliveryState::Delivered;
  Scan scan(database, Family::AttemptByEndpoint, {}, Scan::OnDamage::Leap);
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    const Result<AttemptMark> mark = decode_attempt_mark(view(scan.value()));
    if (!mark.ok()) continue;
    model::Attempt attempt;
    attempt.id = AttemptId(last_ksuid_of(scan.key()));
    attempt.outcome = policy::Outcome::from_code(mark->code);
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
  constexpr int kRemovedMax = 50'000;  // At once.
  rocksdb::WriteBatch batch;
  Scan scan(database, Family::Tally, {});
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    // Ours: a batch has no bound of its own, and every family is open.
    CHECK(batch.Delete(database.family(Family::Tally), scan.key()).ok());
    if (batch.Count() < kRemovedMax) continue;
    if (Status removed = database.write(batch); !removed.ok()) return removed;
    batch.Clear();
  }
  if (Status status = scan.status(); !status.ok()) return status;
  return database.write(batch);
}

}  // namespace

Result<EndpointTally> read_tally(Database& database, const TallyView& view, EndpointId endpoint) {
  const TallyView::Sight sight = view.see(database, endpoint);
  const Result<TallyCounts> own = read_one(database, sight, {endpoint});
  if (!own.ok()) return own.error();
  EndpointTally tally{.live_fresh = (*own)[kFresh], .live_retry = (*own)[kRetrying]};
  const Result<ByTime> days = read_since(database, sight, {endpoint, Kind::Day, WallTime()});
  if (!days.ok()) return days.error();
  for (const auto& [day, counts] : *days) {
    for (std::size_t i = 0; i < kDeadReasons; ++i) tally.dead[i] += counts[i];
  }
  return tally;
}

Result<std::vector<HourTally>> read_hours(Database& database, const TallyView& view,
                                          EndpointId endpoint, WallTime since, WallTime until) {
  const TallyView::Sight sight = view.see(database, endpoint);
  const WallTime first = hour_of(since);
  Result<ByTime> closed = read_since(database, sight, {endpoint, Kind::Hour, first});
  if (!closed.ok()) return closed.error();
  const Result<TallyCounts> own = read_one(database, sight, {endpoint});
  if (!own.ok()) return own.error();
  const WallTime open = hour_from_number((*own)[kOpenHour]);
  if ((*own)[kOpenHour] != 0 && open >= first) {
    (*closed)[open] = {(*own)[kOpenSuccess], (*own)[kOpenFailed]};
  }
  std::vector<HourTally> hours;
  for (const auto& [hour, counts] : *closed) {
    if (hour < until) hours.push_back({hour, counts[0], counts[1]});
  }
  return hours;
}

Result<KeptSizes> read_kept(Database& database, const TallyView& view,
                            std::optional<ApplicationId> application) {
  const TallyKey key = kept_key(application);
  const TallyView::Sight sight = view.see(database, key.endpoint);
  const Result<TallyCounts> counts = read_one(database, sight, key);
  if (!counts.ok()) return counts.error();
  return KeptSizes{(*counts)[kMessages], (*counts)[kPayloads], (*counts)[kPayloadBytes]};
}

Status count_all(Database& database) {
  if (Status removed = remove_all(database); !removed.ok()) return removed;
  Counting counting(database);
  if (Status counted = count_deliveries(database, counting); !counted.ok()) return counted;
  if (Status counted = count_attempts(database, counting); !counted.ok()) return counted;
  return counting.write();
}

}  // namespace petrel::store
