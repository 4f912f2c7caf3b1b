// What deleting applications and endpoints means, for every kind of store.

#include "harness.h"

namespace petrel::store {
namespace {

constexpr WallTime kLater = kNoon + std::chrono::hours(1);

void expect_kind(const Status& status, ErrorKind kind) {
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, kind);
}

class DeletionTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_TRUE(create(store(), acme_).ok());
    ASSERT_TRUE(create(store(), main_).ok());
  }

  model::Application acme_ = make_.application("acme");
  model::Endpoint main_ = make_.endpoint(acme_.id, "main");
};

TEST_P(DeletionTest, TheRecordStaysAndSaysWhen) {
  ASSERT_TRUE(change(store(), DeleteEndpoint{main_.id, kLater}).ok());

  main_.deleted_at = kLater;
  EXPECT_EQ(browse().all_endpoints().value(), std::vector{main_});
  EXPECT_EQ(browse().all_applications().value(), std::vector{acme_});
}

TEST_P(DeletionTest, TheUidIsFree) {
  ASSERT_TRUE(change(store(), DeleteEndpoint{main_.id, kLater}).ok());
  EXPECT_TRUE(create(store(), make_.endpoint(acme_.id, "main")).ok());

  ASSERT_TRUE(change(store(), DeleteApplication{acme_.id, kLater}).ok());
  EXPECT_TRUE(create(store(), make_.application("acme")).ok());
}

TEST_P(DeletionTest, WithAnApplicationGoItsEndpointsAndNobodyElses) {
  const model::Application other = make_.application("other");
  const model::Endpoint theirs = make_.endpoint(other.id);
  model::Endpoint gone_before = make_.endpoint(acme_.id);
  ASSERT_TRUE(
      change(store(), ChangeSet{.changes = {CreateApplication{other}, CreateEndpoint{theirs},
                                            CreateEndpoint{gone_before}}})
          .ok());
  ASSERT_TRUE(change(store(), DeleteEndpoint{gone_before.id, kNoon}).ok());

  ASSERT_TRUE(change(store(), DeleteApplication{acme_.id, kLater}).ok());

  acme_.deleted_at = main_.deleted_at = kLater;
  gone_before.deleted_at = kNoon;
  EXPECT_EQ(browse().all_applications().value(), (std::vector{acme_, other}));
  EXPECT_EQ(browse().all_endpoints().value(), (std::vector{main_, theirs, gone_before}));
}

TEST_P(DeletionTest, AnEndpointThatIsMadeInTheSameSetGoesWithItsApplication) {
  model::Endpoint fresh = make_.endpoint(acme_.id, "fresh");
  ASSERT_TRUE(change(store(), ChangeSet{.changes = {CreateEndpoint{fresh},
                                                    DeleteApplication{acme_.id, kLater}}})
                  .ok());

  main_.deleted_at = fresh.deleted_at = kLater;
  EXPECT_EQ(browse().all_endpoints().value(), (std::vector{main_, fresh}));
}

TEST_P(DeletionTest, WhatWasDeletedCannotBeChangedNorComeBack) {
  ASSERT_TRUE(change(store(), DeleteApplication{acme_.id, kLater}).ok());

  expect_kind(update(store(), acme_), ErrorKind::NotFound);
  expect_kind(update(store(), main_), ErrorKind::NotFound);
  expect_kind(create(store(), acme_), ErrorKind::Conflict);
  expect_kind(create(store(), make_.endpoint(acme_.id)), ErrorKind::NotFound);
}

TEST_P(DeletionTest, TheSameDeletionAgainIsDoneAndAnotherIsNotFound) {
  ASSERT_TRUE(change(store(), DeleteEndpoint{main_.id, kLater}).ok());
  EXPECT_TRUE(change(store(), DeleteEndpoint{main_.id, kLater}).ok());
  expect_kind(change(store(), DeleteEndpoint{main_.id, kNoon}), ErrorKind::NotFound);

  ASSERT_TRUE(change(store(), DeleteApplication{acme_.id, kLater}).ok());
  EXPECT_TRUE(change(store(), DeleteApplication{acme_.id, kLater}).ok());
  expect_kind(change(store(), DeleteApplication{acme_.id, kNoon}), ErrorKind::NotFound);

  main_.deleted_at = kLater;
  EXPECT_EQ(browse().all_endpoints().value(), std::vector{main_});
}

TEST_P(DeletionTest, WhatIsNotThereIsNotFound) {
  expect_kind(change(store(), DeleteEndpoint{make_.endpoint_id(), kLater}), ErrorKind::NotFound);
  expect_kind(change(store(), DeleteApplication{make_.application_id(), kLater}),
              ErrorKind::NotFound);
}

TEST_P(DeletionTest, LiveDeliveriesAreStillDue) {
  const Acceptance given = accepted(acme_.id, {main_.id});

  ASSERT_TRUE(change(store(), DeleteEndpoint{main_.id, kLater}).ok());

  EXPECT_EQ(load_due(store(), {.endpoint = main_.id})->deliveries, given.deliveries);
  EXPECT_EQ(store().endpoints_with_live().value(), std::vector{main_.id});
}

INSTANTIATE_TEST_SUITE_P(Every, DeletionTest, testing::ValuesIn(subject_kinds()), name_of_kind);

}  // namespace
}  // namespace petrel::store
