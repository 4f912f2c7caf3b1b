#include "signature/secret.h"

#include <cstring>
#include <new>
#include <ostream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/base64.h"
#include "signature/testing/published_vectors.h"

namespace petrel::signature {
namespace {

template <typename T>
concept Streamable = requires(std::ostream& out, const T& value) {
  out << value;
};
static_assert(!Streamable<Secret>, "a secret must not end up in a log");
static_assert(!std::is_convertible_v<Secret, std::string>);

using Bytes = std::vector<std::uint8_t>;

Bytes counting(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i + 1);
  return bytes;
}

std::string whsec(const Bytes& bytes) { return "whsec_" + to_base64(bytes); }
std::string whsk(const Bytes& bytes) { return "whsk_" + to_base64(bytes); }

Bytes published_whsk_bytes() { return *from_base64(kPublishedV1a.secret.substr(5)); }

bool holds_bytes_of(const void* memory, std::size_t size, const Bytes& key) {
  return ::memmem(memory, size, key.data(), 4) != nullptr;
}

TEST(Secret, GivesTheTextItWasParsedFromBack) {
  const Secret symmetric = Secret::parse(kPublishedV1.secret).value();
  const Secret asymmetric = Secret::parse(kPublishedV1a.secret).value();

  EXPECT_EQ(symmetric.kind(), Secret::Kind::Symmetric);
  EXPECT_EQ(symmetric.reveal(), kPublishedV1.secret);
  EXPECT_EQ(asymmetric.kind(), Secret::Kind::Asymmetric);
  EXPECT_EQ(asymmetric.reveal(), kPublishedV1a.secret);
}

TEST(Secret, HasAPublicTextOnlyIfItIsAsymmetric) {
  EXPECT_EQ(Secret::parse(kPublishedV1a.secret)->public_text(), kPublishedV1aPublicKey);
  EXPECT_EQ(Secret::parse(kPublishedV1.secret)->public_text(), std::nullopt);
}

TEST(Secret, IsParsedWithoutPaddingToo) {
  for (const std::size_t size : {25U, 26U}) {
    const std::string padded = whsec(counting(size));
    const std::string unpadded = padded.substr(0, padded.find('='));
    ASSERT_LT(unpadded.size(), padded.size());

    EXPECT_EQ(Secret::parse(unpadded)->reveal(), padded);
  }
}

TEST(Secret, HasTwentyFourToSeventyFiveBytes) {
  EXPECT_EQ(Secret::parse(whsec(counting(23))).error(),
            invalid("", "a whsec_ secret has 24 to 75 bytes, not 23"));
  EXPECT_TRUE(Secret::parse(whsec(counting(24))).ok());
  EXPECT_TRUE(Secret::parse(whsec(counting(75))).ok());
  EXPECT_EQ(Secret::parse(whsec(counting(76))).error(),
            invalid("", "a whsec_ secret has 24 to 75 bytes, not 76"));
  EXPECT_EQ(Secret::parse("whsec_").error(),
            invalid("", "a whsec_ secret has 24 to 75 bytes, not 0"));
}

TEST(Secret, OfTwoHalvesHasSixtyFourBytes) {
  Bytes longer = published_whsk_bytes();
  longer.push_back(0);
  const Bytes seed_only(longer.begin(), longer.begin() + 32);

  EXPECT_EQ(Secret::parse(whsk(seed_only)).error(),
            invalid("", "a whsk_ secret has 64 bytes (seed and public key), not 32"));
  EXPECT_EQ(Secret::parse(whsk(longer)).error(),
            invalid("", "a whsk_ secret has 64 bytes (seed and public key), not 65"));
}

TEST(Secret, RefusesAPublicHalfThatIsNotOfItsSeed) {
  for (const std::size_t at : {0U, 31U, 32U, 63U}) {
    Bytes bytes = published_whsk_bytes();
    bytes[at] ^= 1U;

    EXPECT_EQ(Secret::parse(whsk(bytes)).error(),
              invalid("", "the public half of this whsk_ secret does not belong to its seed"));
  }
}

TEST(Secret, RefusesAnotherPrefix) {
  const Error expected =
      invalid("", "a secret must start with whsec_ (symmetric) or whsk_ (ed25519)");

  EXPECT_EQ(Secret::parse("").error(), expected);
  EXPECT_EQ(Secret::parse(to_base64(counting(24))).error(), expected);
  EXPECT_EQ(Secret::parse("WHSEC_" + to_base64(counting(24))).error(), expected);
  EXPECT_EQ(Secret::parse(" " + whsec(counting(24))).error(), expected);
  EXPECT_EQ(Secret::parse(kPublishedV1aPublicKey).error(), expected);
}

TEST(Secret, RefusesWhatIsNotBase64) {
  EXPECT_EQ(Secret::parse(whsec(counting(24)) + "\n").error(),
            invalid("", "what follows whsec_ is not base64"));
  EXPECT_EQ(Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_").error(),
            invalid("", "what follows whsec_ is not base64"));
  EXPECT_EQ(Secret::parse("whsk_%").error(), invalid("", "what follows whsk_ is not base64"));
}

// Any run of five characters of what was given would be a leak, the prefixes aside.
RC_GTEST_PROP(SecretProperty, NeverShowsAnyOfItsTextInAnError, ()) {
  const auto prefix = *rc::gen::element<std::string>("whsec_", "whsk_", "whpk_", "", "Bearer ");
  const auto size = *rc::gen::element<std::size_t>(5, 20, 23, 32, 64, 65, 76, 100);
  const auto bytes = *rc::gen::container<Bytes>(size, rc::gen::arbitrary<std::uint8_t>());
  const auto junk = *rc::gen::element<std::string>("", "!", "=====");
  const std::string key = to_base64(bytes);

  const Result<Secret> parsed = Secret::parse(prefix + key + junk);

  RC_PRE(!parsed.ok());
  const std::string text = parsed.error().text();
  for (std::size_t i = 0; i + 5 <= key.size(); ++i) {
    RC_ASSERT(text.find(key.substr(i, 5)) == std::string::npos);
  }
}

RC_GTEST_PROP(SecretProperty, IsParsedFromWhatItReveals, (std::uint64_t seed)) {
  SeededSecureRandom random(seed);
  const Secret symmetric = Secret::generate(random);
  const Secret asymmetric = Secret::generate_asymmetric(random);

  RC_ASSERT(Secret::parse(symmetric.reveal()).value() == symmetric);
  RC_ASSERT(Secret::parse(asymmetric.reveal()).value() == asymmetric);
}

RC_GTEST_PROP(SecretProperty, EqualsOnlyASecretWithTheSameBytes, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(24, 76);
  const auto bytes = *rc::gen::container<Bytes>(size, rc::gen::arbitrary<std::uint8_t>());
  const auto bit = *rc::gen::inRange<std::size_t>(0, size * 8);
  Bytes flipped = bytes;
  flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ (1U << (bit % 8)));

