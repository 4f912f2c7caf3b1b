#include "model/delivery.h"

#include <gtest/gtest.h>

namespace petrel::model {
namespace {

using enum DeliveryState;

TEST(DeliveryState, ALiveDeliveryEndsOrIsTriedAgain) {
  for (const DeliveryState from : {Pending, Retrying}) {
    EXPECT_TRUE(may_become(from, Retrying));
    EXPECT_TRUE(may_become(from, Delivered));
    EXPECT_TRUE(may_become(from, Dead));
    EXPECT_FALSE(may_become(from, Pending));
    EXPECT_FALSE(may_become(from, Discarded));
  }
}

TEST(DeliveryState, OnlyADeadLetterCanBeDiscarded) {
  EXPECT_TRUE(may_become(Dead, Discarded));
  EXPECT_FALSE(may_become(Delivered, Discarded));
  EXPECT_FALSE(may_become(Discarded, Discarded));
}

TEST(DeliveryState, A9_OnlyReplayBringsOneBackThatHasEnded) {
  for (const DeliveryState from : {Delivered, Dead, Discarded}) {
    EXPECT_TRUE(may_become(from, Pending));
    EXPECT_FALSE(may_become(from, Retrying));
    EXPECT_FALSE(may_become(from, Delivered));
    EXPECT_FALSE(may_become(from, Dead));
  }
}

TEST(DeliveryState, HasTheWordsOfTheDocuments) {
  EXPECT_EQ(to_string(Pending), "pending");
  EXPECT_EQ(to_string(Retrying), "retrying");
  EXPECT_EQ(to_string(Delivered), "delivered");
  EXPECT_EQ(to_string(Dead), "dead");
  EXPECT_EQ(to_string(Discarded), "discarded");
}

}  // namespace
}  // namespace petrel::model
