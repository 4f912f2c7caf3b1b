// What creating and changing applications and endpoints means, for every kind of store.

#include "harness.h"

namespace petrel::store {
namespace {

class ChangeTest : public StoreTest {
 protected:
  model::Application created(std::string uid = "") {
    model::Application made = make_.application(std::move(uid));
    EXPECT_TRUE(create(store(), made).ok());
    return made;
  }

  model::Endpoint created_endpoint(ApplicationId of, std::string uid = "") {
    model::Endpoint made = make_.endpoint(of, std::move(uid));
    EXPECT_TRUE(create(store(), made).ok());
    return made;
  }

  static void expect_kind(const Status& status, ErrorKind kind) {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind, kind);
  }
};

TEST_P(ChangeTest, WhatWasCreatedIsThereWhole) {
  model::Application application = make_.application("acme");
  application.throttle_rate = 5;
  application.timeout = std::chrono::seconds(3);
  application.tokens_valid_from = kNoon;
  model::Endpoint endpoint = make_.endpoint(application.id, "main");
  endpoint.event_types = {"a", "b"};
  endpoint.headers = {{"x-one", "1"}};
  endpoint.ca_pem = "ca";
  endpoint.client_certificate_pem = "certificate";
  endpoint.client_key_pem = "key";
  endpoint.pause = model::Pause{kNoon, "the receiver answered 410"};
  endpoint.retry_policy = policy::RetryPolicy();

  ASSERT_TRUE(create(store(), application).ok());
  ASSERT_TRUE(create(store(), endpoint).ok());

  EXPECT_EQ(browse().all_applications().value(), std::vector{application});
  EXPECT_EQ(browse().all_endpoints().value(), std::vector{endpoint});
}

TEST_P(ChangeTest, AUidIsTakenOncePerOrganisation) {
  created("acme");
  expect_kind(create(store(), make_.application("acme")), ErrorKind::Conflict);

  model::Application elsewhere = make_.application("acme");
  elsewhere.organisation = OrganisationId(make_.ksuid());
  EXPECT_TRUE(create(store(), elsewhere).ok());
}

TEST_P(ChangeTest, AnEndpointsUidIsTakenOncePerApplication) {
  const model::Application acme = created();
  const model::Application other = created();
  created_endpoint(acme.id, "main");

  expect_kind(create(store(), make_.endpoint(acme.id, "main")), ErrorKind::Conflict);
  EXPECT_TRUE(create(store(), make_.endpoint(other.id, "main")).ok());
}

TEST_P(ChangeTest, AnEndpointMayBelongToAnApplicationWithoutARecord) {
  const model::Endpoint made = created_endpoint(ApplicationId(make_.ksuid()), "main");

  EXPECT_EQ(browse().all_endpoints().value(), std::vector{made});
}

TEST_P(ChangeTest, AnEmptyUidIsNeverTaken) {
  created("");
  created("");
  EXPECT_EQ(browse().all_applications()->size(), 2U);
}

TEST_P(ChangeTest, WhatWasRefusedLeavesNoTrace) {
  created("acme");
  expect_kind(create(store(), make_.application("acme")), ErrorKind::Conflict);
  EXPECT_EQ(browse().all_applications()->size(), 1U);
}

TEST_P(ChangeTest, CreatingTheSameAgainIsDoneAlready) {
  const model::Application acme = created("acme");
  const model::Endpoint main = created_endpoint(acme.id, "main");

  EXPECT_TRUE(create(store(), acme).ok());
  EXPECT_TRUE(create(store(), main).ok());
  EXPECT_EQ(browse().all_applications()->size(), 1U);
}

TEST_P(ChangeTest, CreatingAnotherOfTheSameIdIsAConflict) {
  model::Application acme = created("acme");
  acme.name = "other";
  expect_kind(create(store(), acme), ErrorKind::Conflict);
  model::Endpoint main = created_endpoint(acme.id);
  main.url = "https://example.com/other";
  expect_kind(create(store(), main), ErrorKind::Conflict);
}

TEST_P(ChangeTest, AnUpdateReplacesTheWholeRecord) {
  model::Application acme = created("acme");
  model::Endpoint main = created_endpoint(acme.id, "main");
  acme.name = "New name";
  acme.metadata.clear();
  main.is_disabled = true;

  ASSERT_TRUE(update(store(), acme).ok());
  ASSERT_TRUE(update(store(), main).ok());

  EXPECT_EQ(browse().all_applications().value(), std::vector{acme});
  EXPECT_EQ(browse().all_endpoints().value(), std::vector{main});
}

TEST_P(ChangeTest, UpdatingWhatIsNotThereIsNotFound) {
  expect_kind(update(store(), make_.application()), ErrorKind::NotFound);
  expect_kind(update(store(), make_.endpoint(make_.application_id())), ErrorKind::NotFound);
}

TEST_P(ChangeTest, AnUpdateCannotTakeAnothersUid) {
  created("acme");
  model::Application other = created("other");
  other.uid = "acme";
  expect_kind(update(store(), other), ErrorKind::Conflict);

  const ApplicationId id = make_.application_id();
  created_endpoint(id, "main");
  model::Endpoint second = created_endpoint(id, "second");
  second.uid = "main";
  expect_kind(update(store(), second), ErrorKind::Conflict);
}

TEST_P(ChangeTest, AUidThatWasGivenUpIsFree) {
  model::Application acme = created("acme");
  acme.uid = "renamed";
  ASSERT_TRUE(update(store(), acme).ok());

  EXPECT_TRUE(create(store(), make_.application("acme")).ok());
  expect_kind(create(store(), make_.application("renamed")), ErrorKind::Conflict);
}

TEST_P(ChangeTest, AnUpdateMayKeepItsUid) {
  model::Application acme = created("acme");
  acme.name = "New name";
  EXPECT_TRUE(update(store(), acme).ok());
  expect_kind(create(store(), make_.application("acme")), ErrorKind::Conflict);
}

TEST_P(ChangeTest, UidsOfApplicationsEndpointsAndEventsDoNotMeet) {
  const model::Application acme = created("same");
  created_endpoint(acme.id, "same");
  Acceptance message = make_.acceptance(acme.id, {});
  message.message.event_id = "same";

  EXPECT_EQ(accept(store(), {message})->at(0).kind, Accepted::Kind::New);
}

TEST_P(ChangeTest, ChangesThatAreUnderWayTogetherSeeEachOther) {
  std::vector<std::future<Status>> answers;
  for (int i = 0; i < 50; ++i) {
    auto promise = std::make_shared<std::promise<Status>>();
    answers.push_back(promise->get_future());
    store().change({.changes = {CreateApplication{make_.application("acme")}}},
                   [promise](Status status) { promise->set_value(std::move(status)); });
  }
  int created_ones = 0;
  for (std::future<Status>& answer : answers) created_ones += answer.get().ok() ? 1 : 0;

  EXPECT_EQ(created_ones, 1);
  EXPECT_EQ(browse().all_applications()->size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Every, ChangeTest, testing::ValuesIn(subject_kinds()), name_of_kind);

}  // namespace
}  // namespace petrel::store
