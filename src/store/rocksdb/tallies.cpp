#include "store/rocksdb/tallies.h"

#include <algorithm>

#include "store/rocksdb/tally_journal.h"
#include "store/tally.h"

namespace petrel::store {
namespace {

using Kind = TallyKey::Kind;

static_assert(std::tuple_size_v<TallyCounts> >= kDeadReasons);

// One more, or one fewer: never below nothing, should numbers have been lost to damage.
void step(std::uint64_t& number, int by) {
  if (by > 0) {
    ++number;
  } else if (number > 0) {
    --number;
  }
}

// As step(), by more.
void add(std::uint64_t& number, std::uint64_t by, int sign) {
  number = sign > 0 ? number + by : number - std::min(number, by);
}

void step_live(TallyCounts& counts, const DeliveryHead& head, int by) {
  if (head.state == model::DeliveryState::Pending) step(counts[kFresh], by);
  if (head.state == model::DeliveryState::Retrying) step(counts[kRetrying], by);
}

void step_dead(TallyCounts& counts, const DeliveryHead& head, int by) {
  if (head.reason) step(counts[static_cast<std::size_t>(*head.reason)], by);
}

Result<TallyCounts> read_stored(Database& database, const TallyKey& key) {
  rocksdb::PinnableSlice value;
  const Result<bool> found = database.get(Family::Tally, key.key().slice(), value);
  if (!found.ok()) return found.error();
  return *found ? decode_tally(view(value)) : TallyCounts{};
}

}  // namespace

Status Tallies::load(Database& database, const Event& event) {
  const EndpointId endpoint = event.delivery.endpoint;
  const Result<const TallyCounts*> counts = fetch(database, {endpoint});
  if (!counts.ok()) return counts.error();
  if (event.after.reason || (event.before && event.before->reason)) {
    const auto day = fetch(database, {endpoint, Kind::Day, day_of(event.delivery.message)});
    if (!day.ok()) return day.error();
  }
  if (event.attempt == nullptr) return Done{};
  const WallTime hour = hour_of(event.attempt->id.time());
  if (hour_number(hour) >= (**counts)[kOpenHour]) return Done{};
  const auto closed = fetch(database, {endpoint, Kind::Hour, hour});
  if (!closed.ok()) return closed.error();
  return Done{};
}

void Tallies::count(const Event& event) {
  const EndpointId endpoint = event.delivery.endpoint;
  TallyCounts& counts = change({endpoint});
  if (event.before) step_live(counts, *event.before, -1);
  step_live(counts, event.after, 1);
  if (event.after.reason || (event.before && event.before->reason)) {
    TallyCounts& day = change({endpoint, Kind::Day, day_of(event.delivery.message)});
    if (event.before) step_dead(day, *event.before, -1);
    step_dead(day, event.after, 1);
  }
  if (event.attempt != nullptr) count_attempt(endpoint, *event.attempt);
}

Status Tallies::load_dropped(Database& database, const model::DeliveryKey& delivery) {
  const auto day = fetch(database, {delivery.endpoint, Kind::Day, day_of(delivery.message)});
  if (!day.ok()) return day.error();
  return Done{};
}

void Tallies::count_dropped(const model::DeliveryKey& delivery, const DeliveryHead& before) {
  step_dead(change({delivery.endpoint, Kind::Day, day_of(delivery.message)}), before, -1);
}

Status Tallies::load_kept(Database& database, ApplicationId application) {
  for (const TallyKey& key : {kept_key(application), kept_key({})}) {
    if (const auto counts = fetch(database, key); !counts.ok()) return counts.error();
  }
  return Done{};
}

void Tallies::count_kept(ApplicationId application, const KeptSizes& sizes, int sign) {
  for (const TallyKey& key : {kept_key(application), kept_key({})}) {
    TallyCounts& counts = change(key);
    add(counts[kMessages], sizes.messages, sign);
    add(counts[kPayloads], sizes.payloads, sign);
    add(counts[kPayloadBytes], sizes.payload_bytes, sign);
  }
}

void Tallies::count_attempt(EndpointId endpoint, const model::Attempt& attempt) {
  TallyCounts& counts = change({endpoint});
  const bool is_good = is_success(attempt.outcome);
  const WallTime hour = hour_of(attempt.id.time());
  const std::uint64_t open = counts[kOpenHour];
  if (hour_number(hour) < open) {
    ++change({endpoint, Kind::Hour, hour})[is_good ? 0 : 1];
    return;
  }
  if (hour_number(hour) > open) {
    if (open != 0) {
      // It never had numbers of its own: an hour is open or closed, and closed once.
      const TallyKey closed{endpoint, Kind::Hour, hour_from_number(open)};
      entries_[closed].counts = {counts[kOpenSuccess], counts[kOpenFailed]};
      change(closed);
    }
    counts[kOpenHour] = hour_number(hour);
    counts[kOpenSuccess] = counts[kOpenFailed] = 0;
  }
  ++counts[is_good ? kOpenSuccess : kOpenFailed];
}

void Tallies::put_changes(Database& database, rocksdb::WriteBatch& batch) {
  in_commit_ = take_changes();
  if (!in_commit_.empty()) put_in_journal(database, journal_, in_commit_, batch);
}

void Tallies::committed(Database& database) {
  if (in_commit_.empty()) return;
  view_.publish(in_commit_);
  totals_.apply(steps_);
  in_commit_.clear();
  steps_.clear();
  ++journal_;
  if (entries_.size() > kKeptMax) entries_.clear();
  if (journal_ < kJournalMax && view_.size() < kUnfoldedMax) return;
  // If it cannot be folded now it stays as it is, and the next commit tries again.
  if (!fold(database).ok()) return;
  view_.clear();
  journal_ = 0;
}

void Tallies::forget() {
  entries_.clear();
  changed_.clear();
  in_commit_.clear();
  steps_.clear();
}

Status Tallies::recover(Database& database) {
  forget();
  if (Status folded = fold(database); !folded.ok()) return folded;
  view_.clear();
  journal_ = 0;
  return totals_.load(database);
}

TallyEntries Tallies::take_changes() {
  TallyEntries taken;
  taken.reserve(changed_.size());
  steps_.clear();
  for (const TallyKey& key : changed_) {
    Entry& entry = entries_.at(key);
    entry.is_changed = false;
    taken.push_back({key, entry.counts});
    steps_.push_back({key, entry.committed, entry.counts});
    entry.committed = entry.counts;
  }
  changed_.clear();
  return taken;
}

// What it points to stays where it is: the map's nodes do not move.
Result<const TallyCounts*> Tallies::fetch(Database& database, const TallyKey& key) {
  const auto here = entries_.find(key);
  if (here != entries_.end()) return &here->second.counts;
  Entry entry;
  if (const std::optional<TallyCounts> counts = view_.find(key)) {
    entry.counts = entry.committed = *counts;
    return &entries_.emplace(key, entry).first->second.counts;
  }
  Result<TallyCounts> stored = read_stored(database, key);
  if (!stored.ok() && stored.error().kind == ErrorKind::Corrupt) {
    stored = read_stored(database, key);  // A bit that flipped on the way is right the next time.
  }
  if (stored.ok()) {
    entry.counts = entry.committed = *stored;
  } else if (stored.error().kind == ErrorKind::Corrupt) {
    // Numbers for people: no message is refused for them. They begin again at nothing.
    database.note(stored.error(), "the numbers of endpoint " + key.endpoint.text());
  } else {
    return stored.error();
  }
  return &entries_.emplace(key, entry).first->second.counts;
}

TallyCounts& Tallies::change(const TallyKey& key) {
  Entry& entry = entries_.at(key);
  if (!entry.is_changed) changed_.push_back(key);
  entry.is_changed = true;
  return entry.counts;
}

}  // namespace petrel::store
