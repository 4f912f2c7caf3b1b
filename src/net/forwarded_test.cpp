#include "net/forwarded.h"

#include <gtest/gtest.h>

#include "net/subnet_list.h"

namespace petrel::net {
namespace {

std::string client(std::string_view peer, const HttpHeaders& headers,
                   std::string_view trusted = "10.0.0.0/8, fd00::/8") {
  return client_address(*IpAddress::parse(peer), headers, *parse_subnets(trusted)).text();
}

HttpHeaders forwarded(const std::string& value) { return {{"X-Forwarded-For", value}}; }

TEST(ClientAddress, IsThePeersIfNobodyIsTrusted) {
  EXPECT_EQ(client("10.0.0.2", forwarded("6.6.6.6"), ""), "10.0.0.2");
  EXPECT_EQ(client("93.184.216.34", forwarded("6.6.6.6")), "93.184.216.34");
  EXPECT_EQ(client("10.0.0.2", {}), "10.0.0.2");
  EXPECT_EQ(client("::ffff:93.184.216.34", {}), "93.184.216.34");
}

TEST(ClientAddress, IsTheRightmostThatIsNotTrusted) {
  EXPECT_EQ(client("10.0.0.2", forwarded("93.184.216.34")), "93.184.216.34");
  EXPECT_EQ(client("10.0.0.2", forwarded("6.6.6.6, 93.184.216.34, 10.9.9.9")), "93.184.216.34");
  EXPECT_EQ(client("fd00::1", forwarded("2606:4700::1111")), "2606:4700::1111");
  EXPECT_EQ(client("::ffff:10.0.0.2", forwarded("::ffff:93.184.216.34")), "93.184.216.34");
}

TEST(ClientAddress, SeveralHeadersAreOneList) {
  const HttpHeaders headers = {
      {"x-forwarded-for", "6.6.6.6"}, {"Host", "x"}, {"X-FORWARDED-FOR", "93.184.216.34,10.0.0.7"}};
  EXPECT_EQ(client("10.0.0.2", headers), "93.184.216.34");
  EXPECT_EQ(
      client("10.0.0.2", {{"X-Forwarded-For", "93.184.216.34"}, {"X-Forwarded-For", "10.0.0.7"}}),
      "93.184.216.34");
}

TEST(ClientAddress, TakesPortsAsProxiesWriteThem) {
  EXPECT_EQ(client("10.0.0.2", forwarded("93.184.216.34:4711")), "93.184.216.34");
  EXPECT_EQ(client("10.0.0.2", forwarded("[2606:4700::1111]:4711")), "2606:4700::1111");
  EXPECT_EQ(client("10.0.0.2", forwarded("[2606:4700::1111]")), "2606:4700::1111");
}

TEST(ClientAddress, IsTheLeftmostIfAllAreTrusted) {
  EXPECT_EQ(client("10.0.0.2", forwarded("10.0.0.9, 10.0.0.8")), "10.0.0.9");
}

// A client that writes the header itself gets no further than to what our proxy adds.
TEST(ClientAddress, StopsAtWhatIsNoAddress) {
  for (const char* hostile :
       {"", ",", "unknown", "_hidden", "10.0.0.999", "010.0.0.1", "0x0a000001", "10.0.0.1/8",
        "[10.0.0.1", "[fd00::1]x", "[fd00::1]:", "10.0.0.1:", "10.0.0.1:x", "fd00::1%eth0",
        "\"10.0.0.1\"", "10.0.0.1 10.0.0.2", "127.0.0.1;", "for=10.0.0.1"}) {
    EXPECT_EQ(client("10.0.0.2", forwarded(hostile)), "10.0.0.2") << hostile;
    EXPECT_EQ(client("10.0.0.2", forwarded(std::string("6.6.6.6, ") + hostile)), "10.0.0.2")
        << hostile;
    EXPECT_EQ(client("10.0.0.2", forwarded(std::string(hostile) + ", 93.184.216.34")),
              "93.184.216.34")
        << hostile;
  }
}

TEST(ClientAddress, ALongListIsReadInTime) {
  std::string hops = "93.184.216.34";
  for (int i = 0; i < 4'000; ++i) hops += ",10.0.0.1";
  EXPECT_EQ(client("10.0.0.2", forwarded(hops)), "93.184.216.34");
}

}  // namespace
}  // namespace petrel::net
