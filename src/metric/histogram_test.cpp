#include "metric/histogram.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "metric/registry.h"

namespace petrel::metric {
namespace {

constexpr std::array<std::int64_t, 2> kTwo = {10, 100};

TEST(Histogram, AValueOnABoundIsInThatBoundsBucket) {
  Histogram histogram({kTwo});
  for (const std::int64_t value : {0, 10, 11, 100, 101}) histogram.observe(value);

  EXPECT_EQ(histogram.counts(), (std::vector<std::uint64_t>{2, 2, 1}));
  EXPECT_EQ(histogram.sum(), 222);
}

TEST(Histogram, AddsUpWhatAllThreadsObserved) {
  Histogram histogram({kTwo});
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) histogram.observe(std::int64_t{50});
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(histogram.counts(), (std::vector<std::uint64_t>{0, 12'000, 0}));
  EXPECT_EQ(histogram.sum(), 600'000);
}

TEST(Histogram, ShowsDurationsInSeconds) {
  Histogram histogram(kDurations);
  histogram.observe(std::chrono::milliseconds(1500));

  EXPECT_EQ(histogram.sum(), 1.5);
  EXPECT_EQ(histogram.bounds().front(), "0.0005");
  EXPECT_EQ(histogram.bounds()[3], "0.005");
  EXPECT_EQ(histogram.bounds().back(), "300");
}

TEST(Registry, ShowsHistogramsFromTheStartAndTheirBucketsAddedUp) {
  Registry registry;
  registry.histograms("d_seconds", "Time.", {"phase"}, {kTwo, 10})
      .with({"tls"})
      .observe(std::int64_t{50});
  registry.histogram("n", "Sizes.", {kTwo});

  EXPECT_EQ(registry.text(),
            "# HELP d_seconds Time.\n# TYPE d_seconds histogram\n"
            "d_seconds_bucket{phase=\"tls\",le=\"1\"} 0\n"
            "d_seconds_bucket{phase=\"tls\",le=\"10\"} 1\n"
            "d_seconds_bucket{phase=\"tls\",le=\"+Inf\"} 1\n"
            "d_seconds_sum{phase=\"tls\"} 5\nd_seconds_count{phase=\"tls\"} 1\n"
            "# HELP n Sizes.\n# TYPE n histogram\n"
            "n_bucket{le=\"10\"} 0\nn_bucket{le=\"100\"} 0\nn_bucket{le=\"+Inf\"} 0\n"
            "n_sum 0\nn_count 0\n");
}

TEST(Registry, ShowsATableAsItWasLastReplaced) {
  Registry registry;
  Table& depth = registry.table("depth", "Waiting.", {"endpoint"});
  registry.table("cpu_total", "Used.", {}, Registry::TableKind::Total).set(1.25);
  depth.replace({{{"a"}, 1}, {{"b"}, 2}});
  depth.replace({{{"b"}, 3}});

  EXPECT_EQ(registry.text(),
            "# HELP depth Waiting.\n# TYPE depth gauge\ndepth{endpoint=\"b\"} 3\n"
            "# HELP cpu_total Used.\n# TYPE cpu_total counter\ncpu_total 1.25\n");
}

TEST(Table, KeepsABoundedNumberOfMembers) {
  Table table({"x"});
  std::vector<Table::Row> rows;
  for (std::size_t i = 0; i < kMembersMax + 5; ++i) rows.push_back({{std::to_string(i)}, 1});
  table.replace(rows);

  std::size_t members = 0;
  table.each([&](const LabelValues&, double) { ++members; });
  EXPECT_EQ(members, kMembersMax);
}

}  // namespace
}  // namespace petrel::metric
