#include "lane/token_bucket.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel::lane {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr MonoTime kStart = MonoTime(hours(1));

// Takes whenever there is a token, each time `lateness` after it came.
std::int64_t taken_within(TokenBucket& bucket, Duration length, Duration lateness = {}) {
  std::int64_t taken = 0;
  MonoTime now = kStart;
  while (now < kStart + length) {
    if (bucket.try_take(now)) {
      ++taken;
    } else {
      now = bucket.next_at(now) + lateness;
    }
  }
  return taken;
}

TEST(TokenBucket, C11_GivesItsRateAndNoMore) {
  TokenBucket five(Rate::per_second(5), kStart);
  TokenBucket seven(Rate::per_second(7), kStart);
  TokenBucket slow(Rate::of(1, seconds(10)), kStart);

  EXPECT_EQ(taken_within(five, seconds(1)), 5);
  EXPECT_EQ(taken_within(seven, seconds(10)), 70);
  EXPECT_EQ(taken_within(slow, minutes(10)), 60);
}

TEST(TokenBucket, C11_ExceedsItsRateByAtMostOnePercentInASecond) {
  TokenBucket fast(Rate::per_second(2'000), kStart);
  TokenBucket fastest(Rate::per_second(65'535), kStart);

  EXPECT_EQ(taken_within(fast, seconds(1)), 2'019);
  EXPECT_EQ(taken_within(fastest, seconds(1)), 66'190);
}

TEST(TokenBucket, DoesNotDriftOverADay) {
  TokenBucket bucket(Rate::per_second(7), kStart);

  EXPECT_EQ(taken_within(bucket, days(1)), 7 * 86'400);
}

TEST(TokenBucket, LosesNothingToTimersLateByMillisecondsWhenFast) {
  TokenBucket bucket(Rate::per_second(1'000), kStart);

  EXPECT_EQ(taken_within(bucket, seconds(10), milliseconds(5)), 10'006);
}

TEST(TokenBucket, KnowsTheExactMomentOfTheNextToken) {
  TokenBucket bucket(Rate::per_second(3), kStart);
  ASSERT_TRUE(bucket.try_take(kStart));

  const MonoTime next = bucket.next_at(kStart);

  EXPECT_EQ(next, kStart + microseconds(333'333));
  EXPECT_EQ(bucket.next_at(next - microseconds(1)), next);
  EXPECT_FALSE(bucket.try_take(next - microseconds(1)));
  EXPECT_TRUE(bucket.try_take(next));
  EXPECT_EQ(bucket.next_at(next), kStart + microseconds(666'666));
  EXPECT_TRUE(bucket.try_take(kStart + microseconds(666'666)));
  EXPECT_EQ(bucket.next_at(next), kStart + seconds(1));
}

TEST(TokenBucket, ALongRestFillsItAndNoMore) {
  TokenBucket bucket(Rate::per_second(200), kStart);
  const MonoTime later = kStart + days(30'000);

  EXPECT_TRUE(bucket.try_take(later));
  EXPECT_TRUE(bucket.try_take(later));
  EXPECT_FALSE(bucket.try_take(later));
}

TEST(TokenBucket, TimeThatStandsOrStepsBackBringsNoToken) {
  TokenBucket bucket(Rate::per_second(1), kStart);
  ASSERT_TRUE(bucket.try_take(kStart));

  EXPECT_FALSE(bucket.try_take(kStart));
  EXPECT_FALSE(bucket.try_take(kStart - seconds(10)));
  EXPECT_FALSE(bucket.try_take(kStart + microseconds(999'999)));
  EXPECT_EQ(bucket.next_at(kStart - seconds(10)), kStart + seconds(1));
  EXPECT_TRUE(bucket.try_take(kStart + seconds(1)));
}

TEST(TokenBucket, ANewRateKeepsTheFractionGainedSoFar) {
  TokenBucket bucket(Rate::per_second(1), kStart);
  ASSERT_TRUE(bucket.try_take(kStart));

  bucket.set_rate(Rate::of(1, seconds(10)), kStart + milliseconds(500));

  EXPECT_EQ(bucket.rate(), Rate::of(1, seconds(10)));
  EXPECT_EQ(bucket.next_at(kStart + milliseconds(500)), kStart + milliseconds(5'500));
}

TEST(TokenBucket, ALowerRateDropsWhatItsBucketDoesNotHold) {
  TokenBucket bucket(Rate::per_second(1'000), kStart);

  bucket.set_rate(Rate::per_second(10), kStart);

  EXPECT_TRUE(bucket.try_take(kStart));
  EXPECT_EQ(bucket.next_at(kStart), kStart + milliseconds(100));
}

TEST(TokenBucket, ExplainsTheWait) {
  TokenBucket bucket(Rate::per_second(5), kStart);
  EXPECT_EQ(bucket.explain(kStart), "");
  ASSERT_TRUE(bucket.try_take(kStart));

  EXPECT_EQ(bucket.explain(kStart + milliseconds(80)), "rate limit of 5/s; next slot in 120ms");
  EXPECT_EQ(bucket.explain(kStart + milliseconds(200)), "");
}

Rate any_rate() {
  if (*rc::gen::inRange(0, 2) == 0) return Rate::per_second(*rc::gen::inRange(1, 65'536));
  return Rate::of(*rc::gen::inRange(1, 1'000), seconds(*rc::gen::inRange(1, 1'801)));
}

// The credit that a bucket of this rate may have gained over `length`, its burst included.
std::int64_t allowed_credit(const Rate& rate, Duration length) {
  const std::int64_t one_token = rate.period().count() + rate.count() - 1;
  const std::int64_t burst = std::max(one_token, rate.count() * 10'000);
  return burst + rate.count() * length.count();
}

RC_GTEST_PROP(TokenBucketProperty, C11_NoWindowSeesMoreThanRateTimesLengthPlusBurst, ()) {
  const Rate rate = any_rate();
  const std::int64_t interval = std::max<std::int64_t>(rate.period().count() / rate.count(), 1);
  TokenBucket bucket(rate, kStart);
  std::vector<MonoTime> taken;
  MonoTime now = kStart;
  for (int step = 0; step < 300; ++step) {
    // Mostly about one token's time, now and then nothing or a long rest.
    now += Duration(*rc::gen::inRange<std::int64_t>(0, 3) *
                    *rc::gen::inRange<std::int64_t>(0, interval));
    if (*rc::gen::inRange(0, 40) == 0) now += Duration(interval * 100);
    const MonoTime next = bucket.next_at(now);
    const bool got = bucket.try_take(now);
    RC_ASSERT(got == (next == now));
    if (got) taken.push_back(now);
  }

  for (std::size_t first = 0; first < taken.size(); ++first) {
    for (std::size_t last = first; last < taken.size(); ++last) {
      const auto count = static_cast<std::int64_t>(last - first + 1);
      const std::int64_t used = count * rate.period().count();
      RC_ASSERT(used <= allowed_credit(rate, taken[last] - taken[first]));
    }
  }
}

RC_GTEST_PROP(TokenBucketProperty, TheNextMomentIsNeitherLateNorEarly, ()) {
  TokenBucket bucket(any_rate(), kStart);
  MonoTime now = kStart;
  for (int step = 0; step < 100; ++step) {
    if (*rc::gen::inRange(0, 10) == 0) bucket.set_rate(any_rate(), now);
    const MonoTime next = bucket.next_at(now);
    if (next > now) {
      RC_ASSERT(!TokenBucket(bucket).try_take(next - microseconds(1)));
    }
    now = next;
    RC_ASSERT(bucket.try_take(now));
  }
}

}  // namespace
}  // namespace petrel::lane
