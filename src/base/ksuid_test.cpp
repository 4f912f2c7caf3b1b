#include "base/ksuid.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr WallTime kNow = wall_from_unix_seconds(1'773'065'106);
constexpr WallTime kEpoch = wall_from_unix_seconds(1'400'000'000);

const std::string kZero(27, '0');
const std::string kMax = "aWgEPTl1tmebfsQzFP4bxwgy80V";

Ksuid filled(std::uint8_t byte) {
  Ksuid::Bytes bytes;
  bytes.fill(byte);
  return Ksuid(bytes);
}

Ksuid any_ksuid() {
  return Ksuid(*rc::gen::container<Ksuid::Bytes>(rc::gen::arbitrary<std::uint8_t>()));
}

// Gives the same byte for ever.
class ConstantRandom final : public SecureRandom {
 public:
  explicit ConstantRandom(std::uint8_t byte) : byte_(byte) {}

  void fill(std::span<std::uint8_t> bytes) override {
    std::fill(bytes.begin(), bytes.end(), byte_);
  }

  std::uint8_t byte_;
};

TEST(Ksuid, HasTheTextOfTheKnownVectors) {
  EXPECT_EQ(Ksuid().text(), kZero);
  EXPECT_EQ(filled(0xff).text(), kMax);
  // The example of the reference implementation: 0669F7EF and B5A1CD34B5F99D1154FB6853345C9735.
  const Ksuid known(Ksuid::Bytes{0x06, 0x69, 0xf7, 0xef, 0xb5, 0xa1, 0xcd, 0x34, 0xb5, 0xf9,
                                 0x9d, 0x11, 0x54, 0xfb, 0x68, 0x53, 0x34, 0x5c, 0x97, 0x35});
  EXPECT_EQ(known.text(), "0ujtsYcgvSTl8PAuAdqWYSMnLOv");
  EXPECT_EQ(Ksuid::parse("0ujtsYcgvSTl8PAuAdqWYSMnLOv"), known);
}

TEST(Ksuid, ParsesTheEndsOfItsRange) {
  EXPECT_EQ(Ksuid::parse(kZero), Ksuid());
  EXPECT_EQ(Ksuid::parse(kMax), filled(0xff));
}

TEST(Ksuid, RefusesTextBeyondTwentyBytes) {
  EXPECT_EQ(Ksuid::parse("aWgEPTl1tmebfsQzFP4bxwgy80W"), std::nullopt);
  EXPECT_EQ(Ksuid::parse("aWgEPTl1tmebfsQzFP4bxwgy810"), std::nullopt);
  EXPECT_EQ(Ksuid::parse(std::string(27, 'z')), std::nullopt);
}

TEST(Ksuid, RefusesAnyOtherLength) {
  EXPECT_EQ(Ksuid::parse(""), std::nullopt);
  EXPECT_EQ(Ksuid::parse(std::string(26, '0')), std::nullopt);
  EXPECT_EQ(Ksuid::parse(std::string(28, '0')), std::nullopt);
}

TEST(Ksuid, RefusesCharactersThatAreNotBase62) {
  for (const char c : {'-', '_', '+', '/', ':', '@', '[', '`', '{', ' ', '\0', '\xc3'}) {
    std::string text = kZero;
    text[13] = c;
    EXPECT_EQ(Ksuid::parse(text), std::nullopt) << static_cast<int>(c);
  }
}

RC_GTEST_PROP(Ksuid, GivesEveryKsuidBack, ()) {
  const Ksuid ksuid = any_ksuid();
  RC_ASSERT(Ksuid::parse(ksuid.text()) == ksuid);
}

RC_GTEST_PROP(Ksuid, SortsTextsAsBytes, ()) {
  const Ksuid a = any_ksuid();
  const Ksuid b = any_ksuid();
  RC_ASSERT((a < b) == (a.text() < b.text()));
  RC_ASSERT((a < b) == (a.bytes() < b.bytes()));
}

RC_GTEST_PROP(Ksuid, SortsNeighboursAlike, ()) {
  const Ksuid ksuid = any_ksuid();
  Ksuid::Bytes bytes = ksuid.bytes();
  RC_PRE(bytes.back() < 0xff);
  ++bytes.back();
  RC_ASSERT(ksuid.text() < Ksuid(bytes).text());
}

TEST(Ksuid, KeepsTheTimeToStepsOfFourMilliseconds) {
  SeededSecureRandom random(1);

  EXPECT_EQ(Ksuid::make(kNow, random).time(), kNow);
  EXPECT_EQ(Ksuid::make(kNow + milliseconds(4) - Duration(1), random).time(), kNow);
  EXPECT_EQ(Ksuid::make(kNow + milliseconds(4), random).time(), kNow + milliseconds(4));
  EXPECT_EQ(Ksuid::make(kNow + milliseconds(250), random).time(), kNow + milliseconds(248));
  EXPECT_EQ(Ksuid::make(kNow + milliseconds(999), random).time(), kNow + milliseconds(996));
}

TEST(Ksuid, HoldsTimesOutsideItsRangeAtTheEnds) {
  const WallTime last = kEpoch + std::chrono::seconds(0xffff'ffff);

  EXPECT_EQ(Ksuid::first_at(kEpoch).time(), kEpoch);
  EXPECT_EQ(Ksuid::first_at(WallTime{}).time(), kEpoch);
  EXPECT_EQ(Ksuid::first_at(last).time(), last);
  EXPECT_EQ(Ksuid::first_at(last + hours(1)).time(), last);
}

TEST(Ksuid, BeginsARangeWithTheSmallestOfItsStep) {
  ConstantRandom most(0xff);
  SeededSecureRandom random(1);

  EXPECT_LE(Ksuid::first_at(kNow), Ksuid::make(kNow, random));
  EXPECT_GT(Ksuid::first_at(kNow), Ksuid::make(kNow - Duration(1), most));
  EXPECT_EQ(Ksuid::first_at(kNow + milliseconds(3)), Ksuid::first_at(kNow));
}

TEST(Ksuid, FillsEverythingBehindTheTimeWithRandomBytes) {
  ConstantRandom random(0xab);

  const Ksuid::Bytes expected = {0,    0,    0,    1,    125,  0xab, 0xab, 0xab, 0xab, 0xab,
                                 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab, 0xab};

  EXPECT_EQ(Ksuid::make(kEpoch + milliseconds(1500), random).bytes(), expected);
}

TEST(Ksuid, IsTheSameAgainFromTheSameSeed) {
  SeededSecureRandom random(1);
  SeededSecureRandom again(1);

  EXPECT_EQ(Ksuid::make(kNow, random), Ksuid::make(kNow, again));
}

TEST(KsuidMaker, OnlyEverGrowsWithinOneStep) {
  SeededSecureRandom random(1);
  KsuidMaker maker(random);
  Ksuid last;

  for (int i = 0; i < 10'000; ++i) {
    const Ksuid next = maker.make(kNow);
    ASSERT_GT(next, last);
    ASSERT_EQ(next.time(), kNow);
    last = next;
  }
}

TEST(KsuidMaker, OnlyEverGrowsWhenTheClockStepsBackAnHour) {
  SeededSecureRandom random(1);
  KsuidMaker maker(random);
  Ksuid last = maker.make(kNow);

  for (int i = 0; i < 1000; ++i) {
    const Ksuid next = maker.make(kNow - hours(1) + milliseconds(i));
    ASSERT_GT(next, last);
    ASSERT_EQ(next.time(), kNow);
    last = next;
  }
}

TEST(KsuidMaker, FollowsTheClockAgainOnceItHasCaughtUp) {
  SeededSecureRandom random(1);
  KsuidMaker maker(random);
  maker.make(kNow);
  maker.make(kNow - hours(1));

  EXPECT_EQ(maker.make(kNow + milliseconds(4)).time(), kNow + milliseconds(4));
}

TEST(KsuidMaker, GoesOnByAStrideThatIsNeverZero) {
  ConstantRandom random(0);
  KsuidMaker maker(random);
  const Ksuid first = maker.make(kNow);
  Ksuid::Bytes expected = first.bytes();
  expected.back() = 1;

  EXPECT_EQ(maker.make(kNow).bytes(), expected);
}

TEST(KsuidMaker, CarriesIntoTheTimeWhenTheRandomBytesAreUsedUp) {
  ConstantRandom random(0xff);
  KsuidMaker maker(random);
  const Ksuid first = maker.make(kNow);
  const Ksuid second = maker.make(kNow);

  EXPECT_GT(second, first);
  EXPECT_EQ(second.time(), kNow + milliseconds(4));
}

RC_GTEST_PROP(KsuidMaker, OnlyEverGrowsWhateverTheClockDoes,
              (std::uint64_t seed, const std::vector<std::int32_t>& jumps_ms)) {
  SeededSecureRandom random(seed);
  KsuidMaker maker(random);
  Ksuid last;
  for (const std::int32_t jump : jumps_ms) {
    const Ksuid next = maker.make(kNow + milliseconds(jump));
    RC_ASSERT(next > last);
    last = next;
  }
}

}  // namespace
}  // namespace petrel
