#include "sim/judge/bucket_model.h"

#include <gtest/gtest.h>

namespace petrel::sim::judge {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

MonoTime at(int ms) { return MonoTime(seconds(100) + milliseconds(ms)); }

BucketModel of(double rate) {
  BucketModel bucket;
  bucket.set_rate(rate, at(0));
  return bucket;
}

TEST(BucketModel, LetsGoOneAtOnceAndThenItsRate) {
  BucketModel bucket = of(2);
  bucket.take(at(0), at(0));

  EXPECT_FALSE(bucket.fits(at(499), at(499)));
  EXPECT_TRUE(bucket.fits(at(500), at(500)));
}

TEST(BucketModel, AFastOneHoldsTenMillisecondsWorth) {
  BucketModel bucket = of(300);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(bucket.fits(at(0), at(0)));
    bucket.take(at(0), at(0));
  }

  EXPECT_FALSE(bucket.fits(at(0), at(0)));
}

TEST(BucketModel, SeesThatALongStretchIsALittleTooFast) {
  BucketModel bucket = of(10);
  int taken = 0;
  while (taken < 100 && bucket.fits(at(taken * 98), at(taken * 98))) {
    bucket.take(at(taken * 98), at(taken * 98));
    ++taken;
  }

  EXPECT_EQ(taken, 1) << "the bucket holds one, so the second comes too early at once";
}

TEST(BucketModel, ObjectsOnlyIfNoChoiceOfMomentsFits) {
  BucketModel bucket = of(1);
  bucket.take(at(0), at(2000));

  EXPECT_TRUE(bucket.fits(at(2000), at(2000))) << "the first may have been let go at 0 s";
  bucket.take(at(2000), at(2000));
  EXPECT_FALSE(bucket.fits(at(1999), at(2000)));
}

TEST(BucketModel, WhileTheRateChangesTheLargestCounts) {
  BucketModel bucket = of(10);
  bucket.take(at(0), at(0));
  bucket.set_rate(1, at(50));

  EXPECT_TRUE(bucket.fits(at(100), at(100)));
  bucket.take(at(100), at(100));
  EXPECT_FALSE(bucket.fits(at(199), at(199)));
}

TEST(BucketModel, ANewLifeBeginsWithAFullOne) {
  BucketModel bucket = of(1);
  bucket.take(at(0), at(0));
  EXPECT_EQ(bucket.surely_full_at(), at(1000));

  bucket.restart(at(1));

  EXPECT_TRUE(bucket.fits(at(1), at(1)));
}

}  // namespace
}  // namespace petrel::sim::judge
