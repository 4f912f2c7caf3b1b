// What the lists of Browse mean, for every kind of store.

#include <algorithm>

#include "harness.h"

namespace petrel::store {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ListTest : public StoreTest {
 protected:
  // The ids of all pages, walked through one after the other.
  template <typename List, typename IdOf>
  std::vector<Ksuid> walk(Order order, std::size_t limit, List list, IdOf id_of) {
    std::vector<Ksuid> ids;
    Page page{.after = {}, .order = order, .limit = limit};
    for (bool has_more = true; has_more;) {
      const auto listed = list(page);
      EXPECT_TRUE(listed.ok());
      EXPECT_LE(listed->items.size(), limit);
      for (const auto& item : listed->items) ids.push_back(id_of(item));
      has_more = listed->has_more;
      EXPECT_TRUE(!has_more || listed->items.size() == limit);
      if (!ids.empty()) page.after = ids.back();
    }
    return ids;
  }

  // Both ways, in pages that fit exactly and pages that do not, against what is expected.
  template <typename List, typename IdOf>
  void expect_list(std::vector<Ksuid> expected, List list, IdOf id_of) {
    for (const std::size_t limit :
         {std::size_t{1}, std::size_t{3}, expected.size(), std::size_t{1000}}) {
      if (limit == 0) continue;
      EXPECT_EQ(walk(Order::Ascending, limit, list, id_of), expected);
      std::reverse(expected.begin(), expected.end());
      EXPECT_EQ(walk(Order::Descending, limit, list, id_of), expected);
      std::reverse(expected.begin(), expected.end());
    }
  }

  std::vector<model::Attempt> attempts_of_endpoint(AttemptFilter filter) {
    return browse().attempts_of_endpoint(endpoint_, filter, {})->items;
  }

  model::Settlement settled_by(policy::Outcome outcome) {
    const Acceptance given = accepted(application_, {endpoint_});
    model::Settlement settlement = make_.delivered(given.deliveries[0]);
    settlement.attempt->outcome = outcome;
    EXPECT_TRUE(settle(store(), {settlement}).ok());
    return settlement;
  }

