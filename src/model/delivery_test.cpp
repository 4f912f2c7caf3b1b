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
  }
}

TEST(DeliveryState, A9_OnlyReplayBringsOneBackThatHasEnded) {
  for (const DeliveryState from : {Delivered, Dead}) {
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
}

}  // namespace
}  // namespace petrel::model
