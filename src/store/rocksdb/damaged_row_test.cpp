// A record that cannot be read is left out of the lists that it belongs to, and named; those around
// it are there, and the list goes on behind it.

#include <algorithm>

#include "store/testing/scratch_store.h"

namespace petrel::store {
namespace {

using model::DeliveryState;

class DamagedRow : public ScratchStoreTest {
 protected:
  // Three messages that died, the second of which is damaged in a family.
  std::unique_ptr<RocksStore> store_with_damaged(Family family) {
    {
      const auto store = open();
      all_ = fill(*store, 3);
      std::sort(all_.begin(), all_.end(), [](const Acceptance& one, const Acceptance& other) {
        return one.message.id < other.message.id;
      });
      for (const Acceptance& one : all_) {
        attempts_.push_back(
            after_attempt(one.deliveries[0], DeliveryState::Dead, policy::Outcome::answered(500)));
      }
      settle(*store, attempts_);
    }
    break_record(family, key_in(family).slice());
    return open();
  }

  Key key_in(Family family) const {
    const model::DeliveryKey delivery = all_[1].deliveries[0].key;
    if (family == Family::Message) return message_key(application_, delivery.message);
    if (family == Family::Delivery) return delivery_key(delivery);
    const AttemptId attempt = attempts_[1].attempt->id;
    return family == Family::Attempt ? attempt_key(delivery.message, attempt)
                                     : attempt_by_endpoint_key(endpoint_, attempt);
  }

  // In pages of one.
  template <typename T, typename List, typename Id>
  std::vector<Ksuid> pages(List list, Id id_of, Order order) {
    std::vector<Ksuid> ids;
    Page page{.order = order, .limit = 1};
    while (true) {
      const Result<Listed<T>> listed = list(page);
      EXPECT_TRUE(listed.ok()) << listed.error().text();
      if (!listed.ok()) return ids;
      for (const T& item : listed->items) ids.push_back(id_of(item));
      if (!listed->has_more || ids.size() > 3) return ids;
      page.after = ids.back();
    }
  }

  std::vector<Ksuid> first_and_last(Order order) const {
    std::vector<Ksuid> ids = {all_[0].message.id.ksuid(), all_[2].message.id.ksuid()};
    if (order == Order::Descending) std::swap(ids[0], ids[1]);
    return ids;
  }

  static void expect_one_damage(const RocksStore& store, const std::string& name) {
    const StoreCondition condition = store.condition();
    ASSERT_EQ(condition.damage.size(), 1U);
    EXPECT_EQ(condition.damage[0].name, name);
  }

  std::vector<Acceptance> all_;
  std::vector<model::Settlement> attempts_;
};

constexpr Order kOrders[] = {Order::Ascending, Order::Descending};

TEST_F(DamagedRow, MessagesAreListedWithoutIt) {
  const auto store = store_with_damaged(Family::Message);
  for (const Order order : kOrders) {
    const auto ids =
        pages<model::Message>([&](const Page& page) { return store->messages(application_, page); },
                              [](const model::Message& one) { return one.id.ksuid(); }, order);
    EXPECT_EQ(ids, first_and_last(order));
  }
  expect_one_damage(*store, "message " + all_[1].message.id.text());
}

TEST_F(DamagedRow, DeliveriesAndDeadLettersAreListedWithoutIt) {
  const auto store = store_with_damaged(Family::Delivery);
  for (const Order order : kOrders) {
    const auto ids = pages<model::Delivery>(
        [&](const Page& page) { return store->deliveries_of_endpoint(endpoint_, page); },
        [](const model::Delivery& one) { return one.key.message.ksuid(); }, order);
    EXPECT_EQ(ids, first_and_last(order));
  }
  const auto dead = store->dead_letters({.application = application_});
  ASSERT_TRUE(dead.ok()) << dead.error().text();
  EXPECT_EQ(dead->items.size(), 2U);
  EXPECT_TRUE(store->deliveries_of_message(all_[1].message.id)->empty());
  expect_one_damage(*store, "delivery " + endpoint_.text() + ' ' + all_[1].message.id.text());
}

TEST_F(DamagedRow, AttemptsAreListedWithoutIt) {
  const auto store = store_with_damaged(Family::Attempt);
  for (const Order order : kOrders) {
    const auto ids = pages<model::Attempt>(
        [&](const Page& page) { return store->attempts_of_endpoint(endpoint_, {}, page); },
        [](const model::Attempt& one) { return one.id.ksuid(); }, order);
    EXPECT_EQ(ids.size(), 2U);
  }
  EXPECT_TRUE(store->attempts_of_message(all_[1].message.id, {}, {})->items.empty());
  expect_one_damage(*store, "attempt " + attempts_[1].attempt->id.text());
}

TEST_F(DamagedRow, AttemptsOfAnEndpointAreListedWithoutADamagedEntry) {
  const auto store = store_with_damaged(Family::AttemptByEndpoint);
  const auto listed = store->attempts_of_endpoint(endpoint_, {}, {});
  ASSERT_TRUE(listed.ok()) << listed.error().text();
  EXPECT_EQ(listed->items.size(), 2U);
  expect_one_damage(*store, "attempt index " + attempts_[1].attempt->id.text());
}

TEST_F(DamagedRow, TasksAreListedAndTakenUpWithoutIt) {
  std::vector<model::Task> tasks(3);
  std::vector<Change> changes;
  for (model::Task& task : tasks) {
    task.id = TaskId(ksuid());
    changes.emplace_back(CreateTask{task});
  }
  ASSERT_TRUE(change(*open(), changes).ok());
  break_record(Family::Task, task_key(tasks[1].organisation, tasks[1].id).slice());

  for (const bool is_start : {true, false}) {
    const auto store = open();
    if (is_start) {
      const auto under_way = store->tasks_under_way();
      ASSERT_TRUE(under_way.ok()) << under_way.error().text();
      EXPECT_EQ(under_way->size(), 2U);
    } else {
      for (const Order order : kOrders) {
        const auto ids = pages<model::Task>(
            [&](const Page& page) { return store->tasks(tasks[0].organisation, page); },
            [](const model::Task& one) { return one.id.ksuid(); }, order);
        EXPECT_EQ(ids.size(), 2U);
      }
    }
    expect_one_damage(*store, "task " + tasks[1].id.text());
  }
}

TEST_F(DamagedRow, SuspectsAreRecalledWithoutIt) {
  std::vector<Change> changes;
  std::vector<model::DeliveryKey> keys;
  for (int i = 0; i < 3; ++i) {
    keys.push_back({endpoint_, MessageId(ksuid())});
    changes.emplace_back(KeepSuspect{keys.back(), model::Suspect{.delivery = keys.back()}});
  }
  ASSERT_TRUE(change(*open(), changes).ok());
  const model::DeliveryKey& broken = keys[1];
  break_record(Family::Suspect, delivery_key(broken).slice());

  const auto store = open();
  const auto suspects = store->suspects();
  ASSERT_TRUE(suspects.ok()) << suspects.error().text();
  EXPECT_EQ(suspects->size(), 2U);
  expect_one_damage(*store, "suspect " + broken.endpoint.text() + ' ' + broken.message.text());
}

}  // namespace
}  // namespace petrel::store
