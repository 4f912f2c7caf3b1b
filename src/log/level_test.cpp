#include "log/level.h"

#include <gtest/gtest.h>

namespace petrel::log {
namespace {

TEST(Level, IsReadAsItIsWritten) {
  for (const Level level : {Level::Debug, Level::Info, Level::Warn, Level::Error}) {
    EXPECT_EQ(*parse_level(to_string(level)), level);
  }
}

TEST(Level, AnUnknownOneIsRefusedWithThoseThatThereAre) {
  EXPECT_EQ(parse_level("verbose").error().text(),
            "\"verbose\" is not one of debug, info, warn and error");
  EXPECT_FALSE(parse_level("WARN").ok());
  EXPECT_FALSE(parse_level("").ok());
}

}  // namespace
}  // namespace petrel::log
