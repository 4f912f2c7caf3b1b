#include "base/ip_address.h"

#include <gtest/gtest.h>

namespace petrel {
namespace {

IpAddress ip(std::string_view text) { return *IpAddress::parse(text); }

TEST(IpAddress, ReadsThePlainFormsOnly) {
  for (const char* text : {"0.0.0.0", "192.0.2.1", "255.255.255.255", "::", "::1", "2001:db8::1",
                           "::ffff:192.0.2.1"}) {
    const auto address = IpAddress::parse(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->text(), text);
  }
  for (const char* text :
       {"", "127.1", "0177.0.0.1", "0x7f.0.0.1", "2130706433", "1.2.3.4.5", "256.0.0.1", "1.2.3.4 ",
        "[::1]", "fe80::1%eth0", "fe80::1%1", ":::", "1:2:3:4:5:6:7:8:9", "12345::", "localhost"}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
  EXPECT_FALSE(IpAddress::parse(std::string_view("1.2.3.4\0", 8)));
}

TEST(IpAddress, KnowsAMappedAddress) {
  EXPECT_EQ(ip("::ffff:127.0.0.1").unmapped(), ip("127.0.0.1"));
  EXPECT_EQ(ip("::ffff:7f00:1").unmapped(), ip("127.0.0.1"));
  EXPECT_EQ(ip("::127.0.0.1").unmapped(), ip("::127.0.0.1"));
  EXPECT_EQ(ip("127.0.0.1").unmapped(), ip("127.0.0.1"));
}

TEST(IpAddress, KnowsLoopbackAndTheUnspecified) {
  EXPECT_TRUE(ip("127.255.0.1").is_loopback());
  EXPECT_TRUE(ip("::1").is_loopback());
  EXPECT_FALSE(ip("::2").is_loopback());
  EXPECT_FALSE(ip("128.0.0.1").is_loopback());
  EXPECT_TRUE(ip("0.0.0.0").is_unspecified());
  EXPECT_TRUE(ip("::").is_unspecified());
  EXPECT_FALSE(ip("::1").is_unspecified());
}

TEST(Subnet, HoldsTheAddressesWithItsPrefix) {
  const Subnet ten = *Subnet::parse("10.128.0.0/9");
  EXPECT_TRUE(ten.contains(ip("10.128.0.0")));
  EXPECT_TRUE(ten.contains(ip("10.255.255.255")));
  EXPECT_FALSE(ten.contains(ip("10.127.255.255")));
  EXPECT_FALSE(ten.contains(ip("::10.128.0.0")));
  EXPECT_TRUE(Subnet::parse("0.0.0.0/0")->contains(ip("203.0.113.9")));
  EXPECT_TRUE(Subnet::parse("fd00::/8")->contains(ip("fdff::1")));
  EXPECT_FALSE(Subnet::parse("fd00::/8")->contains(ip("fe00::1")));
  EXPECT_EQ(Subnet::parse("192.0.2.1")->prefix_bits, 32U);
}

TEST(Subnet, RefusesWhatIsNone) {
  for (const char* text : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8",
                           "10.0.0.1/8", "::1/127", "::/129", "10/8", "ten"}) {
    EXPECT_FALSE(Subnet::parse(text)) << text;
  }
}

}  // namespace
}  // namespace petrel
