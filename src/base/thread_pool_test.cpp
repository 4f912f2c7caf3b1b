#include "base/thread_pool.h"

#include <atomic>
#include <future>
#include <memory>

#include <gtest/gtest.h>

namespace petrel {
namespace {

// What its threads use stands before the pool in each of these, and so goes after it.

TEST(ThreadPool, DoesItsWorkOnOtherThreads) {
  std::promise<std::thread::id> worker;
  ThreadPool pool({.name = "test", .threads = 2});
  ASSERT_TRUE(pool.run([&] { worker.set_value(std::this_thread::get_id()); }));
  EXPECT_NE(worker.get_future().get(), std::this_thread::get_id());
}

TEST(ThreadPool, HasAsManyAtWorkAsItHasThreads) {
  std::promise<void> all_here;
  std::shared_future<void> met = all_here.get_future().share();
  std::atomic<int> here = 0;
  std::atomic<int> done = 0;
  ThreadPool pool({.name = "test", .threads = 3});
  for (int i = 0; i < 3; ++i) {
    // Each waits for the others: fewer threads would never come to an end.
    ASSERT_TRUE(pool.run([&] {
      if (++here == 3) all_here.set_value();
      met.wait();
      ++done;
    }));
  }
  pool.finish();
  EXPECT_EQ(done, 3);
}

TEST(ThreadPool, RefusesWhatIsTooMuch) {
  std::promise<void> begun;
  std::promise<void> release;
  ThreadPool pool({.name = "test", .threads = 1, .waiting_max = 2});
  ASSERT_TRUE(pool.run([&] {
    begun.set_value();
    release.get_future().wait();
  }));
  begun.get_future().wait();  // It no longer waits: it is at work.
  EXPECT_TRUE(pool.run([] {}));
  EXPECT_TRUE(pool.run([] {}));
  EXPECT_FALSE(pool.run([] {}));
  release.set_value();
}

TEST(ThreadPool, DoesAllThatWaitsBeforeItFinishes) {
  std::atomic<int> done = 0;
  ThreadPool pool({.name = "test", .threads = 1});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.run([&] { ++done; }));
  pool.finish();
  EXPECT_EQ(done, 100);
  EXPECT_FALSE(pool.run([] {}));
  pool.finish();
}

}  // namespace
}  // namespace petrel
