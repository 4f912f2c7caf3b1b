// What it costs to count: ours against prometheus-cpp, from one thread and from two.
//
//   cmake --build --preset release --target petrel_metric_cost && build/release/petrel_metric_cost
//
// See docs/decisions/0004-metrics-by-hand.md. Without prometheus-cpp-dev only ours are measured.

#include <benchmark/benchmark.h>

#include "metric/counter.h"
#include "metric/histogram.h"

#if __has_include(<prometheus/counter.h>)
#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#define HAS_PROMETHEUS_CPP 1
#endif

namespace {

void our_counter(benchmark::State& state) {
  static petrel::metric::Counter counter;
  for (auto _ : state) counter.add();
}
BENCHMARK(our_counter)->Threads(1)->Threads(2);

// A tenth of a second: past the middle of the bounds.
void our_histogram(benchmark::State& state) {
  static petrel::metric::Histogram histogram(petrel::metric::kDurations);
  for (auto _ : state) histogram.observe(std::int64_t{100'000});
}
BENCHMARK(our_histogram)->Threads(1)->Threads(2);

#ifdef HAS_PROMETHEUS_CPP
void prometheus_counter(benchmark::State& state) {
  static prometheus::Counter counter;
  for (auto _ : state) counter.Increment();
}
BENCHMARK(prometheus_counter)->Threads(1)->Threads(2);

void prometheus_histogram(benchmark::State& state) {
  static prometheus::Histogram histogram = [] {
    prometheus::Histogram::BucketBoundaries bounds;
    for (const std::int64_t bound : petrel::metric::kDurationBounds) {
      bounds.push_back(static_cast<double>(bound) / 1e6);
    }
    return prometheus::Histogram(bounds);
  }();
  for (auto _ : state) histogram.Observe(0.1);
}
BENCHMARK(prometheus_histogram)->Threads(1)->Threads(2);
#endif

}  // namespace

BENCHMARK_MAIN();
