#include "dispatch/tls_contexts.h"

#include <gtest/gtest.h>

#include "dispatch/testing/test_authority.h"

namespace petrel::dispatch {
namespace {

constexpr MonoTime kStart{std::chrono::hours(1)};

TlsMaterial material(const std::string& ca, const std::string& certificate = {},
                     const std::string& key = {}) {
  SeededSecureRandom random(7);
  auto endpoint = std::make_shared<model::Endpoint>(
      signature::KeyRing{.current = signature::Secret::generate(random)});
  endpoint->ca_pem = ca;
  endpoint->client_certificate_pem = certificate;
  endpoint->client_key_pem = key;
  return TlsMaterial(std::move(endpoint));
}

TEST(TlsMaterial, HasAnIdForEveryDifference) {
  EXPECT_EQ(material("").id(), "");
  EXPECT_EQ(TlsMaterial().id(), "");
  EXPECT_EQ(material("a", "b", "c").id(), material("a", "b", "c").id());
  EXPECT_NE(material("a", "b", "c").id(), material("a", "b", "d").id());
  EXPECT_NE(material("a").id(), material("", "a").id());
  EXPECT_NE(material("", "a").id(), material("", "", "a").id());
  EXPECT_NE(material("ab", "c").id(), material("a", "bc").id());
}

class TlsContextsTest : public testing::Test {
 protected:
  std::shared_ptr<TlsContext> find(const TlsMaterial& wanted, MonoTime now = kStart) {
    const auto found = contexts_.find(wanted, now);
    EXPECT_TRUE(found.ok()) << found.error().text();
    return found.ok() ? *found : nullptr;
  }

  // Different texts for the same authority.
  TlsMaterial numbered(std::size_t number) const {
    return material(authority_.ca_pem() + "# " + std::to_string(number) + "\n");
  }

  TestAuthority authority_;
  std::shared_ptr<TlsContext> usual_ = *TlsContext::make(authority_.ca_file());
  TlsContexts contexts_{usual_};
};

TEST_F(TlsContextsTest, HasOneForEveryMaterial) {
  const auto one = find(numbered(1));
  EXPECT_EQ(find(numbered(1)), one);
  EXPECT_NE(find(numbered(2)), one);
  EXPECT_NE(one, usual_);
  EXPECT_EQ(find(material("")), usual_);
  EXPECT_EQ(contexts_.own(), 2U);
}

TEST_F(TlsContextsTest, LetsGoOfWhatNobodyUses) {
  auto used = find(numbered(1));
  find(numbered(2));

  contexts_.sweep(kStart + TlsContexts::kUnusedMax - std::chrono::seconds(1));
  EXPECT_EQ(contexts_.own(), 2U);
  contexts_.sweep(kStart + TlsContexts::kUnusedMax);
  EXPECT_EQ(contexts_.own(), 1U);
  EXPECT_EQ(find(numbered(1), kStart), used);
  used.reset();
  contexts_.sweep(kStart + TlsContexts::kUnusedMax);
  EXPECT_EQ(contexts_.own(), 0U);
}

TEST_F(TlsContextsTest, KeepsNoMoreThanItsLimitAndThoseAskedForLast) {
  const auto first = find(numbered(0), kStart);
  const auto second = find(numbered(1), kStart + std::chrono::seconds(1));
  for (std::size_t i = 2; i < TlsContexts::kOwnMax; ++i) {
    find(numbered(i), kStart + std::chrono::seconds(2));
  }
  find(numbered(0), kStart + std::chrono::seconds(3));
  find(numbered(TlsContexts::kOwnMax), kStart + std::chrono::seconds(4));

  EXPECT_EQ(contexts_.own(), TlsContexts::kOwnMax);
  EXPECT_EQ(find(numbered(0)), first);
  EXPECT_NE(find(numbered(1)), second);
}

TEST_F(TlsContextsTest, KeepsNothingThatCannotBeUsed) {
  const auto found = contexts_.find(material("no PEM"), kStart);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::Invalid);
  EXPECT_EQ(found.error().field, "caCertificate");
  EXPECT_EQ(contexts_.own(), 0U);
}

}  // namespace
}  // namespace petrel::dispatch
