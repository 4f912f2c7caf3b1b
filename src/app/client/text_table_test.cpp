#include "app/client/text_table.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

TEST(TextTable, LinesUpTextOnTheLeftAndNumbersOnTheRight) {
  TextTable table({"endpoint", "waiting>"});
  EXPECT_TRUE(table.empty());
  table.add({"billing", "7"});
  table.add({"café", "1,204"});

  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.text(false),
            "endpoint  waiting\n"
            "billing         7\n"
            "café        1,204\n");
}

TEST(TextTable, GroupsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(grouped(-999), "-999");
}

}  // namespace
}  // namespace petrel::app
