#include "ledger.h"

#include <deque>
#include <set>

namespace petrel::store {

using std::chrono::seconds;

// Where the store's threads put their answers.
class Ledger::Inbox {
 public:
  void put(std::size_t batch, bool is_written) {
    const std::lock_guard lock(mutex_);
    answers_.emplace_back(batch, is_written);
    arrived_.notify_one();
  }

  std::pair<std::size_t, bool> take() {
    std::unique_lock lock(mutex_);
    const bool has_come =
        arrived_.wait_for(lock, std::chrono::minutes(1), [&] { return !answers_.empty(); });
    CHECK(has_come);
    const auto answer = answers_.front();
    answers_.pop_front();
    return answer;
  }

  std::size_t next = 0;  // The number of the next batch.

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::pair<std::size_t, bool>> answers_;
};

Ledger::Ledger(std::uint64_t seed)
    : random_(seed), make_(seed), application_(make_.application_id()) {
  for (int i = 0; i < 4; ++i) endpoints_.push_back(make_.endpoint_id());
}

std::optional<Ledger::Batch> Ledger::send_accept(RocksStore& store, Inbox& inbox) {
  Batch batch;
  std::vector<Acceptance> acceptances;
  for (std::uint64_t left = 1 + random_.below(5); left > 0; --left) {
    std::vector<EndpointId> endpoints;
    for (const EndpointId& endpoint : endpoints_) {
      if (random_.below(2) == 0) endpoints.push_back(endpoint);
    }
    Acceptance acceptance = make_.acceptance(application_, endpoints);
    const std::size_t size = random_.below(10) == 0 ? 60'000 : random_.below(1000);
    acceptance.payload =
        std::make_shared<const std::string>(size, static_cast<char>(random_.below(256)));
    if (random_.below(3) == 0) acceptance.message.event_id = acceptance.message.id.text();
    batch.messages.push_back(acceptance.message.id);
    acceptances_[acceptance.message.id] = Known{acceptance, false, false};
    acceptances.push_back(std::move(acceptance));
  }
  const std::size_t number = inbox.next++;
  store.accept(std::move(acceptances),
               [&inbox, number](const auto& answer) { inbox.put(number, answer.ok()); });
  return batch;
}

model::Settlement Ledger::draw(const model::Delivery& before) {
  if (!before.is_live()) return make_.replayed(before, kNoon + seconds(random_.below(100)));
  switch (random_.below(3)) {
    case 0:
      return make_.delivered(before);
    case 1:
      return make_.dead(before, kNoon + seconds(random_.below(100)));
    default:
      return make_.retrying(before, before.due_at + seconds(1 + random_.below(100)));
  }
}

std::optional<Ledger::Batch> Ledger::send_settle(RocksStore& store, Inbox& inbox) {
  Batch batch;
  std::vector<model::Settlement> settlements;
  for (int left = 8; left > 0 && !deliveries_.empty(); --left) {
    auto chosen = deliveries_.begin();
    std::advance(chosen, random_.below(deliveries_.size()));
    Standing& standing = chosen->second;
    if (standing.pending) continue;
    standing.pending = draw(standing.delivery);
    settlements.push_back(*standing.pending);
    batch.deliveries.push_back(chosen->first);
  }
  if (settlements.empty()) return std::nullopt;
  const std::size_t number = inbox.next++;
  store.settle(std::move(settlements),
               [&inbox, number](const auto& answer) { inbox.put(number, answer.ok()); });
  return batch;
}

void Ledger::confirm(Standing& standing) {
  if (standing.pending->attempt) standing.attempts.push_back(*standing.pending->attempt);
  standing.delivery = standing.pending->delivery;
  standing.pending.reset();
}

void Ledger::confirm(const Batch& batch) {
  for (const MessageId& id : batch.messages) {
    Known& known = acceptances_.at(id);
    known.is_certain = true;
    for (const model::Delivery& delivery : known.acceptance.deliveries) {
      deliveries_[delivery.key] = Standing{delivery, std::nullopt, {}};
    }
  }
  for (const model::DeliveryKey& key : batch.deliveries) confirm(deliveries_.at(key));
}

void Ledger::run(RocksStore& store, int steps) {
  Inbox inbox;
  std::map<std::size_t, Batch> under_way;
  bool is_well = true;
  for (int step = 0; (is_well && step < steps) || !under_way.empty(); ++step) {
    if (is_well && step < steps && under_way.size() < 3) {
      const std::size_t number = inbox.next;
      auto batch = random_.below(2) == 0 ? send_accept(store, inbox) : send_settle(store, inbox);
      if (batch) under_way.emplace(number, *std::move(batch));
      continue;
    }
    const auto [number, is_written] = inbox.take();
    if (is_written) confirm(under_way.at(number));
    is_well = is_well && is_written;
    under_way.erase(number);
  }
}

bool Ledger::settle_doubts(RocksStore& store, Duration patience) {
  std::vector<Acceptance> acceptances;
  std::vector<model::Settlement> settlements;
  Batch batch;
  for (const auto& [id, known] : acceptances_) {
    if (known.is_certain || known.is_gone) continue;
    acceptances.push_back(known.acceptance);
    batch.messages.push_back(id);
  }
  for (const auto& [key, standing] : deliveries_) {
    if (!standing.pending) continue;
    settlements.push_back(*standing.pending);
    batch.deliveries.push_back(key);
  }
  const SystemClock clock;
  const MonoTime deadline = clock.mono() + patience;
  std::promise<void> never;
  for (;;) {
    const auto accepted = accept(store, acceptances);
    const auto settled = accepted.ok() ? settle(store, settlements) : accepted.error();
    if (settled.ok()) break;
    if (clock.mono() > deadline) {
      ADD_FAILURE() << settled.error().text();
      return false;
    }
    never.get_future().wait_for(std::chrono::milliseconds(20));
    never = {};
  }
  confirm(batch);
  return true;
}

std::vector<std::string> Ledger::check(RocksStore& store) {
  faults_.clear();
  std::size_t there = 0;
  for (auto& [id, known] : acceptances_) {
    check_message(store, known);
    if (!known.is_gone) ++there;
  }
  if (store.count()->messages != there) fault("there are messages that nobody sent");
  check_indexes(store);
  return faults_;
}

void Ledger::check_message(RocksStore& store, Known& known) {
  const model::Message& message = known.acceptance.message;
  const std::string name = message.id.text();
  const Result<model::Message> found = store.message(application_, message.id);
  const Result<model::Payload> payload = store.payload(message.id);
  if (!found.ok() && found.error().kind != ErrorKind::NotFound) return fault(found.error().text());
  if (!payload.ok()) return fault(payload.error().text());
  if (found.ok() != (*payload != nullptr)) fault(name + " is there by half");
  if (!found.ok() && known.is_certain) fault(name + " was accepted and is lost");
  if (found.ok() && known.is_gone) fault(name + " has come back");
  if (found.ok() && *found != message) fault(name + " is not what was accepted");
  if (found.ok() && *payload && **payload != *known.acceptance.payload) {
    fault(name + " has another payload");
  }
  const bool has_name = !message.event_id.empty();
  if (has_name && store.message_by_event_id(application_, message.event_id).ok() != found.ok()) {
    fault(name + " and its event id are not together");
  }
  for (const model::Delivery& delivery : known.acceptance.deliveries) {
    const auto standing = deliveries_.try_emplace(delivery.key, Standing{delivery, {}, {}}).first;
    check_delivery(store, standing->second, found.ok());
    if (!found.ok()) deliveries_.erase(standing);
  }
  known.is_certain = found.ok();
  known.is_gone = !found.ok();
  if (found.ok()) check_attempts(store, known);
}

void Ledger::check_delivery(RocksStore& store, Standing& standing, bool is_there) {
  const std::string name = standing.delivery.key.message.text();
  const Result<model::Delivery> found = store.delivery(standing.delivery.key);
  if (found.ok() != is_there) return fault(name + " and its delivery are not together");
  if (!is_there) return;
  const bool has_happened = standing.pending && *found == standing.pending->delivery;
  if (!has_happened && *found != standing.delivery) fault(name + "'s delivery is not as settled");
  if (has_happened) confirm(standing);
  standing.pending.reset();
}

void Ledger::check_attempts(RocksStore& store, const Known& known) {
  const MessageId id = known.acceptance.message.id;
  std::set<AttemptId> expected;
  for (const model::Delivery& delivery : known.acceptance.deliveries) {
    for (const model::Attempt& attempt : deliveries_.at(delivery.key).attempts) {
      expected.insert(attempt.id);
    }
  }
  std::set<AttemptId> found;
  const auto listed = store.attempts_of_message(id, {}, {.limit = 1000});
  if (!listed.ok()) return fault(listed.error().text());
  for (const model::Attempt& attempt : listed->items) found.insert(attempt.id);
  if (found != expected) fault(id.text() + " has other attempts than were settled");
}

void Ledger::check_indexes(RocksStore& store) {
  for (const EndpointId& endpoint : endpoints_) {
    std::set<std::pair<DueClass, DuePosition>> live;
    std::set<MessageId> dead;
    std::set<AttemptId> attempts;
    for (const auto& [key, standing] : deliveries_) {
      if (key.endpoint != endpoint) continue;
      const model::Delivery& delivery = standing.delivery;
      const DuePosition position{delivery.due_at, key.message};
      if (delivery.is_live()) live.insert({due_class(delivery.state), position});
      if (delivery.state == model::DeliveryState::Dead) dead.insert(key.message);
      for (const model::Attempt& attempt : standing.attempts) attempts.insert(attempt.id);
    }
    for (const DueClass queue : {DueClass::Fresh, DueClass::Retry}) {
      const auto page = load_due(store, {.endpoint = endpoint, .queue = queue, .limit = 100'000});
      if (!page.ok()) return fault(page.error().text());
      for (const model::Delivery& delivery : page->deliveries) {
        const DuePosition position{delivery.due_at, delivery.key.message};
        if (live.erase({queue, position}) == 0) fault("what is due is not live");
      }
    }
    if (!live.empty()) fault("what is live is not due");
    const auto letters =
        store.dead_letters({.application = application_, .endpoint = endpoint, .limit = 100'000});
    if (!letters.ok()) return fault(letters.error().text());
    for (const model::Delivery& delivery : letters->items) {
      if (dead.erase(delivery.key.message) == 0) fault("a dead letter is not dead");
    }
    if (!dead.empty()) fault("what is dead is no dead letter");
    const auto listed = store.attempts_of_endpoint(endpoint, {}, {.limit = 100'000});
    if (!listed.ok()) return fault(listed.error().text());
    for (const model::Attempt& attempt : listed->items) {
      if (attempts.erase(attempt.id) == 0) fault("an attempt was never settled");
    }
    if (!attempts.empty()) fault("an attempt is not listed for its endpoint");
    check_tally(store, endpoint);
  }
  check_totals(store);
}

void Ledger::check_totals(RocksStore& store) {
  EndpointTally expected;
  std::uint64_t in_queues = 0;
  for (const EndpointId& endpoint : endpoints_) {
    if (const auto tally = store.tally(endpoint); tally.ok()) expected += *tally;
  }
  for (const QueueDepth& queue : store.deepest(endpoints_.size())) in_queues += queue.total();
  if (store.totals() != expected) fault("the totals are not what all tallies come to");
  if (in_queues != expected.live_fresh + expected.live_retry) fault("a queue is missing");
}

void Ledger::check_tally(RocksStore& store, EndpointId endpoint) {
  EndpointTally expected;
  std::uint64_t attempts = 0;
  for (const auto& [key, standing] : deliveries_) {
    if (key.endpoint != endpoint) continue;
    const model::Delivery& delivery = standing.delivery;
    if (delivery.state == model::DeliveryState::Pending) ++expected.live_fresh;
    if (delivery.state == model::DeliveryState::Retrying) ++expected.live_retry;
    if (delivery.reason) ++expected.dead[static_cast<std::size_t>(*delivery.reason)];
    attempts += standing.attempts.size();
  }
  const Result<EndpointTally> tally = store.tally(endpoint);
  const auto hours = store.hours(endpoint, kNoon, kNoon + std::chrono::days(365));
  if (!tally.ok()) return fault(tally.error().text());
  if (!hours.ok()) return fault(hours.error().text());
  if (*tally != expected) fault("a tally is not what there is");
  for (const HourTally& hour : *hours) attempts -= hour.success + hour.failed;
  if (attempts != 0) fault("the hours' tallies are not the attempts that there are");
}

}  // namespace petrel::store
