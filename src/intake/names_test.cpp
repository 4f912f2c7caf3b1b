#include "intake/names.h"

#include <gtest/gtest.h>

namespace petrel::intake {
namespace {

std::string problem(const Status& status) { return status.ok() ? "" : status.error().text(); }

TEST(Names, AUidIsPlainAndNotLikeAnId) {
  EXPECT_EQ(problem(check_uid("Customer-7_a.b", "app_")), "");
  EXPECT_EQ(problem(check_uid(std::string(256, 'a'), "app_")), "");
  EXPECT_EQ(problem(check_uid("ep_1", "app_")), "");
  EXPECT_EQ(problem(check_uid("", "app_")), "must not be empty");
  EXPECT_EQ(problem(check_uid(std::string(257, 'a'), "app_")),
            "must not be longer than 256 characters");
  EXPECT_EQ(problem(check_uid("app_1", "app_")), "must not begin with \"app_\", as ids do");
  EXPECT_EQ(problem(check_uid("a b", "app_")),
            "\"a b\" may hold only letters, digits, '-', '_' and '.'");
  EXPECT_NE(problem(check_uid("a:b", "app_")), "");
  EXPECT_NE(problem(check_uid("a/b", "app_")), "");
  EXPECT_NE(problem(check_uid(std::string_view("a\0b", 3), "app_")), "");
}

TEST(Names, AnEventTypeIsPlain) {
  EXPECT_EQ(problem(check_event_type("invoice.paid")), "");
  EXPECT_EQ(problem(check_event_type("msg_1")), "");
  EXPECT_NE(problem(check_event_type("invoice paid")), "");
}

TEST(Names, ChannelsMayHaveColonsAndPlusSigns) {
  EXPECT_EQ(problem(check_channels({"project:1337", "a+b"})), "");
  EXPECT_EQ(problem(check_channels({"a", "b/c"})),
            "[1]: \"b/c\" may hold only letters, digits, '-', '_', '.', ':' and '+'");
  EXPECT_EQ(problem(check_channels({})), "must be null or 1 to 10 channels");
  EXPECT_EQ(problem(check_channels(std::vector<std::string>(10, "a"))), "");
  EXPECT_NE(problem(check_channels(std::vector<std::string>(11, "a"))), "");
}

}  // namespace
}  // namespace petrel::intake
