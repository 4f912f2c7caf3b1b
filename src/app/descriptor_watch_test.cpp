#include "app/descriptor_watch.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/testing/hand_loop.h"

namespace petrel::app {
namespace {

using Sentences = std::vector<std::string>;
using std::chrono::seconds;

struct DescriptorWatchTest : testing::Test {
  void pass(Duration time) { loop.run_for(clock, time); }

  // Whether the metrics have this line.
  bool shows(const std::string& line) const {
    return registry.text().find("\n" + line + "\n") != std::string::npos;
  }

  HandClock clock{WallTime{}, MonoTime{}};
  HandLoop loop{clock};
  metric::Registry registry;
  std::shared_ptr<net::DescriptorBudget> budget =
      net::DescriptorBudget::make({.store = 48, .accepted = 10, .outgoing = 20});
  boost::asio::io_context io;
  dispatch::IdleConnections idle;
  Sentences said;
  DescriptorWatch watch{{.loop = loop,
                         .clock = clock,
                         .registry = registry,
                         .budget = *budget,
                         .idle = idle,
                         .limit = 1024,
                         .count_open = [] { return std::size_t{1020}; },
                         .complain = [this](const std::string& what) { said.push_back(what); }}};
};

TEST_F(DescriptorWatchTest, SaysNothingWhileIdleConnectionsMakeRoom) {
  budget->note_eviction();
  pass(seconds(5));
  EXPECT_EQ(said, Sentences());
  EXPECT_EQ(watch.problems(), Sentences());
  EXPECT_TRUE(shows("petrel_connections_evicted_total 1"));
}

TEST_F(DescriptorWatchTest, AShortageIsToldOnceAndShownWhileItLasts) {
  for (int i = 0; i < 20; ++i) {
    budget->note_refused();
    pass(seconds(1));
  }
  EXPECT_EQ(said, Sentences{"file descriptors have run out: 1020 of 1024 are open; attempts wait "
                            "for one, and cost their deliveries nothing"});
  EXPECT_EQ(watch.problems(),
            Sentences{"file descriptors have run out, of 1024: attempts wait for one"});
  EXPECT_TRUE(shows("petrel_descriptor_shortages_total 20"));
}

TEST_F(DescriptorWatchTest, AShortageOfTheSystemCountsAsWell) {
  budget->note_shortage();
  pass(seconds(1));
  EXPECT_EQ(said.size(), 1U);
}

TEST_F(DescriptorWatchTest, ItIsOverAfterAQuietWhileAndTheNextOneIsToldAgain) {
  budget->note_refused();
  pass(seconds(1));
  pass(DescriptorWatch::kOver - Duration(1));
  EXPECT_EQ(said.size(), 1U);
  EXPECT_EQ(watch.problems().size(), 1U);
  pass(seconds(1));
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said.back(), "file descriptors suffice again");
  EXPECT_EQ(watch.problems(), Sentences());

  budget->note_refused();
  pass(seconds(1));
  EXPECT_EQ(said.size(), 3U);
}

TEST_F(DescriptorWatchTest, ShowsWhatIsOpen) {
  const net::DescriptorPlace accepted = budget->take_accepted();
  const net::DescriptorPlace outgoing = budget->take_outgoing();
  idle.join(io, nullptr).count = 3;
  pass(seconds(1));
  EXPECT_TRUE(shows("petrel_descriptors_open 1020"));
  EXPECT_TRUE(shows("petrel_descriptors_limit 1024"));
  EXPECT_TRUE(shows("petrel_connections{use=\"accepted\"} 1"));
  EXPECT_TRUE(shows("petrel_connections{use=\"outgoing\"} 1"));
  EXPECT_TRUE(shows("petrel_connections{use=\"idle\"} 3"));
}

}  // namespace
}  // namespace petrel::app
