#include "signature/verify.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/base64.h"
#include "signature/key_ring.h"
#include "signature/signer.h"
#include "signature/testing/published_vectors.h"

namespace petrel::signature {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

const Error kNoMatch = invalid("webhook-signature", "no signature matches");

Secret secret_of(const PublishedVector& vector) { return Secret::parse(vector.secret).value(); }

// A request as a receiver sees it, good as it stands: each test spoils one thing.
struct Request {
  std::vector<VerificationKey> keys = {secret_of(kPublishedV1)};
  std::string id{kPublishedV1.id};
  std::string timestamp = "1614265330";
  std::string signature{kPublishedV1.signature};
  std::string body{kPublishedV1.body};
  WallTime now = wall_from_unix_seconds(kPublishedV1.timestamp);

  Status verify() const { return signature::verify(keys, {id, timestamp, signature}, body, now); }
};

Request published_v1a() {
  Request request;
  request.keys = {PublicKey::parse(kPublishedV1aPublicKey).value()};
  request.signature = kPublishedV1a.signature;
  return request;
}

// Anything that can be signed: ids of any bytes but dots, bodies of any bytes, both kinds of key.
Request random_request() {
  const auto id = *rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::distinctFrom(rc::gen::arbitrary<char>(), '.')));
  const auto body = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto at = wall_from_unix_seconds(*rc::gen::inRange<std::int64_t>(0, 253'402'300'799));
  SeededSecureRandom random(*rc::gen::arbitrary<std::uint64_t>());
  const Secret secret =
      *rc::gen::arbitrary<bool>() ? Secret::generate(random) : Secret::generate_asymmetric(random);

  Signer signer(std::vector<Secret>{secret});
  return {{secret}, id, timestamp_text(at), signer.sign(id, at, body), body, at};
}

void flip_any_bit(std::string& text) {
  const auto bit = *rc::gen::inRange<std::size_t>(0, text.size() * 8);
  text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
}

TEST(Verify, AcceptsThePublishedSignatures) {
  Request other;
  other.keys = {secret_of(kPublishedV1Other)};
  other.id = kPublishedV1Other.id;
  other.timestamp = "1649367553";
  other.signature = kPublishedV1Other.signature;
  other.body = kPublishedV1Other.body;
  other.now = wall_from_unix_seconds(kPublishedV1Other.timestamp);

  EXPECT_TRUE(Request().verify().ok());
  EXPECT_TRUE(other.verify().ok());
  EXPECT_TRUE(published_v1a().verify().ok());
}

TEST(Verify, TakesAnAsymmetricSecretForItsPublicHalf) {
  Request request = published_v1a();
  request.keys = {secret_of(kPublishedV1a)};

  EXPECT_TRUE(request.verify().ok());
}

TEST(Verify, NamesTheHeaderThatIsMissing) {
  Request without_id;
  without_id.id.clear();
  Request without_timestamp;
  without_timestamp.timestamp.clear();
  Request without_signature;
  without_signature.signature.clear();

  EXPECT_EQ(without_id.verify().error(), invalid("webhook-id", "is missing"));
  EXPECT_EQ(without_timestamp.verify().error(), invalid("webhook-timestamp", "is missing"));
  EXPECT_EQ(without_signature.verify().error(), invalid("webhook-signature", "is missing"));
}

TEST(Verify, RefusesATimestampThatIsNotAWholeNumber) {
  for (const std::string timestamp : {"now", "1614265330.0", "-1614265330", "+1614265330",
                                      " 1614265330", "0x6037", "99999999999999999999"}) {
    Request request;
    request.timestamp = timestamp;

    EXPECT_EQ(request.verify().error(),
              invalid("webhook-timestamp",
                      "\"" + timestamp + "\" is not a whole number of seconds since 1970"));
  }
}

TEST(Verify, AcceptsATimestampUpToFiveMinutesOld) {
  Request request;
  const WallTime sent = request.now;

  request.now = sent + seconds(301) - Duration(1);
  EXPECT_TRUE(request.verify().ok());

  request.now = sent + seconds(301);
  EXPECT_EQ(request.verify().error(),
            invalid("webhook-timestamp", "is too old: 5m 1s before now, 5m allowed"));
}

TEST(Verify, AcceptsATimestampUpToFiveMinutesAhead) {
  Request request;
  const WallTime sent = request.now;

  request.now = sent - seconds(300);
  EXPECT_TRUE(request.verify().ok());

  request.now = sent - seconds(300) - Duration(1);
  EXPECT_EQ(request.verify().error(),
            invalid("webhook-timestamp", "is too new: 5m 1s after now, 5m allowed"));
}

TEST(Verify, AllowsTheToleranceThatIsAskedFor) {
  const Request request;
  const SignatureHeaders headers{request.id, request.timestamp, request.signature};
  const WallTime later = request.now + seconds(10);

  EXPECT_TRUE(verify(request.keys, headers, request.body, later, seconds(10)).ok());
  EXPECT_FALSE(verify(request.keys, headers, request.body, later, seconds(9)).ok());
}

TEST(Verify, SurvivesATimestampAtTheEndOfItsRange) {
  for (const char* timestamp : {"9223372036854775807", "253402300800", "9223372036855"}) {
    Request request;
    request.timestamp = timestamp;

    EXPECT_EQ(request.verify().error().detail.substr(0, 11), "is too new:");
  }
}

// Otherwise the signature over "a" "." "5" "." "6.x" would do for id "a.5", timestamp 6, body "x".
TEST(Verify, RefusesAnIdThatCouldPassForAnIdAndATimestamp) {
  Request request;
  Signer signer(std::vector<Secret>{secret_of(kPublishedV1)});
  const std::string later = "1614999999";
  request.signature = signer.sign(request.id, request.now, later + ".{}");
  request.id += "." + request.timestamp;
  request.timestamp = later;
  request.body = "{}";
  request.now = wall_from_unix_seconds(1614999999);

  EXPECT_EQ(request.verify().error(), invalid("webhook-id", "must not contain a '.'"));
}

TEST(Verify, NeverAcceptsASignatureThatIsCutShort) {
  for (const Request& good : {Request(), published_v1a()}) {
    ASSERT_TRUE(good.verify().ok());
    for (std::size_t size = 1; size < good.signature.size(); ++size) {
      Request request = good;
      request.signature.resize(size);

      EXPECT_EQ(request.verify().error(), kNoMatch) << size;
    }
  }
}

TEST(Verify, NeverAcceptsASignatureWithMoreBehindIt) {
  for (const Request& good : {Request(), published_v1a()}) {
    for (const std::string extra : {"A", "=", ",", "\n", ",v1"}) {
      Request request = good;
      request.signature += extra;

      EXPECT_EQ(request.verify().error(), kNoMatch);
    }
  }
}

TEST(Verify, NeverAcceptsEmptySignatures) {
  for (const char* signature : {"v1,", "v1", ",", "v1a,", " ", "v1, v1a, v1,", "v1,="}) {
    Request request;
    request.keys.emplace_back(PublicKey::parse(kPublishedV1aPublicKey).value());
    request.signature = signature;

    EXPECT_EQ(request.verify().error(), kNoMatch) << signature;
  }
}

TEST(Verify, NeedsAVersionThatFitsTheKey) {
  Request v1_as_v1a;
  v1_as_v1a.signature.replace(0, 2, "v1a");
  Request v1a_as_v1 = published_v1a();
  v1a_as_v1.signature.replace(0, 3, "v1");
  Request bare;
  bare.signature.erase(0, 3);
  Request v1_for_public_key = Request();
  v1_for_public_key.keys = published_v1a().keys;

  EXPECT_EQ(v1_as_v1a.verify().error(), kNoMatch);
  EXPECT_EQ(v1a_as_v1.verify().error(), kNoMatch);
  EXPECT_EQ(bare.verify().error(), kNoMatch);
  EXPECT_EQ(v1_for_public_key.verify().error(), kNoMatch);
}

TEST(Verify, SkipsUnknownVersionsAndWrongSignatures) {
  const std::string wrong =
      "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= "
      "v1a," +
      to_base64(std::vector<std::uint8_t>(PublicKey::kSignatureBytes, 1));
  for (const Request& good : {Request(), published_v1a()}) {
    Request last = good;
    last.signature = "v2,abc v0 , " + wrong + " " + good.signature;
    Request first = good;
    first.signature = good.signature + " " + wrong + " v9,abc";
    Request neither = good;
    neither.signature = wrong;

    EXPECT_TRUE(last.verify().ok());
    EXPECT_TRUE(first.verify().ok());
    EXPECT_EQ(neither.verify().error(), kNoMatch);
  }
}

TEST(Verify, CountsSpacesForNothing) {
  Request request;
  request.signature = std::string(40, ' ') + request.signature + "  ";

  EXPECT_TRUE(request.verify().ok());
}

TEST(Verify, LooksAtThirtyTwoSignaturesAndNoMore) {
  Request request;
  const std::string good = request.signature;
  std::string others;
  for (int i = 0; i < 31; ++i) others += "v1,abc ";

  request.signature = others + good;
  EXPECT_TRUE(request.verify().ok());

  request.signature = "v1,abc " + others + good;
  EXPECT_EQ(request.verify().error(), kNoMatch);
}

TEST(Verify, AcceptsAnyOfSeveralKeysInAnyPlace) {
  const VerificationKey other = secret_of(kPublishedV1Other);
  const VerificationKey good = secret_of(kPublishedV1);
  const VerificationKey asymmetric = PublicKey::parse(kPublishedV1aPublicKey).value();
  Request request;

  request.keys = {good, other, asymmetric};
  EXPECT_TRUE(request.verify().ok());
  request.keys = {asymmetric, other, good};
  EXPECT_TRUE(request.verify().ok());
  request.keys = {asymmetric, other};
  EXPECT_EQ(request.verify().error(), kNoMatch);
  request.keys = {};
  EXPECT_EQ(request.verify().error(), kNoMatch);
}

TEST(Verify, AcceptsOldAndNewSecretDuringARotationAndOnlyTheNewAfterwards) {
  const Secret before = secret_of(kPublishedV1);
  const Secret after = secret_of(kPublishedV1a);
  KeyRing ring{before};
  Request request;
  ASSERT_TRUE(ring.rotate(after, request.now - hours(1), hours(2)).ok());

  request.signature = Signer(ring.active(request.now)).sign(request.id, request.now, request.body);
  request.keys = {before};
  EXPECT_TRUE(request.verify().ok());
  request.keys = {after};
  EXPECT_TRUE(request.verify().ok());

  request.now += hours(1);
  request.timestamp = timestamp_text(request.now);
  request.signature = Signer(ring.active(request.now)).sign(request.id, request.now, request.body);
  EXPECT_TRUE(request.verify().ok());
  request.keys = {before};
  EXPECT_EQ(request.verify().error(), kNoMatch);
}

TEST(Verify, C8AcceptsARetryOnlyWithItsOwnTimestamp) {
  Request retry;
  const WallTime first_at = retry.now;
  retry.now = first_at + seconds(60);
  Signer signer(std::vector<Secret>{secret_of(kPublishedV1)});
  retry.signature = signer.sign(retry.id, retry.now, retry.body);

  retry.timestamp = timestamp_text(retry.now);
  EXPECT_TRUE(retry.verify().ok());
  retry.timestamp = timestamp_text(first_at);
  EXPECT_EQ(retry.verify().error(), kNoMatch);
}

TEST(Verify, NeverShowsHeadersAtLengthInAnError) {
  Request request;
  request.timestamp = std::string(10'000, 'x') + "\x1b[2J";

  EXPECT_LT(request.verify().error().text().size(), 200U);
}

RC_GTEST_PROP(VerifyProperty, AcceptsWhatWasSigned, ()) {
  RC_ASSERT(random_request().verify().ok());
}

RC_GTEST_PROP(VerifyProperty, NeverAcceptsAFlippedBit, ()) {
  Request request = random_request();
  const auto part = *rc::gen::inRange(0, 4);
  RC_PRE(part != 3 || !request.body.empty());

  switch (part) {
    case 0:
      flip_any_bit(request.id);
      break;
    case 1:
      flip_any_bit(request.timestamp);
      break;
    case 2:
      flip_any_bit(request.signature);
      break;
    default:
      flip_any_bit(request.body);
  }

  RC_ASSERT(!request.verify().ok());
}

// The timestamp stays inside the tolerance here, so that only the signature can give it away.
RC_GTEST_PROP(VerifyProperty, NeverAcceptsAnotherTimestamp, ()) {
  Request request = random_request();
  const auto shift = *rc::gen::distinctFrom(rc::gen::inRange(-300, 301), 0);
  const WallTime other = request.now + seconds(shift);
  RC_PRE(unix_seconds(other) >= 0);
  request.timestamp = timestamp_text(other);

  RC_ASSERT(request.verify().error() == kNoMatch);
}

RC_GTEST_PROP(VerifyProperty, NeverAcceptsALeadingZeroInTheTimestamp, ()) {
  Request request = random_request();
  request.timestamp.insert(0, "0");

  RC_ASSERT(request.verify().error() == kNoMatch);
}

RC_GTEST_PROP(VerifyProperty, NeverAcceptsAnotherKey, (std::uint64_t seed)) {
  Request request = random_request();
  SeededSecureRandom random(seed);
  const VerificationKey symmetric = Secret::generate(random);
  const VerificationKey asymmetric = Secret::generate_asymmetric(random);
  RC_PRE(request.keys[0] != symmetric && request.keys[0] != asymmetric);
  request.keys = {symmetric, asymmetric};

  RC_ASSERT(request.verify().error() == kNoMatch);
}

RC_GTEST_PROP(VerifyProperty, NeverAcceptsABodyCutShort, ()) {
  Request request = random_request();
  RC_PRE(!request.body.empty());
  request.body.pop_back();

  RC_ASSERT(request.verify().error() == kNoMatch);
}

}  // namespace
}  // namespace petrel::signature
