#include "app/heartbeats.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

using Sentences = std::vector<std::string>;
using std::chrono::seconds;

constexpr MonoTime kStart{};

TEST(Heartbeats, NamesALoopThatHasNotTurnedForAWhile) {
  Heartbeats beats;
  const std::size_t one = beats.add("shard-0", kStart);
  beats.add("shard-1", kStart);
  beats.beat(one, kStart + seconds(4));

  EXPECT_EQ(beats.late(kStart + seconds(4)), Sentences());
  EXPECT_EQ(beats.late(kStart + seconds(7)), Sentences{"shard-1 has not turned for 7 s"});
  EXPECT_EQ(beats.late(kStart + seconds(9)),
            (Sentences{"shard-0 has not turned for 5 s", "shard-1 has not turned for 9 s"}));
}

TEST(Heartbeats, SaysOnceThatALoopIsLateAndOnceThatItTurnsAgain) {
  Heartbeats beats;
  const std::size_t loop = beats.add("tasks", kStart);
  EXPECT_EQ(beats.changes(kStart + seconds(4)), Sentences());
  EXPECT_EQ(beats.changes(kStart + seconds(6)), Sentences{"tasks has not turned for 6 s"});
  EXPECT_EQ(beats.changes(kStart + seconds(60)), Sentences());

  beats.beat(loop, kStart + seconds(61));
  EXPECT_EQ(beats.changes(kStart + seconds(62)), Sentences{"tasks turns again"});
  EXPECT_EQ(beats.changes(kStart + seconds(63)), Sentences());
}

}  // namespace
}  // namespace petrel::app
