// What a release does with deliveries that change, or cannot be sent, while it is under way.

#include <vector>

#include <gtest/gtest.h>

#include "engine/driven_outage.h"

namespace petrel::engine {
namespace {

using std::chrono::hours;
using StoreMood = DrivenCore::StoreMood;

// Messages `first` to `last` fail in the outage, too, and are due in two hours.
void keep_failed(DrivenOutage& outage, int first, int last) {
  for (int n = first; n <= last; ++n) {
    model::Delivery waits = retrying(n, hours(2));
    waits.updated_at = outage.shard.now.wall;
    waits.next = model::Next{};
    outage.shard.keep(waits);
  }
}

TEST(ReleaseRaces, WhatIsResentBeforeItIsReleasedGoesOutOnce) {
  DrivenOutage outage({.in_flight_max = 2});
  DrivenCore& shard = outage.shard;
  outage.open();
  keep_failed(outage, 100, 139);
  outage.close();
  shard.mood = StoreMood::Slow;
  outage.end_ramp();  // 1 to 20 and 100 to 111 are being released; 112 is chosen next.
  shard.accept(22);
  shard.accept(23);
  shard.step();
  shard.resend(112);
  shard.answer_settlement(1, SettleAnswer::Refused);  // Makes room for 112, as it was chosen.

  shard.end(22, 200);
  shard.answer_settlement(22);
  shard.answer_settlement(112);
  shard.end(23, 200);

  EXPECT_EQ(shard.sent, (std::vector{22, 23, 112}));
}

}  // namespace
}  // namespace petrel::engine
