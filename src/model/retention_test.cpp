#include "model/retention.h"

#include <gtest/gtest.h>

namespace petrel::model {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kNoon = wall_from_unix_seconds(1'750'000'000);
constexpr Duration kTick(1);

using Places = std::vector<std::size_t>;

Inventory message(std::vector<Inventory::Each> deliveries) {
  return {.accepted_at = kNoon, .has_payload = true, .deliveries = std::move(deliveries)};
}

Retention all(Duration period) { return retention_of({.ended = period}, {}); }

TEST(RetentionSettings, TheApplicationCountsBeforeTheServerAndAKindBeforeAll) {
  const RetentionSettings server{.ended = days(30), .payloads = days(7), .dead_letters = days(60)};

  const Retention inherited = retention_of({}, server);
  EXPECT_EQ(inherited, (Retention{days(30), days(7), days(30), days(60)}));

  // What a plan of three days is about.
  EXPECT_EQ(retention_of({.ended = days(3)}, server), all(days(3)));

  const Retention some = retention_of({.payloads = hours(1)}, server);
  EXPECT_EQ(some, (Retention{days(30), hours(1), days(30), days(60)}));

  const Retention both = retention_of({.ended = days(3), .dead_letters = days(90)}, server);
  EXPECT_EQ(both, (Retention{days(3), days(3), days(3), days(90)}));
}

TEST(RetentionSettings, WithoutAnyEverythingIsKeptFor90Days) {
  EXPECT_EQ(retention_of({}, {}), all(days(90)));
}

TEST(Retention, KnowsWhetherSomethingIsOverSooner) {
  EXPECT_TRUE(all(days(3)).is_shorter_than(all(days(30))));
  EXPECT_FALSE(all(days(30)).is_shorter_than(all(days(30))));
  EXPECT_FALSE(all(days(90)).is_shorter_than(all(days(30))));
  EXPECT_TRUE((Retention{days(90), days(3), days(90), days(90)}).is_shorter_than(all(days(30))));
}

class RetentionPeriod : public testing::TestWithParam<Duration> {};

TEST_P(RetentionPeriod, ADeliveredMessageIsKeptForThePeriodFromItsEndAndNoLonger) {
  const Duration period = GetParam();
  const WallTime delivered = kNoon + minutes(10);
  const Inventory inventory = message({{DeliveryState::Delivered, delivered}});

  const Disposal before = dispose(inventory, all(period), kNoon + period - kTick);
  EXPECT_FALSE(before.is_anything());
  EXPECT_EQ(before.look_again_at, kNoon + period);

  const Disposal between = dispose(inventory, all(period), delivered + period - kTick);
  EXPECT_TRUE(between.payload) << "a payload's period begins when it was accepted";
  EXPECT_FALSE(between.message);
  EXPECT_EQ(between.look_again_at, delivered + period);

  const Disposal after = dispose(inventory, all(period), delivered + period);
  EXPECT_TRUE(after.message);
}

TEST_P(RetentionPeriod, WhatIsLiveKeepsItsMessageAndPayloadForEver) {
  const Duration period = GetParam();
  for (const DeliveryState state : {DeliveryState::Pending, DeliveryState::Retrying}) {
    const Inventory inventory =
        message({{state, kNoon}, {DeliveryState::Delivered, kNoon}, {DeliveryState::Dead, kNoon}});
    const WallTime late = kNoon + days(10'000);

    const Disposal disposal = dispose(inventory, all(period), late);

    EXPECT_FALSE(disposal.message);
    EXPECT_FALSE(disposal.payload);
    EXPECT_EQ(disposal.deliveries, (Places{1, 2}));
    EXPECT_GT(disposal.look_again_at, late);
    EXPECT_LE(disposal.look_again_at, late + std::max<Duration>(period / 8, minutes(1)));
  }
}

TEST_P(RetentionPeriod, ADeadLetterKeepsItsPayloadWhileItIsKept) {
  const Duration period = GetParam();
  const Retention retention =
      retention_of({.ended = period, .payloads = hours(1), .dead_letters = 2 * period}, {});
  const WallTime died = kNoon + hours(72);
  const Inventory inventory = message({{DeliveryState::Dead, died}});

  const Disposal kept = dispose(inventory, retention, died + 2 * period - kTick);
  EXPECT_FALSE(kept.is_anything());
  EXPECT_EQ(kept.look_again_at, died + 2 * period);

  EXPECT_TRUE(dispose(inventory, retention, died + 2 * period).message);
}

INSTANTIATE_TEST_SUITE_P(Periods, RetentionPeriod,
                         testing::Values(hours(1), days(3), days(30), days(90)));

TEST(Dispose, APayloadOfItsOwnPeriodGoesThenAndItsMessageStays) {
  Inventory inventory = message({{DeliveryState::Delivered, kNoon}});
  inventory.payload_expires_at = kNoon + hours(2);

  EXPECT_FALSE(dispose(inventory, all(days(3)), kNoon + hours(2) - kTick).is_anything());
  const Disposal disposal = dispose(inventory, all(days(3)), kNoon + hours(2));
  EXPECT_TRUE(disposal.payload);
  EXPECT_FALSE(disposal.message);
  EXPECT_EQ(disposal.look_again_at, kNoon + days(3));

  // Also if it is longer than the application's.
  inventory.payload_expires_at = kNoon + days(9);
  const Disposal later = dispose(inventory, all(days(3)), kNoon + days(4));
  EXPECT_FALSE(later.payload);
  EXPECT_FALSE(later.message) << "it stays as long as anything of it does";
  EXPECT_EQ(later.look_again_at, kNoon + days(9));

  inventory.deliveries[0].state = DeliveryState::Retrying;
  EXPECT_FALSE(dispose(inventory, all(days(3)), kNoon + days(10)).payload);
}

TEST(Dispose, AttemptsGoByTheirOwnTimeAlsoThoseOfALiveDelivery) {
  Inventory inventory = message({{DeliveryState::Retrying, kNoon + hours(30)}});
  inventory.attempts = {kNoon, kNoon + hours(10), kNoon + hours(30)};
  const Retention retention = retention_of({.ended = days(30), .attempts = days(1)}, {});

  const Disposal disposal = dispose(inventory, retention, kNoon + hours(34));

  EXPECT_EQ(disposal.attempts, (Places{0, 1}));
  EXPECT_FALSE(disposal.message);
}

TEST(Dispose, AMessageStaysAsLongAsItsAttempts) {
  Inventory inventory = message({{DeliveryState::Delivered, kNoon}});
  inventory.attempts = {kNoon};
  const Retention retention = retention_of({.ended = hours(1), .attempts = days(3)}, {});

  const Disposal disposal = dispose(inventory, retention, kNoon + hours(2));
  EXPECT_FALSE(disposal.message);
  EXPECT_TRUE(disposal.payload);
  EXPECT_EQ(disposal.deliveries, Places{0});

  EXPECT_TRUE(dispose(inventory, retention, kNoon + days(3)).message);
}

TEST(Dispose, ADeadLetterMayGoBeforeItsMessage) {
  const Inventory inventory =
      message({{DeliveryState::Dead, kNoon}, {DeliveryState::Delivered, kNoon}});
  const Retention retention = retention_of({.ended = days(30), .dead_letters = days(3)}, {});

  const Disposal disposal = dispose(inventory, retention, kNoon + days(3));

  EXPECT_EQ(disposal.deliveries, Places{0});
  EXPECT_FALSE(disposal.message);
  EXPECT_EQ(disposal.look_again_at, kNoon + days(30));
}

TEST(Dispose, AMessageForNobodyIsKeptFromItsAcceptance) {
  EXPECT_FALSE(dispose(message({}), all(hours(1)), kNoon + hours(1) - kTick).message);
  EXPECT_TRUE(dispose(message({}), all(hours(1)), kNoon + hours(1)).message);
}

TEST(Dispose, LooksAtWhatIsLiveAtMomentsThatDoNotDependOnTheLastLook) {
  const Inventory inventory = message({{DeliveryState::Pending, kNoon}});
  const auto look = [&](WallTime now) {
    return dispose(inventory, all(hours(8)), now).look_again_at;
  };
  EXPECT_EQ(look(kNoon + days(1)), look(kNoon + days(1) + seconds(1)));
}

}  // namespace
}  // namespace petrel::model
