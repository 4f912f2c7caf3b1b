#include "store/rocksdb/tally_totals.h"

#include <utility>

#include "store/rocksdb/scan.h"

namespace petrel::store {
namespace {

using Kind = TallyKey::Kind;

constexpr std::size_t kOwnKeyBytes = Ksuid::kBytes;

Kind kind_of(const rocksdb::Slice& key) {
  return key.size() == kOwnKeyBytes ? Kind::Endpoint : static_cast<Kind>(key[kOwnKeyBytes]);
}

// A number that was lost to damage begins again at nothing: then there is less to take away.
void move(std::uint64_t& sum, std::uint64_t before, std::uint64_t after) {
  sum = sum + after < before ? 0 : sum + after - before;
}

}  // namespace

Status TallyTotals::load(Database& database) {
  TallyTotals read;
  Scan scan(database, Family::Tally, {}, Scan::OnDamage::Leap);
  scan.seek_first();
  while (scan.is_valid()) {
    if (scan.key().size() < kOwnKeyBytes) {  // The journal, of a store that is only looked at.
      scan.next();
      continue;
    }
    const TallyKey key{EndpointId(ksuid_at(scan.key(), 0)), kind_of(scan.key())};
    if (key.kind == Kind::Hour) {
      // There may be thousands, and none after them is of this endpoint but what is no tally of it.
      const auto hours = static_cast<std::uint8_t>(Kind::Hour);
      scan.seek_behind_prefix(Key().id(key.endpoint).byte(hours).slice());
      continue;
    }
    const Result<TallyCounts> counts = decode_tally(view(scan.value()));
    if (counts.ok()) read.step({.key = key, .after = *counts});
    scan.next();
  }
  if (Status status = scan.status(); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  sum_ = read.sum_;
  live_ = std::move(read.live_);
  return Done{};
}

void TallyTotals::apply(const std::vector<TallyStep>& steps) {
  const std::lock_guard lock(mutex_);
  for (const TallyStep& each : steps) step(each);
}

void TallyTotals::step(const TallyStep& step) {
  const auto& [key, before, after] = step;
  if (key.kind == Kind::Day) {
    for (std::size_t i = 0; i < kDeadReasons; ++i) move(sum_.dead[i], before[i], after[i]);
  }
  if (key.kind != Kind::Endpoint) return;
  move(sum_.live_fresh, before[kFresh], after[kFresh]);
  move(sum_.live_retry, before[kRetrying], after[kRetrying]);
  if (after[kFresh] + after[kRetrying] > 0) {
    live_[key.endpoint] = {after[kFresh], after[kRetrying]};
  } else {
    live_.erase(key.endpoint);
  }
}

EndpointTally TallyTotals::sum() const {
  const std::lock_guard lock(mutex_);
  return sum_;
}

std::vector<QueueDepth> TallyTotals::deepest(std::size_t most) const {
  DeepestQueues deepest(most);
  const std::lock_guard lock(mutex_);
  for (const auto& [endpoint, live] : live_) {
    deepest.add({endpoint, live[kFresh], live[kRetrying]});
  }
  return deepest.take();
}

}  // namespace petrel::store
