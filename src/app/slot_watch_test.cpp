#include "app/slot_watch.h"

#include <gtest/gtest.h>

#include "base/testing/hand_loop.h"

namespace petrel::app {
namespace {

TEST(SlotWatch, ShowsWhatThereIsWhatIsInUseAndWhoWaits) {
  HandClock clock{WallTime{}, MonoTime{}};
  HandLoop loop{clock};
  metric::Registry registry;
  engine::SlotBudget slots(4, 1);
  SlotWatch watch({.loop = loop, .clock = clock, .registry = registry, .slots = slots});
  const auto shows = [&](const std::string& line) {
    return registry.text().find("\n" + line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(shows("petrel_slots 4"));
  EXPECT_TRUE(shows("petrel_slots_in_use 0"));

  ASSERT_TRUE(slots.try_take(0, 0));
  ASSERT_TRUE(slots.try_take(0, 1));
  slots.note_waiting(3);
  loop.run_for(clock, SlotWatch::kLookEvery);

  EXPECT_TRUE(shows("petrel_slots_in_use 2"));
  EXPECT_TRUE(shows("petrel_slots_lanes_waiting 3"));
}

}  // namespace
}  // namespace petrel::app
