// What a store does with tasks, and with the settlements that go along in a change set. For every
// kind of store.

#include "harness.h"

namespace petrel::store {
namespace {

using model::DeliveryState;
using std::chrono::seconds;

void expect_kind(const Status& status, ErrorKind kind) {
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, kind);
}

class TaskTest : public StoreTest {
 protected:
  model::Task task() {
    model::Task made;
    made.id = TaskId(make_.ksuid());
    made.organisation = make_.organisation;
    made.application = make_.application_id();
    made.created_at = made.updated_at = clock_.wall();
    return made;
  }

  model::Task created() {
    model::Task made = task();
    EXPECT_TRUE(change(store(), CreateTask{made}).ok());
    return made;
  }

  static model::Task next(model::Task task) {
    ++task.revision;
    ++task.progress.done;
    return task;
  }

  // A dead letter of a message that was just accepted.
  model::Delivery dead_letter() {
    const ApplicationId application = make_.application_id();
    const Acceptance message = accepted(application, {make_.endpoint_id()});
    const model::Settlement death = make_.dead(message.deliveries.front());
    EXPECT_TRUE(settle(store(), {death}).ok());
    return death.delivery;
  }

  DeliveryState state_of(const model::Delivery& delivery) {
    return browse().delivery(delivery.key)->state;
  }

  std::size_t dead_letters_of(const model::Delivery& delivery) {
    return browse().dead_letters({.application = delivery.application})->items.size();
  }

