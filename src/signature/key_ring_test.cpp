#include "signature/key_ring.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/base64.h"

namespace petrel::signature {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;

const WallTime kNoon = wall_from_unix_seconds(1'772'366'400);  // 2026-03-01T12:00:00Z

Secret key(std::uint8_t number) {
  return Secret::parse("whsec_" + to_base64(std::vector<std::uint8_t>(24, number))).value();
}

std::vector<Secret> keys(const std::vector<std::uint8_t>& numbers) {
  std::vector<Secret> secrets;
  for (const std::uint8_t number : numbers) secrets.push_back(key(number));
  return secrets;
}

// A ring rotated ten times, an hour apart from kNoon on: key 10 is current, 0 to 9 are old.
KeyRing full_ring() {
  KeyRing ring{key(0)};
  for (std::uint8_t i = 0; i < 10; ++i) {
    EXPECT_TRUE(ring.rotate(key(static_cast<std::uint8_t>(i + 1)), kNoon + i * hours(1)).ok());
  }
  return ring;
}

TEST(KeyRing, StartsWithItsCurrentSecretAlone) {
  const KeyRing ring{key(1)};

  EXPECT_EQ(ring.active(kNoon), keys({1}));
  EXPECT_EQ(ring.next_expiry(kNoon), std::nullopt);
}

TEST(KeyRing, KeepsTheReplacedSecretValidForADay) {
  KeyRing ring{key(1)};

  ASSERT_TRUE(ring.rotate(key(2), kNoon).ok());

  EXPECT_EQ(ring.current, key(2));
  EXPECT_EQ(ring.active(kNoon), keys({2, 1}));
  EXPECT_EQ(ring.active(kNoon + hours(24) - Duration(1)), keys({2, 1}));
  EXPECT_EQ(ring.active(kNoon + hours(24)), keys({2}));
}

TEST(KeyRing, OrdersOldSecretsByWhichWasReplacedLast) {
  KeyRing ring{key(1)};
  ASSERT_TRUE(ring.rotate(key(2), kNoon, hours(24)).ok());
  ASSERT_TRUE(ring.rotate(key(3), kNoon + hours(1), hours(1)).ok());
  ASSERT_TRUE(ring.rotate(key(4), kNoon + hours(1), hours(48)).ok());

  EXPECT_EQ(ring.active(kNoon + hours(1)), keys({4, 3, 2, 1}));
  EXPECT_EQ(ring.active(kNoon + hours(2)), keys({4, 3, 1}));
  EXPECT_EQ(ring.active(kNoon + hours(24)), keys({4, 3}));
}

TEST(KeyRing, DropsTheReplacedSecretAtOnceWithoutGrace) {
  KeyRing ring{key(1)};

  ASSERT_TRUE(ring.rotate(key(2), kNoon, Duration::zero()).ok());

  EXPECT_EQ(ring, KeyRing{key(2)});
}

TEST(KeyRing, AllowsAGraceOfZeroToSevenDays) {
  const Error expected = invalid("gracePeriodSeconds", "must be 0 to 604800 (7 days)");
  KeyRing ring{key(1)};
  const KeyRing before = ring;

  EXPECT_EQ(ring.rotate(key(2), kNoon, Duration(-1)).error(), expected);
  EXPECT_EQ(ring.rotate(key(2), kNoon, days(7) + Duration(1)).error(), expected);
  EXPECT_EQ(ring, before);

  EXPECT_TRUE(ring.rotate(key(2), kNoon, days(7)).ok());
  EXPECT_EQ(ring.active(kNoon + days(7) - Duration(1)), keys({2, 1}));
}

TEST(KeyRing, RefusesAnEleventhOldSecretAndSaysWhenTheNextExpires) {
  KeyRing ring = full_ring();
  const KeyRing before = ring;
  const WallTime last_moment = kNoon + hours(24) - Duration(1);

  const Status refused = ring.rotate(key(11), last_moment);

  EXPECT_EQ(refused.error(),
            conflict("10 old secrets are still valid, which is the most there can be; the next one "
                     "expires at 2026-03-02T12:00:00.000000Z"));
  EXPECT_EQ(ring, before);
  EXPECT_EQ(ring.active(last_moment).size(), 11U);
}

TEST(KeyRing, TakesTheNextSecretOnceTheFirstOldOneHasExpired) {
  KeyRing ring = full_ring();

  ASSERT_TRUE(ring.rotate(key(11), kNoon + hours(24)).ok());

  EXPECT_EQ(ring.active(kNoon + hours(24)), keys({11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(ring.old.size(), 10U);
}

TEST(KeyRing, CanAlwaysReplaceALeakedSecretWithoutGrace) {
  KeyRing ring = full_ring();

  ASSERT_TRUE(ring.rotate(key(11), kNoon + hours(10), Duration::zero()).ok());

  EXPECT_EQ(ring.active(kNoon + hours(10)), keys({11, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST(KeyRing, IsUnchangedByARotationThatIsRepeated) {
  KeyRing ring{key(1)};
  ASSERT_TRUE(ring.rotate(key(2), kNoon).ok());
  const KeyRing before = ring;

  ASSERT_TRUE(ring.rotate(key(2), kNoon + seconds(1)).ok());

  EXPECT_EQ(ring, before);
}

TEST(KeyRing, HoldsASecretOnceWhenItComesBack) {
  KeyRing ring{key(1)};
  ASSERT_TRUE(ring.rotate(key(2), kNoon).ok());

  ASSERT_TRUE(ring.rotate(key(1), kNoon + seconds(1)).ok());

  EXPECT_EQ(ring.active(kNoon + seconds(1)), keys({1, 2}));
}

TEST(KeyRing, NamesTheFirstMomentAtWhichASecretExpires) {
  KeyRing ring{key(1)};
  ASSERT_TRUE(ring.rotate(key(2), kNoon, hours(5)).ok());
  ASSERT_TRUE(ring.rotate(key(3), kNoon, hours(3)).ok());

  EXPECT_EQ(ring.next_expiry(kNoon), kNoon + hours(3));
  EXPECT_EQ(ring.next_expiry(kNoon + hours(3)), kNoon + hours(5));
  EXPECT_EQ(ring.next_expiry(kNoon + hours(5)), std::nullopt);
}

TEST(KeyRing, PrunesWhatHasExpiredAndNothingElse) {
  KeyRing ring{key(1)};
  ASSERT_TRUE(ring.rotate(key(2), kNoon, hours(1)).ok());
  ASSERT_TRUE(ring.rotate(key(3), kNoon, hours(2)).ok());

  ring.prune(kNoon + hours(1));

  EXPECT_EQ(ring, (KeyRing{key(3), {{key(2), kNoon + hours(2)}}}));
}

TEST(KeyRing, ForgetsExpiredSecretsWhenRotated) {
  KeyRing ring{key(1)};
  ASSERT_TRUE(ring.rotate(key(2), kNoon, hours(1)).ok());

  ASSERT_TRUE(ring.rotate(key(3), kNoon + hours(1), hours(1)).ok());

  EXPECT_EQ(ring, (KeyRing{key(3), {{key(2), kNoon + hours(2)}}}));
}

struct Rotation {
  std::uint8_t number;
  std::int32_t wait_hours;
  std::int32_t grace_hours;
};

void showValue(const Rotation& rotation, std::ostream& out) {
  out << int{rotation.number} << " after " << rotation.wait_hours << " h for "
      << rotation.grace_hours << " h";
}

RC_GTEST_PROP(KeyRingProperty, NeverHoldsTooManySecretsNorOneTwice, ()) {
  const auto rotations = *rc::gen::container<std::vector<Rotation>>(rc::gen::build<Rotation>(
      rc::gen::set(&Rotation::number, rc::gen::inRange<std::uint8_t>(0, 20)),
      rc::gen::set(&Rotation::wait_hours, rc::gen::inRange(0, 6)),
      rc::gen::set(&Rotation::grace_hours, rc::gen::inRange(-1, 170))));
  KeyRing ring{key(0)};
  WallTime now = kNoon;

  for (const Rotation& rotation : rotations) {
    now += hours(rotation.wait_hours);
    const KeyRing before = ring;
    const bool is_done = ring.rotate(key(rotation.number), now, hours(rotation.grace_hours)).ok();

    if (is_done) {
      RC_ASSERT(ring.current == key(rotation.number));
    } else {
      RC_ASSERT(ring == before);
    }
    const std::vector<Secret> active = ring.active(now);
    RC_ASSERT(active.size() <= KeyRing::kOldMax + 1);
    RC_ASSERT(ring.old.size() <= KeyRing::kOldMax);
    for (std::size_t i = 0; i < active.size(); ++i) {
      for (std::size_t j = i + 1; j < active.size(); ++j) RC_ASSERT(active[i] != active[j]);
    }
  }
}

}  // namespace
}  // namespace petrel::signature
