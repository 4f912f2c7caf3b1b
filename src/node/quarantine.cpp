#include "node/quarantine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "node/log_lines.h"

namespace petrel::node {
namespace {

// One set has a bound, and a crash may have met every slot.
constexpr std::size_t kWrittenAtOnce = 1000;

// The others are told by their number.
constexpr std::size_t kRemarksMax = 50;

std::string remark_on(const model::Suspect& suspect) {
  const model::DeliveryKey& key = suspect.delivery;
  const std::string what =
      fmt::format("the delivery of {} to {} was in flight at {}", key.message.text(),
                  key.endpoint.text(), suspect.crashes == 1 ? "the last crash" : "");
  if (suspect.crashes == 1) return what + "; if that happens again, it will be sent alone";
  const std::string crashes = fmt::format("{}{} crashes in a row", what, suspect.crashes);
  if (!suspect.held) {
    return crashes + " and is sent alone; if that happens once more, it will be held";
  }
  return fmt::format(
      "{} and is held: POST /api/v1/app/{}/delivery/{}/{}/release sends it again, and so does a "
      "newer version of Petrel",
      crashes, suspect.application.text(), key.message.text(), key.endpoint.text());
}

}  // namespace

Starting Quarantine::starting(EndpointId id) const {
  const WallTime now = parts_.clock.wall();
  const store::EndpointPtr endpoint = parts_.catalogue.endpoint(id);
  const Duration paused = endpoint ? endpoint->held.total_at(now) : Duration::zero();
  return {.now = now, .version = parts_.version, .paused = paused};
}

// A delivery that is damaged is none: it is not sent anyway.
Result<SuspectFacts> Quarantine::facts_of(const model::DeliveryKey& key,
                                          std::optional<model::Suspect> known) {
  SuspectFacts facts{.known = std::move(known)};
  Result<model::Delivery> delivery = parts_.browse.delivery(key);
  if (delivery.ok()) {
    facts.delivery = *std::move(delivery);
  } else if (delivery.error().kind == ErrorKind::Unavailable) {
    return delivery.error();
  }
  return facts;
}

Status Quarantine::recall() {
  Result<std::vector<model::Suspect>> known = parts_.browse.suspects();
  if (!known.ok()) return known.error();
  std::map<model::DeliveryKey, SuspectFacts> all;
  for (model::Suspect& suspect : *known) {
    const model::DeliveryKey key = suspect.delivery;
    Result<SuspectFacts> facts = facts_of(key, std::move(suspect));
    if (!facts.ok()) return facts.error();
    all.emplace(key, *std::move(facts));
  }
  for (engine::CrashMark& mark : parts_.note.uncounted()) {
    const model::DeliveryKey key = mark.delivery;
    if (!all.contains(key)) {
      Result<SuspectFacts> facts = facts_of(key, std::nullopt);
      if (!facts.ok()) return facts.error();
      all.emplace(key, *std::move(facts));
    }
    all.at(key).mark = std::move(mark);
  }
  for (const auto& [key, facts] : all) decide(key, facts);
  count();
  return Done{};
}

void Quarantine::decide(const model::DeliveryKey& key, const SuspectFacts& facts) {
  Decided decided{key, judge_at_start(facts, starting(key.endpoint))};
  const std::optional<model::Suspect>& suspect = decided.verdict.suspect;
  if (suspect) {
    known_.emplace(key, *suspect);
    if (remarks_.size() < kRemarksMax) remarks_.push_back(remark_on(*suspect));
  }
  if (suspect == facts.known) {
    if (suspect) parts_.list.put(key, entry_for(*suspect));
    return;
  }
  // Until that is on disk it does not go: the next crash over it would not be counted.
  if (suspect) {
    parts_.list.put(key,
                    {engine::Suspicion::Barred,
                     "it was in flight when the server crashed, and waits until that is on disk"});
  }
  unwritten_.push_back(std::move(decided));
}

void Quarantine::write_next() {
  if (unwritten_.empty()) return parts_.note.counted();
  const std::size_t count = std::min(kWrittenAtOnce, unwritten_.size());
  auto batch = std::make_shared<std::vector<Decided>>(
      unwritten_.end() - static_cast<std::ptrdiff_t>(count), unwritten_.end());
  store::ChangeSet set;
  for (const Decided& each : *batch) {
    set.changes.emplace_back(store::KeepSuspect{each.delivery, each.verdict.suspect});
    if (each.verdict.release) set.settlements.push_back(*each.verdict.release);
  }
  parts_.changes.write(std::move(set), Author::Server, [this, batch](const Status& status) {
    if (!status.ok()) {
      return alarms_.at(parts_.clock.mono() + kWriteAgain, [this] { write_next(); });
    }
    unwritten_.resize(unwritten_.size() - batch->size());
    written(*batch);
    write_next();
  });
}

void Quarantine::written(const std::vector<Decided>& batch) {
  for (const Decided& each : batch) {
    go_by(each.delivery, each.verdict.suspect);
    const SuspectVerdict& verdict = each.verdict;
    if (verdict.release && verdict.suspect) log_released(parts_.log, *verdict.suspect);
  }
  count();
}

void Quarantine::go_by(const model::DeliveryKey& key,
                       const std::optional<model::Suspect>& suspect) {
  engine::SuspectList::Entry entry;
  if (suspect) {
    known_.insert_or_assign(key, *suspect);
    entry = entry_for(*suspect);
  } else {
    known_.erase(key);
  }
  if (parts_.lanes.send_to(key.endpoint, SuspectChanged{key, entry})) return;
  parts_.list.put(key, std::move(entry));
}

// If it does not get to disk, the next start sees that an attempt has ended since.
void Quarantine::cleared(const model::DeliveryKey& delivery) {
  parts_.control.post([this, delivery] {
    known_.erase(delivery);
    count();
    parts_.changes.write({.changes = {store::KeepSuspect{delivery}}}, Author::Server,
                         [](const Status&) {});
  });
}

void Quarantine::count() {
  const auto held = static_cast<std::size_t>(std::count_if(
      known_.begin(), known_.end(), [](const auto& each) { return each.second.held.has_value(); }));
  held_ = held;
  suspected_ = known_.size() - held;
  parts_.metrics.deliveries_held().set(static_cast<std::int64_t>(held));
  parts_.metrics.deliveries_suspected().set(static_cast<std::int64_t>(known_.size() - held));
}

// One release on its way.
struct Quarantine::Releasing {
  model::DeliveryKey delivery;
  Function<void(Status)> done;
};

void Quarantine::release(const model::DeliveryKey& delivery, Function<void(Status)> done) {
  auto releasing = std::make_shared<Releasing>(Releasing{delivery, std::move(done)});
  parts_.control.post([this, releasing] { release(releasing); });
}

// From what is stored: an earlier release may have been written without anybody knowing.
void Quarantine::release(const std::shared_ptr<Releasing>& releasing) {
  const model::DeliveryKey key = releasing->delivery;
  const auto known = known_.find(key);
  if (known == known_.end() || !known->second.held) {
    return releasing->done(not_found("there is no such delivery that is held after crashes"));
  }
  const bool is_taken = parts_.pool.run([this, releasing, key] {
    Result<SuspectFacts> facts = facts_of(key, std::nullopt);
    Result<std::vector<model::Suspect>> all = parts_.browse.suspects();
    if (facts.ok() && !all.ok()) facts = all.error();
    if (facts.ok()) {
      const auto stored = std::find_if(all->begin(), all->end(),
                                       [&](const auto& each) { return each.delivery == key; });
      if (stored != all->end()) facts->known = *stored;
    }
    parts_.control.post([this, releasing, key, facts = std::move(facts)] {
      if (!facts.ok()) return releasing->done(facts.error());
      const auto still = known_.find(key);
      if (still == known_.end()) return releasing->done(petrel::Done{});
      const model::Suspect after = released(still->second, parts_.version);
      store::ChangeSet set{.changes = {store::KeepSuspect{key, after}}};
      if (facts->known && facts->known->held && facts->delivery) {
        auto longer = longer_to_give_up(*facts->known, *facts->delivery, starting(key.endpoint));
        if (longer) set.settlements.push_back(*std::move(longer));
      }
      parts_.changes.write(std::move(set), Author::Person,
                           [this, releasing, key, after](const Status& status) {
                             if (!status.ok()) return releasing->done(status);
                             go_by(key, after);
                             log_released(parts_.log, after);
                             count();
                             releasing->done(petrel::Done{});
                           });
    });
  });
  if (!is_taken)
    releasing->done(unavailable("too many reads are under way; try again in a moment"));
}

}  // namespace petrel::node
