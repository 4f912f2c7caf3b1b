#include "intake/idempotency.h"

#include <set>

#include <gtest/gtest.h>

namespace petrel::intake {
namespace {

constexpr WallTime kNow = wall_from_unix_seconds(1'800'000'000);

OrganisationId organisation(std::uint8_t last) {
  Ksuid::Bytes bytes{};
  bytes.back() = last;
  return OrganisationId(Ksuid(bytes));
}

TEST(Idempotency, TheKeyIsThatOfOneAskerForOnePath) {
  const auto key = [](std::uint8_t asker, std::string_view path, std::string_view sent) {
    return idempotent_answer({organisation(asker), path, sent, "body"}, kNow).key;
  };
  const std::set<std::string> keys = {key(1, "/a", "k"), key(2, "/a", "k"), key(1, "/b", "k"),
                                      key(1, "/a", "l"), key(1, "/", "ak"), key(1, "/ak", "")};

  EXPECT_EQ(keys.size(), 6U);
  EXPECT_EQ(key(1, "/a", "k"), key(1, "/a", "k"));
  EXPECT_EQ(key(1, "/a", "k").size(), 32U);
}

TEST(Idempotency, TheBodyIsNoPartOfTheKey) {
  const auto one = idempotent_answer({organisation(1), "/a", "k", "one"}, kNow);
  const auto two = idempotent_answer({organisation(1), "/a", "k", "two"}, kNow);

  EXPECT_EQ(one.key, two.key);
  EXPECT_NE(one.body_hash, two.body_hash);
  EXPECT_EQ(one.expires_at, kNow + std::chrono::hours(12));
}

}  // namespace
}  // namespace petrel::intake
