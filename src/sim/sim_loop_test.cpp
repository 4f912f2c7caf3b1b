#include "sim/sim_loop.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace petrel::sim {
namespace {

using std::chrono::seconds;

class SimLoopTest : public testing::Test {
 protected:
  std::vector<MonoTime> run(int until_seconds) {
    world_.run_until(MonoTime(seconds(until_seconds)));
    return rings_;
  }
  std::function<void()> ring() {
    return [this] { rings_.push_back(world_.now()); };
  }
  static MonoTime at(int second) { return MonoTime(seconds(second)); }

  World world_{wall_from_unix_seconds(1'000'000)};
  SimLoop loop_{world_};
  std::vector<MonoTime> rings_;
};

TEST_F(SimLoopTest, DoesNothingFromWithinPost) {
  loop_.post(ring());

  EXPECT_TRUE(rings_.empty());
  EXPECT_EQ(run(1).size(), 1U);
}

TEST_F(SimLoopTest, DoesNotOutliveItself) {
  auto loop = std::make_unique<SimLoop>(world_);
  loop->post(ring());

  loop.reset();

  EXPECT_TRUE(run(1).empty());
}

TEST_F(SimLoopTest, ReplacesTheMomentOfATimer) {
  const auto timer = loop_.make_timer();
  timer->set(at(5), ring());
  timer->set(at(9), ring());
  timer->set(at(7), ring());

  EXPECT_EQ(run(20), std::vector<MonoTime>{at(7)});
}

TEST_F(SimLoopTest, SetsATimerThatHasRung) {
  const auto timer = loop_.make_timer();
  timer->set(at(5), ring());
  run(6);

  timer->set(at(8), ring());

  EXPECT_EQ(run(20), (std::vector<MonoTime>{at(5), at(8)}));
}

TEST_F(SimLoopTest, RingsAtOnceForAPastMoment) {
  run(6);
  const auto timer = loop_.make_timer();

  timer->set(at(2), ring());

  EXPECT_EQ(run(20), std::vector<MonoTime>{at(6)});
}

TEST_F(SimLoopTest, CancelsATimerThatIsDestroyed) {
  auto timer = loop_.make_timer();
  timer->set(at(5), ring());

  timer.reset();

  EXPECT_TRUE(run(20).empty());
}

}  // namespace
}  // namespace petrel::sim
