#include "log/log.h"

#include <gtest/gtest.h>

#include "log/testing/kept_log.h"

namespace petrel::log {
namespace {

TEST(Log, ALineBelowTheLevelIsNotEvenMade) {
  KeptLog log(Level::Warn);
  int made = 0;
  const auto words = [&] {
    ++made;
    return Words{"what"};
  };

  log.tell(Kind::AttemptEnded, words);
  log.tell(Kind::CircuitClosed, words);
  EXPECT_EQ(made, 0);

  log.tell(Kind::CircuitOpened, words);
  log.tell(Kind::StoreAway, words);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(log.lines,
            (std::vector<std::string>{"warn  circuit.opened: what", "error store.away: what"}));
}

TEST(Log, CountsForThoseWhoDoNotRead) {
  CountingLog log;
  for (int i = 0; i < 3; ++i) log.tell(Kind::DeliveryDead, [] { return Words{"dead"}; });
  log.tell(Kind::AttemptEnded, [] { return Words{"ended"}; });
  EXPECT_EQ(log.count(Kind::DeliveryDead), 3U);
  EXPECT_EQ(log.count(Kind::AttemptEnded), 0U);
}

}  // namespace
}  // namespace petrel::log
