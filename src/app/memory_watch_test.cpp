#include "app/memory_watch.h"

#include <gtest/gtest.h>

#include "base/testing/hand_loop.h"

namespace petrel::app {
namespace {

using Sentences = std::vector<std::string>;
using std::chrono::seconds;

constexpr std::size_t kMiB = std::size_t{1} << 20U;

struct MemoryWatchTest : testing::Test {
  void pass(Duration time) { loop.run_for(clock, time); }

  // Whether the metrics have this line.
  bool shows(const std::string& line) const {
    return registry.text().find("\n" + line + "\n") != std::string::npos;
  }

  HandClock clock{WallTime{}, MonoTime{}};
  HandLoop loop{clock};
  metric::Registry registry;
  std::shared_ptr<MemoryBudget> budget = MemoryBudget::make(100 * kMiB);
  int returned = 0;
  Sentences said;
  MemoryWatch watch{{.loop = loop,
                     .clock = clock,
                     .registry = registry,
                     .budget = *budget,
                     .resident = [] { return 300 * kMiB; },
                     .return_free = [this] { return ++returned > 0; },
                     .complain = [this](const std::string& what) { said.push_back(what); }}};
};

TEST_F(MemoryWatchTest, ShowsWhatIsUsedByUse) {
  const MemoryHold hold = budget->take(MemoryUse::Payloads, kMiB, nullptr);
  pass(seconds(1));
  EXPECT_TRUE(shows("petrel_memory_max_bytes 104857600"));
  EXPECT_TRUE(shows("petrel_memory_used_bytes{use=\"payloads\"} 1048576"));
  EXPECT_TRUE(shows("petrel_memory_used_bytes{use=\"requests\"} 0"));
  EXPECT_TRUE(shows("petrel_memory_resident_bytes 314572800"));
}

TEST_F(MemoryWatchTest, AShortageIsToldOnceAndShownWhileItLasts) {
  const auto greedy = budget->account("app_1");
  const MemoryHold hold = budget->take(MemoryUse::Payloads, 2 * kMiB, greedy);
  for (int i = 0; i < 20; ++i) {
    budget->note_refused(MemoryUse::Payloads, greedy.get());
    pass(seconds(1));
  }
  EXPECT_EQ(said, Sentences{"memory is short: 2 of 100 MiB are in flight; app_1 is refused or "
                            "waits first, as it has most of it; memory-max makes more room"});
  EXPECT_EQ(watch.problems(), Sentences{"memory is short, of 100 MiB for what is in flight: "
                                        "requests are refused and payloads wait"});
  EXPECT_TRUE(shows("petrel_memory_refused_total{use=\"payloads\"} 20"));

  pass(MemoryWatch::kOver);
  EXPECT_EQ(said.size(), 2U);
  EXPECT_EQ(said.back(), "memory suffices again");
  EXPECT_EQ(watch.problems(), Sentences());
}

TEST_F(MemoryWatchTest, MemoryIsGivenBackAfterARush) {
  MemoryHold hold = budget->take(MemoryUse::Payloads, MemoryWatch::kReturnedMin, nullptr);
  pass(seconds(2));
  EXPECT_EQ(returned, 0);
  hold = MemoryHold();
  pass(seconds(5));
  EXPECT_EQ(returned, 1);
}

}  // namespace
}  // namespace petrel::app
