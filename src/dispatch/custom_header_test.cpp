#include "dispatch/custom_header.h"

#include <string>

#include <gtest/gtest.h>

namespace petrel::dispatch {
namespace {

bool may(std::string_view name, std::string_view value = "x") {
  return check_custom_header(name, value).ok();
}

TEST(CustomHeader, LetsOrdinaryHeadersThrough) {
  EXPECT_TRUE(may("Authorization", "Bearer abc.def-123"));
  EXPECT_TRUE(may("x-tenant", ""));
  EXPECT_TRUE(may("x-tenant", "tab\tand space ~"));
  EXPECT_TRUE(may("!#$%&'*+-.^_`|~09azAZ"));
  EXPECT_TRUE(may("webhook"));
}

TEST(CustomHeader, RefusesWhatIsOursInAnyCase) {
  for (const char* name :
       {"Host", "content-length", "Content-Type", "TRANSFER-ENCODING", "Connection", "keep-alive",
        "TE", "Trailer", "Upgrade", "Expect", "User-Agent", "Accept-Encoding", "webhook-id",
        "Webhook-Signature", "SVIX-ID", "svix-anything", "Proxy-Authorization"}) {
    EXPECT_FALSE(may(name)) << name;
  }
}

TEST(CustomHeader, RefusesWhatCouldBreakOutOfItsLine) {
  EXPECT_FALSE(may("x", "a\r\nhost: b"));
  EXPECT_FALSE(may("x", "a\nb"));
  EXPECT_FALSE(may("x", "a\rb"));
  EXPECT_FALSE(may("x", std::string_view("a\0b", 3)));
  EXPECT_FALSE(may("x", "\x7f"));
  EXPECT_FALSE(may("x", "caf\xc3\xa9"));
  EXPECT_FALSE(may("x", std::string(8193, 'x')));
  for (const char* name : {"", "a b", "a:", "a\r\nb", "a\tb", "(a)", "caf\xc3\xa9"}) {
    EXPECT_FALSE(may(name)) << name;
  }
  EXPECT_FALSE(may(std::string(257, 'x')));
}

}  // namespace
}  // namespace petrel::dispatch
