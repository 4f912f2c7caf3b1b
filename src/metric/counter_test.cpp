#include "metric/counter.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace petrel::metric {
namespace {

TEST(Counter, AddsUpWhatAllThreadsCounted) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) counter.add();
    });
  }
  for (std::thread& thread : threads) thread.join();
  counter.add(5);

  EXPECT_EQ(counter.value(), 12'005U);
}

TEST(Gauge, GoesUpAndDown) {
  Gauge gauge;
  gauge.set(5);
  gauge.add(-7);

  EXPECT_EQ(gauge.value(), -2);
}

}  // namespace
}  // namespace petrel::metric
