#include "policy/receiver_directive.h"

#include <gtest/gtest.h>

namespace petrel::policy {
namespace {

constexpr ReceiverDirective kNothing{};
constexpr ReceiverDirective kAbort{.aborts_message = true, .disables_endpoint = false};
constexpr ReceiverDirective kDisable{.aborts_message = false, .disables_endpoint = true};
constexpr ReceiverDirective kBoth{.aborts_message = true, .disables_endpoint = true};

TEST(ReceiverDirective, KnowsItsTwoWordsInAnyCaseAndWithSpaceAround) {
  EXPECT_EQ(parse_receiver_directive("abort-message"), kAbort);
  EXPECT_EQ(parse_receiver_directive("disable"), kDisable);
  EXPECT_EQ(parse_receiver_directive(" \tAbort-Message "), kAbort);
  EXPECT_EQ(parse_receiver_directive("DISABLE"), kDisable);
}

TEST(ReceiverDirective, EveryWordOfAListCounts) {
  EXPECT_EQ(parse_receiver_directive("abort-message,disable"), kBoth);
  EXPECT_EQ(parse_receiver_directive("disable , later,\tabort-message"), kBoth);
  EXPECT_EQ(parse_receiver_directive(",,disable,"), kDisable);
}

TEST(ReceiverDirective, WordsThatMeanNothingArePassedOver) {
  for (const std::string_view header :
       {"", " ", ",", "abort", "disabled", "abort message", "disable;now", "no-disable",
        "\"disable\"", "disable abort-message"}) {
    EXPECT_EQ(parse_receiver_directive(header), kNothing) << header;
  }
}

}  // namespace
}  // namespace petrel::policy
