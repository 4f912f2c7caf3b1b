#include "engine/release.h"

#include <gtest/gtest.h>

#include "engine/samples.h"

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
  const auto query = release.take_query(endpoint_id(1));
  ASSERT_TRUE(query.has_value());
  release.loaded(*query, page, kNow);
}

std::vector<MessageId> messages_of(const std::vector<model::Delivery>& deliveries) {
  std::vector<MessageId> messages;
  for (const model::Delivery& delivery : deliveries) messages.push_back(delivery.key.message);
  return messages;
}

std::vector<MessageId> released_of(const model::Delivery& delivery) {
  Release release(kOutage);
  read(release, page_of({delivery}));
  return messages_of(release.take_batch(100));
}

TEST(Release, TakesWhatFailedInTheOutageTheOldestMessageFirst) {
  Release release(kOutage);
  read(release, page_of({failed(3), failed(1)}, true));
  EXPECT_TRUE(release.take_batch(100).empty()) << "not before all of it was read";
  read(release, page_of({failed(2)}));

  EXPECT_EQ(messages_of(release.take_batch(100)),
            (std::vector{message_id(1), message_id(2), message_id(3)}));
}

TEST(Release, ReadsOnBehindTheLastPage) {
  Release release(kOutage);
  read(release, page_of({failed(3)}, true));

  const auto query = release.take_query(endpoint_id(1));

  ASSERT_TRUE(query.has_value());
  EXPECT_EQ(query->queue, store::DueClass::Retry);
  EXPECT_EQ(query->after, (store::DuePosition{kWallStart + hours(1), message_id(3)}));
  EXPECT_EQ(release.take_query(endpoint_id(1)), std::nullopt) << "one page at a time";
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

  const std::vector<model::Delivery> first = release.take_batch(20);
  EXPECT_EQ(first.size(), 20U);
  EXPECT_EQ(release.take_batch(100).size(), 12U);
  EXPECT_TRUE(release.take_batch(100).empty());

  release.written(release_of(first[0], kNow).delivery);
  EXPECT_TRUE(release.take_batch(100).empty()) << "written, but not ended";
  release.settled(first[0].key.message);
  EXPECT_EQ(messages_of(release.take_batch(100)), std::vector{message_id(33)});
  EXPECT_FALSE(release.is_through());
}

TEST(Release, ReadsAgainIfThereWasMoreThanItCanRemember) {
  Release release(kOutage);
  const int count = static_cast<int>(Release::kChosenMax) + 10;
  for (int n = count; n >= 1; --n) read(release, page_of({failed(n)}, n > 1));
  std::size_t released = 0;
  for (auto batch = release.take_batch(100); !batch.empty(); batch = release.take_batch(100)) {
    EXPECT_EQ(batch.front().key.message, message_id(static_cast<int>(released) + 1));
    released += batch.size();
    for (const model::Delivery& delivery : batch) release.settled(delivery.key.message);
  }
  EXPECT_EQ(released, Release::kChosenMax);
  EXPECT_FALSE(release.is_through());

  const auto query = release.take_query(endpoint_id(1));
  ASSERT_TRUE(query.has_value());
  EXPECT_EQ(query->after, std::nullopt);
  release.loaded(*query, page_of({}), kNow);
  EXPECT_TRUE(release.is_through());
}

TEST(Release, IsThroughWhenAllThatWasReleasedHasEnded) {
  Release release(kOutage);
  EXPECT_FALSE(release.is_through()) << "nothing was read";
  read(release, page_of({failed(1)}));
  const std::vector<model::Delivery> batch = release.take_batch(100);
  release.written(release_of(batch[0], kNow).delivery);
  EXPECT_FALSE(release.is_through());

  release.settled(message_id(1));

  EXPECT_TRUE(release.is_through());
}

TEST(Release, WaitsForWhatAProcessBeforeReleased) {
  Release release(kOutage);
  read(release, page_of({release_of(failed(1), kNow).delivery}));

  EXPECT_TRUE(release.take_batch(100).empty());
  EXPECT_FALSE(release.is_through());
  release.settled(message_id(1));
  EXPECT_TRUE(release.is_through());
}

TEST(Release, APageThatIsOlderThanASettlementBringsNothingBack) {
  Release release(kOutage);
  const auto query = release.take_query(endpoint_id(1));
  release.settled(message_id(1));
  release.settled(message_id(2));

  release.loaded(*query, page_of({release_of(failed(1), kNow).delivery, failed(2)}), kNow);

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
