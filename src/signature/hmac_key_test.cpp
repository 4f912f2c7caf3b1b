#include "signature/hmac_key.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sodium.h>

namespace petrel::signature {
namespace {

HmacKey key_of(std::string_view text) {
  return HmacKey({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

HmacKey::Tag tag_of(HmacKey& key, std::string_view message) {
  return key.tag(std::array<std::string_view, 1>{message});
}

std::string hex(const HmacKey::Tag& tag) {
  std::string text(tag.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), tag.data(), tag.size());
  text.pop_back();
  return text;
}

TEST(HmacKey, GivesTheTagsOfRfc4231) {
  HmacKey of_test_case_2 = key_of("Jefe");
  HmacKey of_test_case_6 = key_of(std::string(131, '\xaa'));

  EXPECT_EQ(hex(tag_of(of_test_case_2, "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(tag_of(of_test_case_6, "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacKey, GivesTheSameTagTheSecondTime) {
  HmacKey key = key_of("Jefe");
  const HmacKey::Tag first = tag_of(key, "a message");
  const HmacKey::Tag between = tag_of(key, "another");

  EXPECT_EQ(tag_of(key, "a message"), first);
  EXPECT_NE(between, first);
}

RC_GTEST_PROP(HmacKeyProperty, TagsPartsAsIfTheyWereJoined,
              (const std::vector<std::string>& parts)) {
  HmacKey key = key_of("Jefe");
  const std::vector<std::string_view> views(parts.begin(), parts.end());
  std::string joined;
  for (const std::string& part : parts) joined += part;

  RC_ASSERT(key.tag(views) == tag_of(key, joined));
}

}  // namespace
}  // namespace petrel::signature
