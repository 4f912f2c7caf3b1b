#include "signature/signer.h"

#include <gtest/gtest.h>

#include "signature/testing/published_vectors.h"

namespace petrel::signature {
namespace {

Secret secret_of(const PublishedVector& vector) { return Secret::parse(vector.secret).value(); }

std::string sign(std::vector<Secret> secrets, const PublishedVector& vector) {
  Signer signer(secrets);
  return signer.sign(vector.id, wall_from_unix_seconds(vector.timestamp), vector.body);
}

TEST(Signer, GivesThePublishedSignatures) {
  for (const PublishedVector& vector : {kPublishedV1, kPublishedV1Other, kPublishedV1a}) {
    EXPECT_EQ(sign({secret_of(vector)}, vector), vector.signature);
  }
}

TEST(Signer, SignsWithEverySecretInTheOrderGiven) {
  const Secret v1 = secret_of(kPublishedV1);
  const Secret v1a = secret_of(kPublishedV1a);
  const Secret other = secret_of(kPublishedV1Other);
  const std::string v1_text(kPublishedV1.signature);
  const std::string v1a_text(kPublishedV1a.signature);
  const std::string other_text = sign({other}, kPublishedV1);

  EXPECT_EQ(sign({v1, v1a}, kPublishedV1), v1_text + " " + v1a_text);
  EXPECT_EQ(sign({v1a, other, v1}, kPublishedV1), v1a_text + " " + other_text + " " + v1_text);
  EXPECT_EQ(sign({v1a, v1a}, kPublishedV1), v1a_text + " " + v1a_text);
}

TEST(Signer, C8SignsARetryOfTheSameBytesAfreshAtItsOwnTime) {
  const std::vector<Secret> secrets = {secret_of(kPublishedV1)};
  Signer signer(secrets);
  const WallTime first_at = wall_from_unix_seconds(kPublishedV1.timestamp);
  const WallTime retry_at = first_at + std::chrono::seconds(5);

  const std::string first = signer.sign(kPublishedV1.id, first_at, kPublishedV1.body);
  const std::string retry = signer.sign(kPublishedV1.id, retry_at, kPublishedV1.body);

  EXPECT_EQ(first, kPublishedV1.signature);
  EXPECT_EQ(retry, "v1,IFrHNvFdSlxTmO/uOkpKdCwyVAkNxveF9T56NbTULfE=");
  EXPECT_EQ(timestamp_text(first_at), "1614265330");
  EXPECT_EQ(timestamp_text(retry_at), "1614265335");
}

TEST(Signer, GivesTheSameSignatureAgainForTheSameMoment) {
  const std::vector<Secret> secrets = {secret_of(kPublishedV1), secret_of(kPublishedV1a)};
  Signer signer(secrets);
  const WallTime at = wall_from_unix_seconds(kPublishedV1.timestamp);
  const std::string first = signer.sign(kPublishedV1.id, at, kPublishedV1.body);
  const std::string between = signer.sign("msg_2", at, "another body");

  EXPECT_EQ(signer.sign(kPublishedV1.id, at, kPublishedV1.body), first);
  EXPECT_NE(between, first);
}

TEST(Signer, CutsTheMomentToWholeSeconds) {
  const std::vector<Secret> secrets = {secret_of(kPublishedV1)};
  Signer signer(secrets);
  const WallTime at = wall_from_unix_seconds(kPublishedV1.timestamp) + Duration(999'999);

  EXPECT_EQ(signer.sign(kPublishedV1.id, at, kPublishedV1.body), kPublishedV1.signature);
  EXPECT_EQ(timestamp_text(at), "1614265330");
}

TEST(Signer, SignsABodyByteForByte) {
  const std::vector<Secret> secrets = {secret_of(kPublishedV1), secret_of(kPublishedV1a)};
  Signer signer(secrets);
  const WallTime at = wall_from_unix_seconds(kPublishedV1.timestamp);

  const std::string whole = signer.sign("msg_1", at, std::string_view("a\0b", 3));

  EXPECT_NE(whole, signer.sign("msg_1", at, "a"));
  EXPECT_NE(whole, signer.sign("msg_1", at, "ab"));
  EXPECT_NE(signer.sign("msg_1", at, ""), signer.sign("msg_1", at, "\n"));
}

TEST(Signer, KeepsNoHoldOnTheSecretsItWasMadeFrom) {
  std::vector<Secret> secrets = {secret_of(kPublishedV1), secret_of(kPublishedV1a)};
  Signer signer(secrets);
  secrets.clear();
  secrets.shrink_to_fit();

  const std::string header = signer.sign(
      kPublishedV1.id, wall_from_unix_seconds(kPublishedV1.timestamp), kPublishedV1.body);

  EXPECT_EQ(header,
            std::string(kPublishedV1.signature) + " " + std::string(kPublishedV1a.signature));
}

TEST(SignerDeathTest, NeverSignsAnIdThatCouldPassForAnIdAndATimestamp) {
  const std::vector<Secret> secrets = {secret_of(kPublishedV1)};
  Signer signer(secrets);

  EXPECT_DEATH(signer.sign("msg.1", WallTime(), "body"), "CHECK");
  EXPECT_DEATH(signer.sign("", WallTime(), "body"), "CHECK");
}

TEST(SignerDeathTest, HasASecret) { EXPECT_DEATH(Signer({}), "CHECK"); }

}  // namespace
}  // namespace petrel::signature
