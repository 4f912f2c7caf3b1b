#include "vault/vault.h"

#include <gtest/gtest.h>

namespace petrel::vault {
namespace {

const std::string kPlain = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

TEST(Vault, GivesBackWhatWasSealed) {
  const Vault vault({"a secret"});

  for (const std::string& plain : {kPlain, std::string(), std::string("\0\xFF", 2)}) {
    EXPECT_EQ(vault.open(vault.seal(plain, "here"), "here").value(), plain);
  }
}

TEST(Vault, ShowsNothingOfTheText) {
  const Vault vault({"a secret"});
  const std::string sealed = vault.seal(kPlain, "here");

  EXPECT_EQ(sealed.find(kPlain), std::string::npos);
  EXPECT_EQ(sealed.find(kPlain.substr(0, 8)), std::string::npos);
  EXPECT_NE(sealed, vault.seal(kPlain, "here")) << "the same text must not look the same";
}

TEST(Vault, TheSameSecretOpensInAnotherProcess) {
  const std::string sealed = Vault({"a secret"}).seal(kPlain, "here");

  EXPECT_EQ(Vault({"a secret"}).open(sealed, "here").value(), kPlain);
}

TEST(Vault, AMissingKeyIsNamedByItsIdAndNothingElseIsSaid) {
  const Vault ours({"a secret"});
  const Vault theirs({"another secret"});

  const auto opened = theirs.open(ours.seal(kPlain, "here"), "here");

  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error(),
            conflict("sealed with key " + ours.current_id() + ", which this server does not have"));
  EXPECT_EQ(ours.current_id().size(), 16U);
  EXPECT_NE(ours.current_id(), theirs.current_id());
}

TEST(Vault, SealedForOnePlaceItDoesNotOpenInAnother) {
  const Vault vault({"a secret"});

  const auto opened = vault.open(vault.seal(kPlain, "here"), "there");

  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind, ErrorKind::Corrupt);
}

TEST(Vault, AnyChangedByteIsNoticed) {
  const Vault vault({"a secret"});
  const std::string sealed = vault.seal(kPlain, "here");

  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(vault.open(changed, "here").ok()) << i;
  }
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    const auto opened = vault.open(std::string_view(sealed).substr(0, size), "here");
    ASSERT_FALSE(opened.ok()) << size;
    EXPECT_EQ(opened.error().kind, ErrorKind::Corrupt);
  }
}

TEST(Vault, ANewKeySealsAndTheOldOneStillOpens) {
  const Vault before({"old"});
  const Vault after({"new", "old"});
  const std::string sealed_before = before.seal(kPlain, "here");
  const std::string sealed_after = after.seal(kPlain, "here");

  EXPECT_EQ(after.open(sealed_before, "here").value(), kPlain);
  EXPECT_FALSE(after.is_current(sealed_before));
  EXPECT_TRUE(after.is_current(sealed_after));
  EXPECT_EQ(Vault({"new"}).open(sealed_after, "here").value(), kPlain);
  EXPECT_FALSE(before.open(sealed_after, "here").ok());
  EXPECT_FALSE(after.is_current(""));
}

}  // namespace
}  // namespace petrel::vault
