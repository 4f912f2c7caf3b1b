#include "sim/faulty_store.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "store/settlement_effect.h"

namespace petrel::sim {
namespace {

Error away() { return unavailable("the simulated disk does not answer"); }

}  // namespace

FaultyStore::FaultyStore(const Parts& parts, std::uint64_t seed)
    : ForwardingBrowse(parts.disk.browse()),
      world_(parts.world),
      disk_(parts.disk),
      platters_(parts.disk.browse()),
      faults_(parts.faults),
      witness_(parts.witness),
      trouble_(parts.trouble),
      mutant_(parts.mutant),
      dice_(seed),
      ids_(seed),
      task_defects_(parts.mutant, seed),
      purge_dice_(seed ^ 0x5075726765) {}

Duration FaultyStore::latency() {
  const Duration usual = dice_.between(Duration(50), trouble_.latency_max);
  if (!dice_.chance(trouble_.is_slow)) return usual;
  faults_.add(Fault::StoreSlow);
  const Duration slow = usual + dice_.spread(std::chrono::milliseconds(1), std::chrono::seconds(5));
  witness_.store_is_away(true, "slow");
  world_.after(slow, [this] { witness_.store_is_away(false, "slow"); });
  return slow;
}

void FaultyStore::later(Function<void()> action) {
  world_.after(latency(), [this, life = life_, action = std::move(action)] {
    if (life == life_) action();
  });
}

void FaultyStore::failed(Fault how, const char* verb) {
  faults_.add(how);
  witness_.store_failed(verb);
}

// While it stalls or refuses everything.
void FaultyStore::update_away() {
  const bool is_away = world_.now() < std::max(stalled_until_, refused_until_);
  if (std::exchange(is_known_away_, is_away) != is_away) witness_.store_is_away(is_away, "all");
}

FaultyStore::Fate FaultyStore::draw_fate() {
  if (world_.now() < refused_until_) {
    failed(Fault::DiskFull, "write");
    return Fate::Fails;
  }
  if (dice_.chance(trouble_.fails)) {
    failed(Fault::StoreFails, "write");
    return Fate::Fails;
  }
  if (dice_.chance(trouble_.commit_unknown)) {
    failed(Fault::CommitUnknown, "write");
    return Fate::Unknown;
  }
  return Fate::Good;
}

void FaultyStore::begin_write(const Loss& loss, Function<void()> write,
                              Function<void(Fate)> answer) {
  const std::uint64_t number = next_write_++;
  writes_.emplace(number, Write{loss, std::move(write), std::move(answer)});
  last_write_at_ = std::max(last_write_at_, world_.now() + latency());  // One after the other.
  world_.at(last_write_at_, [this, life = life_, number] {
    if (life == life_) finish_write(number);
  });
}

void FaultyStore::finish_write(std::uint64_t number) {
  if (is_stalled()) {
    world_.at(stalled_until_, [this, life = life_, number] {
      if (life == life_) finish_write(number);
    });
    return;
  }
  Write write = std::move(writes_.extract(number).mapped());
  const Fate fate = draw_fate();
  if (fate == Fate::Unknown) witness_.saw(write.loss.unknown);
  if (fate != Fate::Fails) write.write();
  CHECK(doubts_.empty());  // The disk has no trouble of its own but in crashes.
  later([answer = std::move(write.answer), fate] { answer(fate); });
}

void FaultyStore::read(Function<void(bool)> question) {
  if (is_stalled()) {
    world_.at(stalled_until_, [this, life = life_, question = std::move(question)]() mutable {
      if (life == life_) read(std::move(question));
    });
    return;
  }
  const bool fails = world_.now() < refused_until_ || dice_.chance(trouble_.load_fails);
  ++reads_;
  if (fails) failed(Fault::LoadFails, "read");
  question(!fails);
}

void FaultyStore::accept(std::vector<store::Acceptance> batch, AcceptDone done) {
  if (mutant_ == Mutant::AnswersTooEarly) {
    answer_early(batch, done);
    done = [](const Result<std::vector<store::Accepted>>&) {};
  }
  const auto waits = [this](const store::Acceptance& acceptance) {
    return mutant_ == Mutant::KeepsTurns && are_others_sending_(acceptance);
  };
  const bool is_kept_back = std::any_of(batch.begin(), batch.end(), waits);
  const auto answers = std::make_shared<std::vector<store::Accepted>>();
  auto write = [this, batch = std::move(batch), answers, handed_over = world_.now()] {
    *answers = write_acceptances(batch, handed_over);
  };
  auto answer = [answers, done = std::move(done)](Fate fate) {
    if (fate != Fate::Good) return done(away());
    done(*answers);
  };
  if (!is_kept_back) {
    return begin_write({Landmark::UnknownAccept}, std::move(write), std::move(answer));
  }
  auto answer_late = [this, answer = std::move(answer)](Fate fate) mutable {
    world_.after(std::chrono::milliseconds(500),
                 [this, life = life_, fate, answer = std::move(answer)] {
                   if (life == life_) answer(fate);
                 });
  };
  begin_write({Landmark::UnknownAccept}, std::move(write), std::move(answer_late));
}

std::vector<store::Accepted> FaultyStore::write_acceptances(std::vector<store::Acceptance> batch,
                                                            MonoTime handed_over) {
  for (store::Acceptance& acceptance : batch) {
    if (mutant_ == Mutant::ForgetsKeys) acceptance.idempotent.reset();
    if (mutant_ == Mutant::ForgetsDelivery && dice_.chance(0.05)) {
      acceptance.deliveries.resize(acceptance.deliveries.size() / 2);
    }
    if (mutant_ == Mutant::RemembersDeleted) add_deleted(acceptance);
  }
  Result<std::vector<store::Accepted>> answers = away();
  disk_.store().accept(batch, [&](auto answer) { answers = std::move(answer); });
  if (!answers.ok()) {
    doubts_.emplace_back([this, batch, handed_over] { return look_for(batch, handed_over); });
    return {};
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (answers->at(i).kind != store::Accepted::Kind::New) continue;
    known_.insert({batch[i].message.application, batch[i].message.id});
    for (const model::Delivery& delivery : batch[i].deliveries) {
      witness_.accepted(delivery, handed_over);
    }
  }
  return *std::move(answers);
}

void FaultyStore::settle(std::vector<model::Settlement> batch, SettleDone done) {
  Loss loss{Landmark::UnknownSettle};
  for (const model::Settlement& settlement : batch) {
    witness_.settling(settlement.delivery.key);
    const auto& next = settlement.delivery.next;
    const bool is_release = !settlement.attempt && next && next->basis == model::NextBasis::Release;
    if (!is_release) continue;
    loss.lost = Landmark::ReleaseCut;
    witness_.saw(Landmark::ReleaseBegun);
  }
  auto settled = std::make_shared<std::vector<store::Settled>>();
  auto write = [this, batch = std::move(batch), settled, handed_over = world_.now()] {
    *settled = write_settlements(batch, handed_over);
  };
  auto answer = [settled, done = std::move(done)](Fate fate) {
    if (fate != Fate::Good) return done(away());
    done(*settled);
  };
  begin_write(loss, std::move(write), std::move(answer));
}

std::vector<store::Settled> FaultyStore::write_settlements(std::vector<model::Settlement> batch,
                                                           MonoTime handed_over) {
  std::vector<model::Settlement> effective;
  std::set<model::DeliveryKey> keys;
  for (model::Settlement& settlement : batch) {
    CHECK(keys.insert(settlement.delivery.key).second);  // Or it would not be as it is now.
    const auto before = platters_.delivery(settlement.delivery.key);
    const bool has_effect = before.ok() && store::effect_of(settlement, store::head_of(*before)) !=
                                               store::SettlementEffect::None;
    if (!has_effect) continue;
    const bool is_delivered = settlement.delivery.state == model::DeliveryState::Delivered;
    if (mutant_ == Mutant::RepeatsDelivered && is_delivered) delivered_.push_back(*before);
    mutate(settlement);
    effective.push_back(settlement);
  }
  Result<std::vector<store::Settled>> answers = away();
  disk_.store().settle(batch, [&](auto settled) { answers = std::move(settled); });
  if (!answers.ok()) {
    doubts_.emplace_back(
        [this, effective, handed_over] { return look_for(effective, handed_over); });
    return {};
  }
  for (const model::Settlement& each : effective) {
    witness_.settled(platters_.delivery(each.delivery.key).value(), each.attempt, handed_over);
  }
  return *std::move(answers);
}

void FaultyStore::load_due(store::DueQuery query, Function<void(Result<store::DuePage>)> done) {
  later([this, query = std::move(query), done = std::move(done)]() mutable {
    read([this, query = std::move(query), done = std::move(done)](bool is_good) mutable {
      Result<store::DuePage> page = away();
      if (is_good)
        disk_.store().load_due(query, [&](Result<store::DuePage> read) { page = std::move(read); });
      if (mutant_ == Mutant::ReleasesTooSoon && page.ok()) forget_wishes(*page);
      if (mutant_ == Mutant::RepeatsDelivered && page.ok()) hand_out_again(query, *page);
      later([done = std::move(done), page = std::move(page)] { done(page); });
    });
  });
}

void FaultyStore::load_payloads(std::vector<MessageId> messages, store::PayloadKeeper& keeper,
                                PayloadsDone done) {
  loading_.insert(messages.begin(), messages.end());
  witness_.saw(Landmark::LoadBegun);
  later([this, asked_at = world_.now(), messages = std::move(messages), &keeper,
         done = std::move(done)]() mutable {
    read([this, asked_at, messages = std::move(messages), &keeper,
          done = std::move(done)](bool is_good) mutable {
      using Payloads = Result<std::vector<store::LoadedPayload>>;
      Payloads payloads = away();
      if (is_good)
        disk_.store().load_payloads(messages, keeper,
                                    [&](Payloads read) { payloads = std::move(read); });
      later([this, asked_at, messages = std::move(messages), done = std::move(done),
             payloads = std::move(payloads)] {
        for (const MessageId each : messages) loading_.erase(loading_.find(each));
        if (payloads.ok()) witness_.loaded(messages, world_.now() - asked_at);
        done(payloads);
      });
    });
  });
}

Result<std::vector<EndpointId>> FaultyStore::endpoints_with_live() {
  if (!may_read()) return away();
  if (mutant_ == Mutant::ForgetsQueue && has_lived_) return std::vector<EndpointId>();
  return disk_.store().endpoints_with_live();
}

bool FaultyStore::may_read() {
  const bool fails = is_stalled() || dice_.chance(trouble_.load_fails);
  ++reads_;
  if (fails) failed(Fault::LoadFails, "read");
  return !fails;
}

void FaultyStore::stall(Duration length) {
  faults_.add(Fault::StoreStalls);
  stalled_until_ = std::max(stalled_until_, world_.now() + length);
  update_away();
  world_.at(stalled_until_, [this] { update_away(); });
}

void FaultyStore::refuse(Duration length) {
  faults_.add(Fault::DiskFull);
  refused_until_ = std::max(refused_until_, world_.now() + length);
  update_away();
  world_.at(refused_until_, [this] { update_away(); });
}

void FaultyStore::heal() {
  trouble_.is_slow = 0;
  trouble_.fails = 0;
  trouble_.commit_unknown = 0;
  trouble_.load_fails = 0;
  stalled_until_ = MonoTime{};
  refused_until_ = MonoTime{};
  update_away();
}

}  // namespace petrel::sim
