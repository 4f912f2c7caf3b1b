#include "app/log_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/testing/hand_loop.h"

namespace petrel::app {
namespace {

TEST(LogWatch, CountsWhatWasLeftOutAndHasItSaid) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  HandClock clock{WallTime{}, MonoTime{} + std::chrono::hours(1)};
  HandLoop loop{clock};
  metric::Registry registry;
  {
    StderrLog log({.descriptor = pipe_ends[1]}, clock);
    LogWatch watch({.loop = loop, .clock = clock, .registry = registry, .log = log});
    for (int i = 0; i < 25; ++i) {
      log.tell(log::Kind::DeliveryDead, [] { return log::Words{"dead"}; });
    }
    loop.run_for(clock, std::chrono::seconds(11));
  }
  ::close(pipe_ends[1]);
  std::string said(8192, '\0');
  said.resize(static_cast<std::size_t>(::read(pipe_ends[0], said.data(), said.size())));
  ::close(pipe_ends[0]);

  EXPECT_NE(registry.text().find("\npetrel_log_lines_left_out_total 5\n"), std::string::npos);
  EXPECT_NE(registry.text().find("\npetrel_log_lines_dropped_total 0\n"), std::string::npos);
  EXPECT_NE(said.find("log.left_out: 5 more lines of delivery.dead were left out"),
            std::string::npos)
      << said;
}

}  // namespace
}  // namespace petrel::app
