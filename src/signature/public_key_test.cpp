#include "signature/public_key.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/base64.h"
#include "signature/signed_content.h"
#include "signature/testing/published_vectors.h"

namespace petrel::signature {
namespace {

PublicKey published_key() { return PublicKey::parse(kPublishedV1aPublicKey).value(); }

std::string published_message() {
  return SignedContent{kPublishedV1a.id, "1614265330", kPublishedV1a.body}.joined();
}

std::vector<std::uint8_t> published_signature() {
  return *from_base64(kPublishedV1a.signature.substr(4));
}

std::string whpk(const std::vector<std::uint8_t>& bytes) { return "whpk_" + to_base64(bytes); }

TEST(PublicKey, AcceptsThePublishedSignature) {
  EXPECT_TRUE(published_key().accepts(published_signature(), published_message()));
}

TEST(PublicKey, RefusesAnotherMessage) {
  EXPECT_FALSE(published_key().accepts(published_signature(), published_message() + " "));
}

TEST(PublicKey, RefusesASignatureOfAnotherLength) {
  std::vector<std::uint8_t> longer = published_signature();
  longer.push_back(0);
  std::vector<std::uint8_t> shorter = published_signature();
  shorter.pop_back();

  EXPECT_FALSE(published_key().accepts(longer, published_message()));
  EXPECT_FALSE(published_key().accepts(shorter, published_message()));
  EXPECT_FALSE(published_key().accepts({}, published_message()));
}

TEST(PublicKey, GivesItsTextBack) { EXPECT_EQ(published_key().text(), kPublishedV1aPublicKey); }

TEST(PublicKey, IsParsedWithoutPaddingToo) {
  std::string_view unpadded = kPublishedV1aPublicKey;
  unpadded.remove_suffix(1);

  EXPECT_EQ(PublicKey::parse(unpadded).value(), published_key());
}

TEST(PublicKey, NamesWhatIsWrongWithItsText) {
  const std::string secret = "whsk_" + to_base64(std::vector<std::uint8_t>(32, 1));

  EXPECT_EQ(PublicKey::parse("").error(), invalid("", "a public key must start with whpk_"));
  EXPECT_EQ(PublicKey::parse(secret).error(), invalid("", "a public key must start with whpk_"));
  EXPECT_EQ(PublicKey::parse("whpk_%").error(), invalid("", "what follows whpk_ is not base64"));
  EXPECT_EQ(PublicKey::parse(whpk(std::vector<std::uint8_t>(31))).error(),
            invalid("", "a public key has 32 bytes, not 31"));
  EXPECT_EQ(PublicKey::parse(whpk(std::vector<std::uint8_t>(33))).error(),
            invalid("", "a public key has 32 bytes, not 33"));
}

// The point of order 1: with it as the key, a signature can be made without any secret.
TEST(PublicKey, IsNeverAPointOfSmallOrder) {
  std::vector<std::uint8_t> neutral(32, 0);
  neutral[0] = 1;

  EXPECT_EQ(PublicKey::parse(whpk(neutral)).error(),
            invalid("", "these bytes are not an ed25519 public key"));
}

}  // namespace
}  // namespace petrel::signature
