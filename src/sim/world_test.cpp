#include "sim/world.h"

#include <vector>

#include <gtest/gtest.h>

namespace petrel::sim {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr WallTime kBegin = wall_from_unix_seconds(1'000'000);

TEST(World, OrdersEventsByTimeThenByPlan) {
  World world(kBegin);
  std::vector<int> done;
  world.after(seconds(2), [&] { done.push_back(3); });
  world.after(seconds(1), [&] { done.push_back(1); });
  world.after(seconds(1), [&] { done.push_back(2); });

  world.run_until(MonoTime(hours(1)));

  EXPECT_EQ(done, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(world.now(), MonoTime(hours(1)));
}

TEST(World, DoesWhatIsPlannedForThePastNow) {
  World world(kBegin);
  MonoTime seen;
  world.after(seconds(2), [&] { world.at(MonoTime{}, [&] { seen = world.now(); }); });

  world.run_until(MonoTime(seconds(3)));

  EXPECT_EQ(seen, MonoTime(seconds(2)));
}

TEST(World, StopsWhereItIsStopped) {
  World world(kBegin);
  world.after(seconds(2), [&] { world.stop(); });
  world.after(seconds(3), [] { FAIL(); });

  world.run_until(MonoTime(seconds(5)));

  EXPECT_EQ(world.now(), MonoTime(seconds(2)));
}

TEST(World, NoticesWhoGoesRoundInACircle) {
  World world(kBegin);
  std::function<void()> again = [&] { world.after(Duration::zero(), again); };
  again();

  world.run_until(MonoTime(seconds(1)));

  EXPECT_TRUE(world.is_spinning());
}

TEST(World, RestsWhenNothingIsPlanned) {
  World world(kBegin);
  world.after(seconds(2), [] {});

  world.run_to_rest(MonoTime(hours(1)));

  EXPECT_TRUE(world.is_empty());
  EXPECT_EQ(world.now(), MonoTime(seconds(2)));
}

}  // namespace
}  // namespace petrel::sim
