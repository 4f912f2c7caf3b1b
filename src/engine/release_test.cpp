#include "engine/release.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "engine/testing/samples.h"

namespace petrel::engine {
namespace {

using model::NextBasis;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kNow = kWallStart + minutes(10);
constexpr Release::Window kOutage = {.from = kWallStart, .to = kWallStart + minutes(5)};

// Failed a minute into the outage, and due in an hour.
model::Delivery failed(int message) {
  model::Delivery delivery = retrying(message, hours(1));
  delivery.updated_at = kWallStart + minutes(1);
  delivery.next = model::Next{};
  return delivery;
}

store::DuePage page_of(std::vector<model::Delivery> deliveries, bool has_more = false) {
  return {.deliveries = std::move(deliveries), .sequence = 0, .has_more = has_more};
}

void read(Release& release, const store::DuePage& page) {
  const auto queries = release.take_queries(endpoint_id(1), 100);
  ASSERT_EQ(queries.size(), 1U);
  ASSERT_EQ(queries[0].limit, Release::kPage);
  release.loaded(queries[0], page, kNow);
}

// What is handed out next, if the chosen stand in the store as they were read.
std::vector<model::Delivery> batch_of(Release& release, const std::vector<model::Delivery>& stored,
                                      std::size_t room = 100) {
  for (const store::DueQuery& query : release.take_queries(endpoint_id(1), room)) {
    EXPECT_EQ(query.limit, 1U);
    const auto found = std::find_if(stored.begin(), stored.end(), [&](const auto& delivery) {
      return store::DuePosition{delivery.due_at, delivery.key.message} > query.after;
    });
    release.loaded(query, found == stored.end() ? page_of({}) : page_of({*found}), kNow);
  }
  return release.take_batch(room);
}

std::vector<MessageId> messages_of(const std::vector<model::Delivery>& deliveries) {
  std::vector<MessageId> messages;
  for (const model::Delivery& delivery : deliveries) messages.push_back(delivery.key.message);
  return messages;
}

std::vector<MessageId> released_of(const model::Delivery& delivery) {
  Release release(kOutage);
  read(release, page_of({delivery}));
  return messages_of(batch_of(release, {delivery}));
}

TEST(Release, TakesWhatFailedInTheOutageTheOldestMessageFirst) {
  Release release(kOutage);
  read(release, page_of({failed(3), failed(1)}, true));
  read(release, page_of({failed(2)}));

  EXPECT_EQ(messages_of(batch_of(release, {failed(1), failed(2), failed(3)})),
            (std::vector{message_id(1), message_id(2), message_id(3)}));
}

TEST(Release, ReadsOnBehindTheLastPage) {
  Release release(kOutage);
  read(release, page_of({failed(3)}, true));

  const auto queries = release.take_queries(endpoint_id(1), 100);

  ASSERT_EQ(queries.size(), 1U);
  EXPECT_EQ(queries[0].queue, store::DueClass::Retry);
  EXPECT_EQ(queries[0].after, (store::DuePosition{kWallStart + hours(1), message_id(3)}));
  EXPECT_TRUE(release.take_queries(endpoint_id(1), 100).empty()) << "one page at a time";
}

TEST(Release, LeavesAloneWhatDidNotFailInTheOutage) {
  model::Delivery delivery = failed(1);
  EXPECT_EQ(released_of(delivery).size(), 1U);

  delivery.updated_at = kOutage.from;
  EXPECT_EQ(released_of(delivery).size(), 1U);
  delivery.updated_at = kOutage.to;
  EXPECT_EQ(released_of(delivery).size(), 1U);
  delivery.updated_at = kOutage.from - std::chrono::microseconds(1);
  EXPECT_TRUE(released_of(delivery).empty());
  delivery.updated_at = kOutage.to + std::chrono::microseconds(1);
  EXPECT_TRUE(released_of(delivery).empty());
}

TEST(Release, LeavesAloneWhatIsDueAnyway) {
  model::Delivery delivery = failed(1);
  delivery.due_at = kNow;

  EXPECT_TRUE(released_of(delivery).empty());
}

TEST(Release, LeavesAloneARecordThatDoesNotSayWhatTheReceiverAskedFor) {
  model::Delivery delivery = failed(1);
  delivery.next.reset();

  EXPECT_TRUE(released_of(delivery).empty());
}

TEST(Release, KeepsToWhatTheReceiverAskedFor) {
  model::Delivery delivery = failed(1);
  delivery.next->basis = NextBasis::RetryAfter;
  delivery.next->not_before = delivery.due_at;
  EXPECT_TRUE(released_of(delivery).empty());

  delivery.next->basis = NextBasis::Schedule;
  delivery.next->not_before = kNow + minutes(1);
  EXPECT_EQ(released_of(delivery).size(), 1U);
  const model::Delivery later = release_of(delivery, kNow).delivery;
  EXPECT_EQ(later.due_at, kNow + minutes(1));
  EXPECT_EQ(later.next->basis, NextBasis::RetryAfter);
  EXPECT_TRUE(later.is_scheduled);
}

TEST(Release, LeavesAloneWhatWasReleasedUntilItsTimeFromBefore) {
  model::Delivery delivery = failed(1);
  delivery.next->released_from = kNow + seconds(1);
  EXPECT_TRUE(released_of(delivery).empty());

  delivery.next->released_from = kNow;
  EXPECT_EQ(released_of(delivery).size(), 1U);
}

TEST(Release, RemembersTheTimeThatItHadBefore) {
  const model::Settlement released = release_of(failed(1), kNow);

  EXPECT_EQ(released.state_before, model::DeliveryState::Retrying);
  EXPECT_EQ(released.due_before, kWallStart + hours(1));
  EXPECT_EQ(released.attempt, std::nullopt);
  EXPECT_EQ(released.delivery.due_at, kNow);
  EXPECT_EQ(released.delivery.next->basis, NextBasis::Release);
  EXPECT_EQ(released.delivery.progress, failed(1).progress);
  EXPECT_EQ(released.delivery.updated_at, failed(1).updated_at);

  const model::Settlement back = taken_back(released.delivery);
  EXPECT_EQ(back.due_before, kNow);
  EXPECT_EQ(back.delivery.due_at, kWallStart + hours(1));
  EXPECT_EQ(back.delivery.next->basis, NextBasis::Schedule);
}

TEST(Release, GoesNoFurtherAheadThanAFew) {
  Release release(kOutage);
  std::vector<model::Delivery> page;
  for (int n = 1; n <= 64; ++n) page.push_back(failed(n));
  read(release, page_of(page));

  const std::vector<model::Delivery> first = batch_of(release, page, 20);
  EXPECT_EQ(first.size(), 20U);
  EXPECT_EQ(batch_of(release, page).size(), 12U);
  EXPECT_TRUE(batch_of(release, page).empty());

  release.written(release_of(first[0], kNow).delivery);
  EXPECT_TRUE(batch_of(release, page).empty()) << "written, but not ended";
  release.settled(first[0].key.message);
  EXPECT_EQ(messages_of(batch_of(release, page)), std::vector{message_id(33)});
  EXPECT_FALSE(release.is_through());
}

TEST(Release, ReadsAgainIfThereWasMoreThanItCanRemember) {
  Release release(kOutage);
  const int count = static_cast<int>(Release::kChosenMax) + 10;
  std::vector<model::Delivery> stored;
  for (int n = 1; n <= count; ++n) stored.push_back(failed(n));
  for (int n = count; n >= 1; --n) read(release, page_of({failed(n)}, n > 1));
  int released = 0;
  while (released < static_cast<int>(Release::kChosenMax)) {
    const std::vector<model::Delivery> next(stored.begin() + released,
                                            stored.begin() + released + 32);
    const auto batch = batch_of(release, next);
    ASSERT_EQ(batch.size(), 32U);
    EXPECT_EQ(batch.front().key.message, message_id(released + 1));
    released += 32;
    for (const model::Delivery& delivery : batch) release.settled(delivery.key.message);
  }
  EXPECT_FALSE(release.is_through());

  const auto queries = release.take_queries(endpoint_id(1), 100);
  ASSERT_EQ(queries.size(), 1U);
  EXPECT_EQ(queries[0].after, std::nullopt);
  release.loaded(queries[0], page_of({}), kNow);
  EXPECT_TRUE(release.is_through());
}

TEST(Release, LeavesAloneWhatHasMovedSinceItWasChosen) {
  Release release(kOutage);
  read(release, page_of({failed(1), failed(2), failed(3)}));
  model::Delivery resent = failed(2);
  resent.due_at = kNow;
  model::Delivery failed_again = failed(3);
  failed_again.updated_at = kOutage.to + seconds(1);

  const auto batch = batch_of(release, {resent, failed(1), failed_again});

  EXPECT_EQ(messages_of(batch), std::vector{message_id(1)});
}

TEST(Release, AsksAgainForOneThatCouldNotBeReadAndLetsNoneOvertakeIt) {
  Release release(kOutage);
  read(release, page_of({failed(1), failed(2)}));
  const auto queries = release.take_queries(endpoint_id(1), 100);
  ASSERT_EQ(queries.size(), 2U);
  release.loaded(queries[1], page_of({failed(2)}), kNow);
  EXPECT_TRUE(release.take_batch(100).empty());
  release.load_failed(queries[0]);

  EXPECT_FALSE(release.is_through());
  EXPECT_EQ(messages_of(batch_of(release, {failed(1)})),
            (std::vector{message_id(1), message_id(2)}));
}

TEST(Release, IsThroughWhenAllThatWasReleasedHasEnded) {
  Release release(kOutage);
  EXPECT_FALSE(release.is_through()) << "nothing was read";
  read(release, page_of({failed(1)}));
  const std::vector<model::Delivery> batch = batch_of(release, {failed(1)});
  release.written(release_of(batch[0], kNow).delivery);
  EXPECT_FALSE(release.is_through());

  release.settled(message_id(1));

  EXPECT_TRUE(release.is_through());
}

TEST(Release, WaitsForWhatAProcessBeforeReleased) {
  Release release(kOutage);
  read(release, page_of({release_of(failed(1), kNow).delivery}));

  EXPECT_TRUE(batch_of(release, {}).empty());
  EXPECT_FALSE(release.is_through());
  release.settled(message_id(1));
  EXPECT_TRUE(release.is_through());
}

TEST(Release, APageThatIsOlderThanASettlementBringsNothingBack) {
  Release release(kOutage);
  const auto queries = release.take_queries(endpoint_id(1), 100);
  release.settled(message_id(1));
  release.settled(message_id(2));

  release.loaded(queries.at(0), page_of({release_of(failed(1), kNow).delivery, failed(2)}), kNow);

  EXPECT_TRUE(release.is_through());
}

TEST(Release, FailsAfterFiveFailuresInARow) {
  Release release(kOutage);
  for (int i = 0; i < 4; ++i) release.ended(false);
  release.ended(true);
  for (int i = 0; i < 4; ++i) release.ended(false);
  EXPECT_FALSE(release.is_failed());

  release.ended(false);

  EXPECT_TRUE(release.is_failed());
}

}  // namespace
}  // namespace petrel::engine
