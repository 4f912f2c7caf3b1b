// DeadWorld is a store with dead letters in it, a loop and a clock that a test turns by hand, and
// endpoints that answer what is put back.
//
// Thread: confined.

#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/ksuid.h"
#include "base/secure_random.h"
#include "base/testing/hand_loop.h"
#include "replay/replayer.h"
#include "signature/key_ring.h"
#include "store/memory/memory_store.h"

namespace petrel::replay {

// Takes what it is asked to write, or does not, or does and says that it did not; cannot read what
// is damaged, and at times nothing at all; and counts the messages that it lists.
class MoodyStore final : public store::MemoryStore {
 public:
  enum class Mood : std::uint8_t { Fine, Away, Unsure };

  using MemoryStore::MemoryStore;

  void change(store::ChangeSet set, store::ChangeDone done) override {
    ++changes;
    if (mood == Mood::Away) return done(unavailable("the disk is full"));
    if (mood == Mood::Fine) return MemoryStore::change(std::move(set), std::move(done));
    MemoryStore::change(std::move(set), [done = std::move(done)](const Status&) {
      done(unavailable("who knows"));
    });
  }

  Result<store::Listed<model::Message>> messages(ApplicationId of, store::Page page) override {
    auto listed = MemoryStore::messages(of, page);
    messages_listed += listed->items.size();
    return listed;
  }

  Result<model::Payload> payload(MessageId id) override {
    if (payloads_until_fault && (*payloads_until_fault)-- == 0) {
      return unavailable("the disk does not answer");
    }
    if (damaged_payloads.contains(id)) return corrupt("the stored payload cannot be read");
    return MemoryStore::payload(id);
  }

  Result<model::Message> message(ApplicationId of, MessageId id) override {
    if (damaged_messages.contains(id)) return corrupt("the stored message cannot be read");
    return MemoryStore::message(of, id);
  }

  Result<model::Delivery> delivery(model::DeliveryKey key) override {
    if (damaged_deliveries.contains(key.message)) {
      return corrupt("the stored delivery cannot be read");
    }
    return MemoryStore::delivery(key);
  }

  Mood mood = Mood::Fine;
  int changes = 0;
  std::size_t messages_listed = 0;
  std::optional<int> payloads_until_fault;  // One read fails then.
  std::set<MessageId> damaged_payloads;
  std::set<MessageId> damaged_messages;
  std::set<MessageId> damaged_deliveries;
};

class DeadWorld : public testing::Test {
 protected:
  static constexpr WallTime kNoon = wall_from_unix_seconds(1'800'000'000);

  EndpointId make_endpoint() { return EndpointId(maker.make(clock.wall())); }

  // A message, with a delivery to each of these endpoints.
  MessageId message(const std::vector<EndpointId>& endpoints, std::string type = "order.paid",
                    bool has_payload = true) {
    store::Acceptance given;
    given.message.id = MessageId(maker.make(clock.wall()));
    given.message.application = application;
    given.message.event_type = std::move(type);
    given.message.endpoints = endpoints;
    if (has_payload) given.payload = std::make_shared<const std::string>("{}");
    for (const EndpointId& each : endpoints) {
      model::Delivery delivery;
      delivery.key = {each, given.message.id};
      delivery.application = application;
      delivery.due_at = delivery.updated_at = clock.wall();
      given.deliveries.push_back(delivery);
    }
    store.accept({given}, [](const auto& accepted) { EXPECT_TRUE(accepted.ok()); });
    return given.message.id;
  }

  void settle(const model::DeliveryKey& key, model::DeliveryState state,
              policy::DeadReason reason = policy::DeadReason::Exhausted, std::uint16_t code = 500) {
    model::Settlement settlement;
    settlement.delivery = state_of(key);
    settlement.state_before = settlement.delivery.state;
    settlement.due_before = settlement.delivery.due_at;
    settlement.delivery.state = state;
    settlement.delivery.reason.reset();
    if (state == model::DeliveryState::Dead) settlement.delivery.reason = reason;
    // As the engine has it: its times only grow.
    settlement.delivery.updated_at =
        std::max(clock.wall(), settlement.delivery.updated_at + std::chrono::microseconds(1));
    settlement.delivery.last_outcome = code;
    store.settle({settlement}, [](const auto& status) { EXPECT_TRUE(status.ok()); });
  }

  // A delivery that dies now.
  model::DeliveryKey dead(EndpointId of, policy::DeadReason reason = policy::DeadReason::Exhausted,
                          std::string type = "order.paid", bool has_payload = true) {
    const model::DeliveryKey key{of, message({of}, std::move(type), has_payload)};
    settle(key, model::DeliveryState::Dead, reason);
    clock.time += std::chrono::milliseconds(5);
    return key;
  }

  model::Delivery state_of(const model::DeliveryKey& key) { return store.delivery(key).value(); }
  bool is_pending(const model::DeliveryKey& key) {
    return state_of(key).state == model::DeliveryState::Pending;
  }

  // A replay of all that is dead by now.
  model::Task task(model::TaskType type = model::TaskType::Recover) {
    model::Task made;
    made.id = TaskId(maker.make(clock.wall()));
    made.organisation = organisation;
    made.application = application;
    made.type = type;
    made.created_at = made.updated_at = clock.wall();
    made.selection.until = clock.wall();
    return made;
  }

  model::Task stored(const model::Task& made) {
    return store.task(made.organisation, made.id).value();
  }

  HandClock clock{kNoon, MonoTime(std::chrono::hours(1))};
  HandLoop loop{clock};
  MoodyStore store{clock};
  SeededSecureRandom random{1};
  KsuidMaker maker{random};
  ApplicationId application{maker.make(kNoon)};
  OrganisationId organisation{maker.make(kNoon)};
  EndpointId endpoint = make_endpoint();
};

}  // namespace petrel::replay
