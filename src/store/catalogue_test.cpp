#include "store/catalogue.h"

#include <gtest/gtest.h>

namespace petrel::store {
namespace {

class CatalogueTest : public testing::Test {
 protected:
  Ksuid ksuid() { return maker_.make(wall_from_unix_seconds(1'700'000'000)); }

  model::Application application(OrganisationId organisation, std::string uid = "") {
    model::Application made;
    made.id = ApplicationId(ksuid());
    made.organisation = organisation;
    made.uid = std::move(uid);
    return made;
  }

  model::Endpoint endpoint(ApplicationId of, std::string uid = "") {
    model::Endpoint made(signature::KeyRing{signature::Secret::generate(random_)});
    made.id = EndpointId(ksuid());
    made.application = of;
    made.uid = std::move(uid);
    return made;
  }

  SeededSecureRandom random_{1};
  KsuidMaker maker_{random_};
  OrganisationId ours_{ksuid()};
  OrganisationId theirs_{ksuid()};
  Catalogue catalogue_;
};

TEST_F(CatalogueTest, FindsAnApplicationByIdAndByUid) {
  const model::Application acme = application(ours_, "acme");
  catalogue_.put(acme);

  ASSERT_TRUE(catalogue_.application(acme.id));
  EXPECT_EQ(*catalogue_.application(acme.id), acme);
  EXPECT_EQ(catalogue_.find_application(ours_, acme.id.text()), catalogue_.application(acme.id));
  EXPECT_EQ(catalogue_.find_application(ours_, "acme"), catalogue_.application(acme.id));
  EXPECT_FALSE(catalogue_.find_application(ours_, "other"));
}

TEST_F(CatalogueTest, NeverFindsWhatIsAnotherOrganisations) {
  const model::Application acme = application(ours_, "acme");
  catalogue_.put(acme);
  catalogue_.put(application(theirs_));

  EXPECT_FALSE(catalogue_.find_application(theirs_, "acme"));
  EXPECT_FALSE(catalogue_.find_application(theirs_, acme.id.text()));
  EXPECT_EQ(catalogue_.applications_of(theirs_).size(), 1U);
}

TEST_F(CatalogueTest, NeverFindsAnEndpointOfAnotherApplication) {
  const model::Application acme = application(ours_);
  const model::Application other = application(ours_);
  const model::Endpoint endpoint_of_acme = endpoint(acme.id, "main");
  const model::Endpoint endpoint_of_other = endpoint(other.id, "main");
  catalogue_.put(acme);
  catalogue_.put(other);
  catalogue_.put(endpoint_of_acme);
  catalogue_.put(endpoint_of_other);

  EXPECT_EQ(catalogue_.find_endpoint(acme.id, "main")->id, endpoint_of_acme.id);
  EXPECT_EQ(catalogue_.find_endpoint(other.id, "main")->id, endpoint_of_other.id);
  EXPECT_FALSE(catalogue_.find_endpoint(acme.id, endpoint_of_other.id.text()));
  EXPECT_EQ(catalogue_.endpoint(endpoint_of_other.id)->application, other.id);
}

TEST_F(CatalogueTest, AUidThatWasGivenUpFindsNothing) {
  model::Application acme = application(ours_, "old");
  catalogue_.put(acme);
  acme.uid = "new";
  catalogue_.put(acme);

  EXPECT_FALSE(catalogue_.find_application(ours_, "old"));
  EXPECT_TRUE(catalogue_.find_application(ours_, "new"));
}

TEST_F(CatalogueTest, AUidThatPassedToAnotherStaysWithIt) {
  const model::Application acme = application(ours_);
  model::Endpoint first = endpoint(acme.id, "main");
  model::Endpoint second = endpoint(acme.id);
  catalogue_.put(first);
  catalogue_.put(second);

  first.uid = "";
  second.uid = "main";
  catalogue_.put(second);
  catalogue_.put(first);

  EXPECT_EQ(catalogue_.find_endpoint(acme.id, "main")->id, second.id);
}

TEST_F(CatalogueTest, AnEmptyUidFindsNothing) {
  catalogue_.put(application(ours_, ""));

  EXPECT_FALSE(catalogue_.find_application(ours_, ""));
}

TEST_F(CatalogueTest, WhatWasHandedOutNeverChanges) {
  model::Application acme = application(ours_);
  acme.name = "before";
  catalogue_.put(acme);
  const ApplicationPtr held = catalogue_.application(acme.id);

  acme.name = "after";
  catalogue_.put(acme);

  EXPECT_EQ(held->name, "before");
  EXPECT_EQ(catalogue_.application(acme.id)->name, "after");
}

TEST_F(CatalogueTest, ListsInTheOrderOfIds) {
  const model::Application acme = application(ours_);
  const model::Endpoint first = endpoint(acme.id);
  const model::Endpoint second = endpoint(acme.id);
  catalogue_.put(second);
  catalogue_.put(first);

  const std::vector<EndpointPtr> listed = catalogue_.endpoints_of(acme.id);

  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0]->id, first.id);
  EXPECT_EQ(listed[1]->id, second.id);
  EXPECT_TRUE(catalogue_.endpoints_of(ApplicationId(ksuid())).empty());
}

TEST_F(CatalogueTest, KnowsThePartOfAnEndpointsUrl) {
  model::Endpoint made = endpoint(ApplicationId(ksuid()));
  made.url = "http://127.0.0.1:8080/hook";
  catalogue_.put(made);
  EXPECT_EQ(catalogue_.part(made.id), 254);

  made.url = "https://hooks.acme.io:8443/";
  catalogue_.put(made);

  EXPECT_EQ(catalogue_.part(made.id), 150);
  EXPECT_EQ(catalogue_.part(EndpointId(ksuid())), std::nullopt);
}

TEST_F(CatalogueTest, WhatWasDeletedIsFoundByItsIdAlone) {
  const model::Application acme = application(ours_);
  model::Endpoint main = endpoint(acme.id, "main");
  catalogue_.put(acme);
  catalogue_.put(main);
  main.deleted_at = wall_from_unix_seconds(1'800'000'000);

  catalogue_.put(main);

  EXPECT_EQ(*catalogue_.endpoint(main.id), main);
  EXPECT_FALSE(catalogue_.find_endpoint(acme.id, "main"));
  EXPECT_FALSE(catalogue_.find_endpoint(acme.id, main.id.text()));
  EXPECT_TRUE(catalogue_.endpoints_of(acme.id).empty());
}

TEST_F(CatalogueTest, WithAnApplicationGoItsEndpoints) {
  model::Application acme = application(ours_, "acme");
  const model::Endpoint main = endpoint(acme.id, "main");
  catalogue_.put(acme);
  catalogue_.put(main);
  ASSERT_EQ(catalogue_.all_endpoints().size(), 1U);
  acme.deleted_at = wall_from_unix_seconds(1'800'000'000);

  catalogue_.put(acme);

  EXPECT_EQ(catalogue_.endpoint(main.id)->deleted_at, acme.deleted_at);
  EXPECT_TRUE(catalogue_.all_endpoints().empty());
  EXPECT_EQ(*catalogue_.application(acme.id), acme);
  EXPECT_FALSE(catalogue_.find_application(ours_, "acme"));
  EXPECT_FALSE(catalogue_.find_application(ours_, acme.id.text()));
  EXPECT_TRUE(catalogue_.applications_of(ours_).empty());
  EXPECT_TRUE(catalogue_.endpoints_of(acme.id).empty());
}

TEST_F(CatalogueTest, TheUidOfWhatWasDeletedIsTheNextOnes) {
  const model::Application acme = application(ours_);
  model::Endpoint first = endpoint(acme.id, "main");
  const model::Endpoint second = endpoint(acme.id, "main");
  catalogue_.put(first);
  first.deleted_at = wall_from_unix_seconds(1'800'000'000);
  catalogue_.put(first);
  catalogue_.put(second);
  catalogue_.put(first);

  EXPECT_EQ(catalogue_.find_endpoint(acme.id, "main")->id, second.id);
}

TEST_F(CatalogueTest, EventTypesAreFoundByNameAndListedByIt) {
  for (const std::string name : {"b", "a", "c"}) {
    model::EventType type;
    type.organisation = ours_;
    type.name = name;
    catalogue_.put(type);
  }
  catalogue_.remove_event_type(ours_, "c");
  catalogue_.remove_event_type(ours_, "never");

  const std::vector<EventTypePtr> listed = catalogue_.event_types_of(ours_);
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0]->name, "a");
  EXPECT_EQ(listed[1], catalogue_.find_event_type(ours_, "b"));
  EXPECT_FALSE(catalogue_.find_event_type(ours_, "c"));
  EXPECT_FALSE(catalogue_.find_event_type(theirs_, "a"));
}

TEST_F(CatalogueTest, AnEndpointDoesNotMakeItsApplication) {
  const ApplicationId unknown(ksuid());
  catalogue_.put(endpoint(unknown));

  EXPECT_FALSE(catalogue_.application(unknown));
}

}  // namespace
}  // namespace petrel::store
