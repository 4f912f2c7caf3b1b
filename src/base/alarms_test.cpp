#include "base/alarms.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/hand_loop.h"

namespace petrel {
namespace {

using std::chrono::seconds;

class AlarmsTest : public ::testing::Test {
 protected:
  MonoTime in(int count) const { return clock.mono() + seconds(count); }

  HandClock clock{WallTime{}, MonoTime{}};
  HandLoop loop{clock};
  std::unique_ptr<Alarms> alarms = std::make_unique<Alarms>(loop);
  std::vector<int> rang;
};

TEST_F(AlarmsTest, EachRingsOnceAtItsTime) {
  alarms->at(in(2), [this] { rang.push_back(2); });
  alarms->at(in(1), [this] { rang.push_back(1); });
  loop.run_for(clock, seconds(1));
  EXPECT_EQ(rang, (std::vector<int>{1}));
  loop.run_for(clock, seconds(10));
  EXPECT_EQ(rang, (std::vector<int>{1, 2}));
}

TEST_F(AlarmsTest, OneMaySetTheNext) {
  alarms->at(in(1), [this] {
    rang.push_back(1);
    alarms->at(in(1), [this] { rang.push_back(2); });
  });
  loop.run_for(clock, seconds(3));
  EXPECT_EQ(rang, (std::vector<int>{1, 2}));
}

TEST_F(AlarmsTest, NoneRingsOnceTheyAreGone) {
  alarms->at(in(1), [this] { rang.push_back(1); });
  alarms.reset();
  loop.run_for(clock, seconds(3));
  EXPECT_TRUE(rang.empty());
}

TEST_F(AlarmsTest, OneMayEndThemAll) {
  alarms->at(in(1), [this] {
    rang.push_back(1);
    alarms.reset();
  });
  alarms->at(in(2), [this] { rang.push_back(2); });
  loop.run_for(clock, seconds(3));
  EXPECT_EQ(rang, (std::vector<int>{1}));
}

}  // namespace
}  // namespace petrel
