#include "policy/receiver_wish.h"

#include <gtest/gtest.h>

namespace petrel::policy {
namespace {

constexpr ReceiverWish kNothing{};
constexpr ReceiverWish kAbort{.aborts_message = true, .disables_endpoint = false};
constexpr ReceiverWish kDisable{.aborts_message = false, .disables_endpoint = true};
constexpr ReceiverWish kBoth{.aborts_message = true, .disables_endpoint = true};

TEST(ReceiverWish, KnowsItsTwoWordsInAnyCaseAndWithSpaceAround) {
  EXPECT_EQ(parse_receiver_wish("abort-message"), kAbort);
  EXPECT_EQ(parse_receiver_wish("disable"), kDisable);
  EXPECT_EQ(parse_receiver_wish(" \tAbort-Message "), kAbort);
  EXPECT_EQ(parse_receiver_wish("DISABLE"), kDisable);
}

TEST(ReceiverWish, EveryWordOfAListCounts) {
  EXPECT_EQ(parse_receiver_wish("abort-message,disable"), kBoth);
  EXPECT_EQ(parse_receiver_wish("disable , later,\tabort-message"), kBoth);
  EXPECT_EQ(parse_receiver_wish(",,disable,"), kDisable);
}

TEST(ReceiverWish, WordsThatMeanNothingArePassedOver) {
  for (const std::string_view header :
       {"", " ", ",", "abort", "disabled", "abort message", "disable;now", "no-disable",
        "\"disable\"", "disable abort-message"}) {
    EXPECT_EQ(parse_receiver_wish(header), kNothing) << header;
  }
}

}  // namespace
}  // namespace petrel::policy
