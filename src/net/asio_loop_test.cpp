#include "net/asio_loop.h"

#include <chrono>
#include <future>

#include <gtest/gtest.h>

#include "base/clock.h"

namespace petrel::net {
namespace {

using std::chrono::seconds;

// Three timers whose moments have all come: the first does something to the second, and the third
// says when all of them are through.
class AsioTimerTest : public testing::Test {
 protected:
  bool second_fires_after(const std::function<void(std::unique_ptr<LoopTimer>& second)>& act) {
    std::promise<void> done;
    std::unique_ptr<LoopTimer> first;
    std::unique_ptr<LoopTimer> second;
    std::unique_ptr<LoopTimer> third;
    bool has_fired = false;
    loop_.run_and_wait([&] {
      const MonoTime now = clock_.mono();
      first = loop_.make_timer();
      second = loop_.make_timer();
      third = loop_.make_timer();
      first->set(now - seconds(3), [&] { act(second); });
      second->set(now - seconds(2), [&] { has_fired = true; });
      third->set(now - seconds(1), [&] { done.set_value(); });
    });
    done.get_future().wait();
    loop_.run_and_wait([&] {
      first.reset();
      second.reset();
      third.reset();
    });
    return has_fired;
  }

  SystemClock clock_;
  AsioLoop loop_{"test", clock_};
};

TEST_F(AsioTimerTest, FiresIfNothingIsDoneToIt) {
  EXPECT_TRUE(second_fires_after([](std::unique_ptr<LoopTimer>&) {}));
}

TEST_F(AsioTimerTest, OneThatIsGoneDoesNotFireThoughItsMomentHadCome) {
  EXPECT_FALSE(second_fires_after([](std::unique_ptr<LoopTimer>& second) { second.reset(); }));
}

TEST_F(AsioTimerTest, OneThatIsCancelledDoesNotFireThoughItsMomentHadCome) {
  EXPECT_FALSE(second_fires_after([](std::unique_ptr<LoopTimer>& second) { second->cancel(); }));
}

TEST_F(AsioTimerTest, OneThatIsSetAgainFiresAtItsNewMomentAlone) {
  EXPECT_FALSE(second_fires_after([this](std::unique_ptr<LoopTimer>& second) {
    second->set(clock_.mono() + seconds(3600), [] {});
  }));
}

}  // namespace
}  // namespace petrel::net
