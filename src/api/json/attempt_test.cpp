#include "api/json/attempt.h"

#include <gtest/gtest.h>

namespace petrel::api {
namespace {

TEST(ShownBody, TextStaysAsItIs) {
  EXPECT_EQ(shown_body(""), "");
  EXPECT_EQ(shown_body("plain"), "plain");
  EXPECT_EQ(shown_body("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(ShownBody, WhatIsNotTextIsBase64) {
  for (const char* body : {"\xff", "a\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    EXPECT_NE(shown_body(body), body);
  }
  EXPECT_EQ(shown_body("\xff\xfe"), "//4=");
}

TEST(ShownBody, ACharacterCutInTwoAtTheEndIsDropped) {
  const std::string kept(model::kResponseKeptBytes - 2, 'a');
  EXPECT_EQ(shown_body(kept + "\xe2\x82"), kept);
  EXPECT_NE(shown_body(kept.substr(10) + "\xe2\x82"), kept.substr(10));
}

}  // namespace
}  // namespace petrel::api