  ApplicationId application_{make_.ksuid()};
  EndpointId endpoint_{make_.ksuid()};
};

TEST_P(ListTest, MessagesOfAnApplicationArePagedBothWays) {
  std::vector<Ksuid> expected;
  const ApplicationId other = make_.application_id();
  for (int i = 0; i < 7; ++i) {
    expected.push_back(accepted(application_, {}).message.id.ksuid());
    accepted(other, {});
  }

  expect_list(
      expected, [&](Page page) { return browse().messages(application_, page); },
      [](const model::Message& message) { return message.id.ksuid(); });
}

TEST_P(ListTest, DeliveriesOfAnEndpointArePagedBothWays) {
  std::vector<Ksuid> expected;
  const EndpointId other = make_.endpoint_id();
  for (int i = 0; i < 7; ++i) {
    expected.push_back(accepted(application_, {endpoint_, other}).message.id.ksuid());
  }

  expect_list(
      expected, [&](Page page) { return browse().deliveries_of_endpoint(endpoint_, page); },
      [](const model::Delivery& delivery) { return delivery.key.message.ksuid(); });
}

TEST_P(ListTest, AttemptsOfAMessageArePagedBothWays) {
  model::Delivery delivery = accepted(application_, {endpoint_}).deliveries[0];
  std::vector<Ksuid> expected;
  for (int i = 1; i <= 7; ++i) {
    const model::Settlement retry = make_.retrying(delivery, kNoon + seconds(i));
    ASSERT_TRUE(settle(store(), {retry}).ok());
    delivery = retry.delivery;
    expected.push_back(retry.attempt->id.ksuid());
    settled_by(policy::Outcome::answered(200));
  }

  expect_list(
      expected,
      [&](Page page) { return browse().attempts_of_message(delivery.key.message, {}, page); },
      [](const model::Attempt& attempt) { return attempt.id.ksuid(); });
}

TEST_P(ListTest, AttemptsOfAnEndpointArePagedBothWays) {
  std::vector<Ksuid> expected;
  for (int i = 0; i < 7; ++i) {
    expected.push_back(settled_by(policy::Outcome::answered(200)).attempt->id.ksuid());
    const Acceptance elsewhere = accepted(application_, {make_.endpoint_id()});
    ASSERT_TRUE(settle(store(), {make_.delivered(elsewhere.deliveries[0])}).ok());
  }

  expect_list(
      expected, [&](Page page) { return browse().attempts_of_endpoint(endpoint_, {}, page); },
      [](const model::Attempt& attempt) { return attempt.id.ksuid(); });
}

TEST_P(ListTest, AnAttemptIsListedWhole) {
  const Acceptance given = accepted(application_, {endpoint_});
  model::Settlement settlement = make_.delivered(given.deliveries[0]);
  settlement.attempt->response = std::string("\0\xFF{}", 4);
  settlement.attempt->error = "";
  settlement.attempt->trigger = model::Trigger::Manual;
  settlement.attempt->timings.first_byte = milliseconds(7);
  ASSERT_TRUE(settle(store(), {settlement}).ok());

  EXPECT_EQ(attempts_of_endpoint({}), std::vector{*settlement.attempt});
  EXPECT_EQ(browse().attempts_of_message(given.message.id, {}, {})->items,
            std::vector{*settlement.attempt});
}

TEST_P(ListTest, AttemptsAreFilteredByHowTheyEnded) {
  const auto good = settled_by(policy::Outcome::answered(204));
  const auto refused = settled_by(policy::Outcome::answered(404));
  const auto failed = settled_by(policy::Outcome::answered(503));
  const auto unanswered = settled_by(policy::Outcome::failed(policy::FailureKind::Timeout));

  EXPECT_EQ(attempts_of_endpoint({.is_success = true}), std::vector{*good.attempt});
  EXPECT_EQ(attempts_of_endpoint({.is_success = false}),
            (std::vector{*refused.attempt, *failed.attempt, *unanswered.attempt}));
  EXPECT_EQ(attempts_of_endpoint({.status_class = 4}), std::vector{*refused.attempt});
  EXPECT_EQ(attempts_of_endpoint({.status_class = 5}), std::vector{*failed.attempt});
  EXPECT_EQ(attempts_of_endpoint({.status_class = 0}), std::vector{*unanswered.attempt});
  EXPECT_EQ(
      browse().attempts_of_message(failed.delivery.key.message, {.is_success = true}, {})->items,
      std::vector<model::Attempt>());
}

TEST_P(ListTest, AttemptsAreFilteredByTime) {
  std::vector<model::Attempt> made;
  for (int i = 0; i < 3; ++i) {
    const Acceptance given = accepted(application_, {endpoint_});
    model::Settlement settlement = make_.delivered(given.deliveries[0]);
    settlement.attempt->id = AttemptId(make_.ksuid(kNoon + seconds(i)));
    ASSERT_TRUE(settle(store(), {settlement}).ok());
    made.push_back(*settlement.attempt);
  }

  EXPECT_EQ(attempts_of_endpoint({.before = kNoon + seconds(1)}), std::vector{made[0]});
  EXPECT_EQ(attempts_of_endpoint({.after = kNoon + seconds(1)}), std::vector{made[2]});
  EXPECT_EQ(attempts_of_endpoint({.before = kNoon + seconds(2), .after = kNoon}),
            std::vector{made[1]});
}

// A store may stop looking before it has found anything; then it says where to go on.
TEST_P(ListTest, WhatIsRareIsFoundHoweverFarBackItStands) {
  constexpr int kMany = 20'100;
  std::vector<Acceptance> batch;
  for (int i = 0; i < kMany; ++i) batch.push_back(make_.acceptance(application_, {endpoint_}));
  ASSERT_TRUE(accept(store(), batch).ok());
  std::vector<model::Settlement> settlements;
  for (int i = 0; i < kMany; ++i) {
    settlements.push_back(make_.delivered(batch[static_cast<std::size_t>(i)].deliveries[0]));
    settlements.back().attempt->id = AttemptId(make_.ksuid(kNoon + milliseconds(10 * i)));
  }
  settlements.front().attempt->outcome = policy::Outcome::answered(500);
  ASSERT_TRUE(settle(store(), settlements).ok());

  std::vector<model::Attempt> found;
  Page page{.after = {}, .order = Order::Descending, .limit = 50};
  int questions = 0;
  for (bool has_more = true; has_more && questions < 10; ++questions) {
    const auto listed = browse().attempts_of_endpoint(endpoint_, {.is_success = false}, page);
    ASSERT_TRUE(listed.ok());
    found.insert(found.end(), listed->items.begin(), listed->items.end());
    has_more = listed->has_more;
    ASSERT_EQ(listed->looked_until.has_value(), has_more);
    if (has_more) page.after = listed->looked_until;
  }

  EXPECT_EQ(found, std::vector{*settlements.front().attempt});
  EXPECT_LE(questions, 3);
}

TEST_P(ListTest, AttemptsOfAMessageAreFilteredByEndpoint) {
  const EndpointId other = make_.endpoint_id();
  const Acceptance given = accepted(application_, {endpoint_, other});
  const model::Settlement ours = make_.delivered(given.deliveries[0]);
  ASSERT_TRUE(settle(store(), {ours, make_.delivered(given.deliveries[1])}).ok());

  EXPECT_EQ(browse().attempts_of_message(given.message.id, {.endpoint = endpoint_}, {})->items,
            std::vector{*ours.attempt});
}

TEST_P(ListTest, MoreIsOnlySaidOfWhatTheFilterLetsThrough) {
  settled_by(policy::Outcome::answered(200));
  settled_by(policy::Outcome::answered(500));

  const auto listed =
      browse().attempts_of_endpoint(endpoint_, {.is_success = true}, Page{.after = {}, .limit = 1});

  EXPECT_EQ(listed->items.size(), 1U);
  EXPECT_FALSE(listed->has_more);
}

TEST_P(ListTest, DeadLettersAreInTheOrderOfTheirDeath) {
  std::vector<model::Settlement> deaths;
  for (const int at : {30, 10, 20}) {
    const Acceptance given = accepted(application_, {endpoint_});
    deaths.push_back(make_.dead(given.deliveries[0], kNoon + seconds(at)));
  }
  ASSERT_TRUE(settle(store(), deaths).ok());

  DeadQuery query{.application = application_, .endpoint = endpoint_, .after = {}, .limit = 2};
  const auto first = browse().dead_letters(query);
  const model::Delivery& last = first->items.at(1);
  query.after = DeadPosition{endpoint_, last.updated_at, last.key.message};
  const auto second = browse().dead_letters(query);
  query.order = Order::Descending;
  const auto back = browse().dead_letters(query);

  EXPECT_EQ(first->items, (std::vector{deaths[1].delivery, deaths[2].delivery}));
  EXPECT_TRUE(first->has_more);
  EXPECT_EQ(second->items, std::vector{deaths[0].delivery});
  EXPECT_FALSE(second->has_more);
  EXPECT_EQ(back->items, std::vector{deaths[1].delivery});
}

TEST_P(ListTest, DeadLettersOfOthersAreNotListed) {
  const EndpointId other = make_.endpoint_id();
  const ApplicationId tenant = make_.application_id();
  const Acceptance ours = accepted(application_, {endpoint_, other});
  const Acceptance theirs = accepted(tenant, {make_.endpoint_id()});
  ASSERT_TRUE(settle(store(), {make_.dead(ours.deliveries[0]), make_.dead(ours.deliveries[1]),
                               make_.dead(theirs.deliveries[0])})
                  .ok());

  EXPECT_EQ(browse().dead_letters({.application = application_})->items.size(), 2U);
  EXPECT_EQ(browse().dead_letters({.application = application_, .endpoint = other})->items.size(),
            1U);
  EXPECT_EQ(browse().dead_letters({.application = tenant})->items.size(), 1U);
  EXPECT_TRUE(browse().dead_letters({.application = tenant, .endpoint = endpoint_})->items.empty());
}

TEST_P(ListTest, AMessageIsFoundOnlyInItsOwnApplication) {
  const Acceptance given = accepted(application_, {endpoint_});

  const auto elsewhere = browse().message(make_.application_id(), given.message.id);

  ASSERT_FALSE(elsewhere.ok());
  EXPECT_EQ(elsewhere.error().kind, ErrorKind::NotFound);
}

TEST_P(ListTest, WhatIsNotThereIsNotFound) {
  const MessageId nothing(make_.ksuid());

  EXPECT_EQ(browse().message(application_, nothing).error().kind, ErrorKind::NotFound);
  EXPECT_EQ(browse().delivery({endpoint_, nothing}).error().kind, ErrorKind::NotFound);
  EXPECT_TRUE(browse().deliveries_of_message(nothing)->empty());
  EXPECT_TRUE(browse().messages(application_, {})->items.empty());
  EXPECT_TRUE(browse().attempts_of_message(nothing, {}, {})->items.empty());
}

TEST_P(ListTest, CountsWhatThereIs) {
  const model::Application acme = make_.application();
  ASSERT_TRUE(create(store(), acme).ok());
  ASSERT_TRUE(create(store(), make_.endpoint(acme.id)).ok());
  for (int i = 0; i < 4; ++i) accepted(acme.id, {endpoint_});
  const auto queue = load_due(store(), {.endpoint = endpoint_})->deliveries;
  ASSERT_TRUE(settle(store(), {make_.delivered(queue[0]), make_.dead(queue[1]),
                               make_.retrying(queue[2], kNoon + seconds(5))})
                  .ok());

  const Result<StoreCounts> counts = browse().count();

  EXPECT_EQ(counts->applications, 1U);
  EXPECT_EQ(counts->endpoints, 1U);
  EXPECT_EQ(counts->messages, 4U);
  EXPECT_EQ(counts->deliveries_live, 2U);
  EXPECT_EQ(counts->deliveries_dead, 1U);
  EXPECT_EQ(counts->deliveries_delivered, 1U);
  EXPECT_EQ(counts->attempts, 3U);
}

INSTANTIATE_TEST_SUITE_P(Every, ListTest, testing::ValuesIn(subject_kinds()), name_of_kind);

}  // namespace
}  // namespace petrel::store