  const Secret secret = Secret::parse(whsec(bytes)).value();

  RC_ASSERT(secret == Secret::parse(whsec(bytes)).value());
  RC_ASSERT(secret != Secret::parse(whsec(flipped)).value());
}

TEST(Secret, DiffersFromTheSameBytesFollowedByZero) {
  Bytes longer = counting(24);
  longer.push_back(0);

  EXPECT_FALSE(Secret::parse(whsec(counting(24))).value() == Secret::parse(whsec(longer)).value());
}

TEST(Secret, DiffersFromTheSameBytesOfTheOtherKind) {
  EXPECT_FALSE(Secret::parse(whsec(published_whsk_bytes())).value() ==
               Secret::parse(kPublishedV1a.secret).value());
}

TEST(Secret, IsGeneratedAnewEachTime) {
  SeededSecureRandom random(7);
  const Secret first = Secret::generate(random);
  const Secret second = Secret::generate(random);
  const Secret third = Secret::generate_asymmetric(random);
  const Secret fourth = Secret::generate_asymmetric(random);

  EXPECT_EQ(first.bytes().size(), 24U);
  EXPECT_FALSE(first == second);
  EXPECT_EQ(third.kind(), Secret::Kind::Asymmetric);
  EXPECT_FALSE(third == fourth);
}

TEST(Secret, LeavesNoBytesBehindWhenDestroyed) {
  const Bytes key = counting(75);
  alignas(Secret) unsigned char memory[sizeof(Secret)];
  auto* secret = new (memory) Secret(Secret::parse(whsec(key)).value());
  ASSERT_TRUE(holds_bytes_of(memory, sizeof memory, key));

  secret->~Secret();

  EXPECT_FALSE(holds_bytes_of(memory, sizeof memory, key));
}

TEST(Secret, LeavesNoBytesBehindWhenMoved) {
  const Bytes key = counting(75);
  Secret first = Secret::parse(whsec(key)).value();
  Secret second = std::move(first);
  ASSERT_TRUE(holds_bytes_of(&second, sizeof second, key));
  EXPECT_FALSE(holds_bytes_of(&first, sizeof first, key));  // NOLINT(bugprone-use-after-move)

  Secret third = Secret::parse(kPublishedV1.secret).value();
  third = std::move(second);

  EXPECT_EQ(third.reveal(), whsec(key));
  EXPECT_FALSE(holds_bytes_of(&second, sizeof second, key));  // NOLINT(bugprone-use-after-move)
}

TEST(Secret, LeavesNoTailOfALongerOneWhenAssigned) {
  const Bytes key(75, 0x5a);
  Secret secret = Secret::parse(whsec(key)).value();

  secret = Secret::parse(kPublishedV1.secret).value();

  EXPECT_EQ(secret.reveal(), kPublishedV1.secret);
  EXPECT_FALSE(holds_bytes_of(&secret, sizeof secret, key));
}

TEST(Secret, SurvivesBeingMovedToItself) {
  Secret secret = Secret::parse(kPublishedV1.secret).value();
  Secret& same = secret;

  secret = std::move(same);

  EXPECT_EQ(secret.reveal(), kPublishedV1.secret);
}

TEST(SecretDeathTest, IsNotUsedOnceMovedFrom) {
  Secret secret = Secret::parse(kPublishedV1.secret).value();
  const Secret taken = std::move(secret);

  EXPECT_DEATH(static_cast<void>(secret.reveal()), "CHECK");  // NOLINT: on purpose
}

}  // namespace
}  // namespace petrel::signature