  static model::Settlement discarded(const model::Delivery& dead) {
    model::Settlement made;
    made.state_before = dead.state;
    made.due_before = dead.due_at;
    made.delivery = dead;
    made.delivery.state = DeliveryState::Discarded;
    made.delivery.reason.reset();
    return made;
  }
};

TEST_P(TaskTest, IsGivenBackAsItWasWritten) {
  const model::Task made = created();

  EXPECT_EQ(browse().task(made.organisation, made.id).value(), made);
  const OrganisationId other(make_.ksuid());
  EXPECT_EQ(browse().task(other, made.id).error().kind, ErrorKind::NotFound);
}

TEST_P(TaskTest, CreatingItAgainIsDoneAndAnotherOfItsIdIsAConflict) {
  const model::Task made = created();

  EXPECT_TRUE(change(store(), CreateTask{made}).ok());
  expect_kind(change(store(), CreateTask{next(made)}), ErrorKind::Conflict);
}

TEST_P(TaskTest, OnlyTheNextRevisionIsTaken) {
  const model::Task first = created();
  const model::Task second = next(first);
  model::Task rival = next(first);
  rival.state = model::TaskState::Paused;

  ASSERT_TRUE(change(store(), UpdateTask{second}).ok());
  expect_kind(change(store(), UpdateTask{rival}), ErrorKind::Conflict);
  expect_kind(change(store(), UpdateTask{first}), ErrorKind::Conflict);

  EXPECT_EQ(browse().task(first.organisation, first.id).value(), second);
  EXPECT_TRUE(change(store(), UpdateTask{second}).ok()) << "the same again is done";
  EXPECT_TRUE(change(store(), UpdateTask{next(second)}).ok());
}

TEST_P(TaskTest, WhatIsNotThereCannotBeUpdated) {
  expect_kind(change(store(), UpdateTask{next(task())}), ErrorKind::NotFound);
}

TEST_P(TaskTest, AreListedByOrganisationInTheOrderOfTheirIds) {
  std::vector<model::Task> made;
  for (int i = 0; i < 3; ++i) made.push_back(created());
  model::Task foreign = task();
  foreign.organisation = OrganisationId(make_.ksuid());
  ASSERT_TRUE(change(store(), CreateTask{foreign}).ok());

  const auto first = browse().tasks(make_.organisation, {.limit = 2});
  EXPECT_EQ(first->items, (std::vector{made[0], made[1]}));
  EXPECT_TRUE(first->has_more);
  const auto rest = browse().tasks(make_.organisation, {.after = made[1].id.ksuid()});
  EXPECT_EQ(rest->items, std::vector{made[2]});
  EXPECT_FALSE(rest->has_more);
  const auto newest = browse().tasks(make_.organisation, {.order = Order::Descending, .limit = 1});
  EXPECT_EQ(newest->items, std::vector{made[2]});
}

TEST_P(TaskTest, ThoseUnderWayAreTheRunningAndThePausedOfEverybody) {
  model::Task running = created();
  model::Task paused = task();
  paused.organisation = OrganisationId(make_.ksuid());
  paused.state = model::TaskState::Paused;
  model::Task finished = task();
  finished.state = model::TaskState::Finished;
  ASSERT_TRUE(
      change(store(), ChangeSet{.changes = {CreateTask{paused}, CreateTask{finished}}}).ok());

  EXPECT_EQ(browse().tasks_under_way()->size(), 2U);
}

TEST_P(TaskTest, WhatATaskDoesIsWrittenWithHowFarItHasCome) {
  const model::Delivery dead = dead_letter();
  const model::Task first = created();

  ASSERT_TRUE(change(store(), ChangeSet{.changes = {UpdateTask{next(first)}},
                                        .settlements = {make_.replayed(dead, kNoon)}})
                  .ok());

  EXPECT_EQ(state_of(dead), DeliveryState::Pending);
  EXPECT_EQ(browse().task(first.organisation, first.id)->progress.done, 1U);
  EXPECT_EQ(dead_letters_of(dead), 0U);
  EXPECT_EQ(load_due(store(), {.endpoint = dead.key.endpoint})->deliveries.size(), 1U);
  EXPECT_EQ(browse().tally(dead.key.endpoint)->live_fresh, 1U);
}

TEST_P(TaskTest, AStaleTaskDoesNothing) {
  const model::Delivery dead = dead_letter();
  const model::Task first = created();
  ASSERT_TRUE(change(store(), UpdateTask{next(first)}).ok());
  model::Task rival = next(first);
  rival.progress.skipped = 5;

  expect_kind(change(store(), ChangeSet{.changes = {UpdateTask{rival}},
                                        .settlements = {make_.replayed(dead, kNoon)}}),
              ErrorKind::Conflict);

  EXPECT_EQ(state_of(dead), DeliveryState::Dead);
  EXPECT_EQ(dead_letters_of(dead), 1U);
}

TEST_P(TaskTest, ASettlementOfASetThatIsLateHasNoEffectAndTheRestHas) {
  const model::Delivery dead = dead_letter();
  const model::Settlement replayed = make_.replayed(dead, kNoon + seconds(1));
  ASSERT_TRUE(settle(store(), {replayed, make_.dead(replayed.delivery)}).ok());
  const model::Task first = created();

  ASSERT_TRUE(change(store(), ChangeSet{.changes = {UpdateTask{next(first)}},
                                        .settlements = {make_.replayed(dead, kNoon)}})
                  .ok());

  EXPECT_EQ(state_of(dead), DeliveryState::Dead);
  EXPECT_EQ(browse().task(first.organisation, first.id)->progress.done, 1U);
}

TEST_P(TaskTest, WhatIsDiscardedIsNoDeadLetterAnyMoreAndCanBeReplayed) {
  const model::Delivery dead = dead_letter();

  ASSERT_TRUE(settle(store(), {discarded(dead)}).ok());

  EXPECT_EQ(state_of(dead), DeliveryState::Discarded);
  EXPECT_EQ(dead_letters_of(dead), 0U);
  EXPECT_EQ(browse().tally(dead.key.endpoint)->dead_total(), 0U);
  ASSERT_TRUE(settle(store(), {make_.replayed(discarded(dead).delivery, kNoon)}).ok());
  EXPECT_EQ(state_of(dead), DeliveryState::Pending);
  EXPECT_EQ(browse().tally(dead.key.endpoint)->live_fresh, 1U);
}

INSTANTIATE_TEST_SUITE_P(Every, TaskTest, testing::ValuesIn(subject_kinds()), name_of_kind);

}  // namespace
}  // namespace petrel::store
