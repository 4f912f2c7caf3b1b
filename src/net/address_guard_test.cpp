#include "net/address_guard.h"

#include <gtest/gtest.h>

#include "base/url.h"

namespace petrel::net {
namespace {

bool allows(const AddressGuard& guard, std::string_view text, std::uint16_t port = 443) {
  const auto ip = IpAddress::parse(text);
  EXPECT_TRUE(ip) << text;
  const AddressGuard::Verdict verdict = guard.check(*ip, port);
  EXPECT_EQ(verdict.is_allowed, verdict.why.empty()) << text;
  return verdict.is_allowed;
}

AddressGuard guard_with(std::string_view subnets, std::vector<SocketAddress> own = {}) {
  return *AddressGuard::make(subnets, std::move(own));
}

SocketAddress listener(std::string_view ip, std::uint16_t port) {
  return {*IpAddress::parse(ip), port};
}

struct Range {
  const char* before;  // Allowed; null if another refused range touches it.
  const char* first;
  const char* last;
  const char* after;
};

TEST(AddressGuard, RefusesEveryReservedRangeOfIpv4FromEdgeToEdge) {
  const Range ranges[] = {
      {nullptr, "0.0.0.0", "0.255.255.255", "1.0.0.0"},
      {"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
      {"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
      {"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
      {"168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"},
      {"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
      {"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
      {"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
      {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
      {"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
      {"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
      {"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
      {"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
      {"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
      {"223.255.255.255", "224.0.0.0", "239.255.255.255", nullptr},
      {nullptr, "240.0.0.0", "255.255.255.255", nullptr},
  };
  const AddressGuard guard;
  for (const Range& range : ranges) {
    for (const char* refused : {range.first, range.last}) {
      EXPECT_FALSE(allows(guard, refused)) << refused;
      EXPECT_FALSE(allows(guard, "::ffff:" + std::string(refused))) << refused;
    }
    for (const char* allowed : {range.before, range.after}) {
      if (allowed == nullptr) continue;
      EXPECT_TRUE(allows(guard, allowed)) << allowed;
      EXPECT_TRUE(allows(guard, "::ffff:" + std::string(allowed))) << allowed;
    }
  }
  for (const char* metadata : {"169.254.169.254", "100.100.100.200", "192.0.0.192"}) {
    EXPECT_FALSE(allows(guard, metadata)) << metadata;
  }
}

TEST(AddressGuard, AllowsOfIpv6OnlyTheGlobalUnicastSpaceWithoutItsReservedParts) {
  const AddressGuard guard;
  const std::string tail = ":ffff:ffff:ffff:ffff:ffff:ffff";
  const std::vector<std::string> allowed = {
      "2000::",           "2000:ffff" + tail,
      "2001:200::",       "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001:db9::",       "2001:ffff" + tail,
      "2003::",           "2606:4700::6810:84e5",
      "3ffe:ffff" + tail, "3fff:1000::",
      "3fff:ffff" + tail,
  };
  for (const std::string& text : allowed) EXPECT_TRUE(allows(guard, text)) << text;
  const std::vector<std::string> refused = {
      "::",
      "::1",
      "::7f00:1",
      "::8.8.8.8",
      "::ffff:0:8.8.8.8",
      "64:ff9b::8.8.8.8",
      "64:ff9b:1::1",
      "100::1",
      "1fff:ffff" + tail,
      // 2001::/23: Teredo, benchmarking, ORCHID.
      "2001::",
      "2001:0:1::",
      "2001:2::1",
      "2001:10::1",
      "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001:db8::",
      "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
      "2002::",
      "2002:7f00:1::",
      "2002:ffff" + tail,
      "3fff::",
      "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
      "4000::",
      "5f00::1",
      "8000::",
      "fc00::1",
      "fd00:ec2::254",
      "fe80::1",
      "fec0::1",
      "ff02::1",
      "ffff:ffff" + tail,
  };
  for (const std::string& text : refused) EXPECT_FALSE(allows(guard, text)) << text;
}

TEST(AddressGuard, LooksIntoIsatapAddresses) {
  const AddressGuard guard;
  EXPECT_FALSE(allows(guard, "2606:4700::5efe:10.0.0.1"));
  EXPECT_FALSE(allows(guard, "2606:4700::200:5efe:127.0.0.1"));
  EXPECT_TRUE(allows(guard, "2606:4700::5efe:8.8.8.8"));
  EXPECT_TRUE(allows(guard, "2606:4700::1:5efe:10.0.0.1"));
}

TEST(AddressGuard, LetsThroughWhatTheOperatorAllows) {
  const AddressGuard guard = guard_with(" 127.0.0.0/8,::1/128 , 10.1.0.0/16");
  EXPECT_TRUE(allows(guard, "127.0.0.1"));
  EXPECT_TRUE(allows(guard, "::ffff:127.0.0.1"));
  EXPECT_TRUE(allows(guard, "::1"));
  EXPECT_TRUE(allows(guard, "10.1.255.255"));
  EXPECT_FALSE(allows(guard, "10.2.0.0"));
  EXPECT_FALSE(allows(guard, "169.254.169.254"));
  EXPECT_TRUE(allows(guard, "8.8.8.8"));
}

TEST(AddressGuard, SaysWhichSubnetMakesNoSense) {
  for (const char* text : {"10.0.0.1/8", "10.0.0.0/8,,::1", "nonsense", "::ffff:10.0.0.0/104"}) {
    const auto guard = AddressGuard::make(text, {});
    ASSERT_FALSE(guard.ok()) << text;
    EXPECT_EQ(guard.error().kind, ErrorKind::Invalid);
    EXPECT_EQ(guard.error().field, "allowedSubnets");
  }
  EXPECT_TRUE(AddressGuard::make("", {}).ok());
}

TEST(AddressGuard, NeverAllowsOurOwnListeners) {
  const AddressGuard guard =
      guard_with("0.0.0.0/0, ::/0", {listener("127.0.0.1", 8071), listener("203.0.113.5", 8071),
                                     listener("::ffff:198.51.100.7", 8072)});
  EXPECT_FALSE(allows(guard, "127.0.0.1", 8071));
  EXPECT_FALSE(allows(guard, "::ffff:127.0.0.1", 8071));
  EXPECT_FALSE(allows(guard, "0.0.0.0", 8071));
  EXPECT_FALSE(allows(guard, "203.0.113.5", 8071));
  EXPECT_FALSE(allows(guard, "198.51.100.7", 8072));
  EXPECT_TRUE(allows(guard, "127.0.0.1", 8072));
  EXPECT_TRUE(allows(guard, "127.0.0.2", 8071));
}

TEST(AddressGuard, TakesAListenerOnAllAddressesForAllOfLoopback) {
  for (const char* all : {"0.0.0.0", "::"}) {
    const AddressGuard guard = guard_with("127.0.0.0/8, ::1/128", {listener(all, 8071)});
    for (const char* text : {"127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::"}) {
      EXPECT_FALSE(allows(guard, text, 8071)) << all << " " << text;
    }
    EXPECT_TRUE(allows(guard, "127.0.0.1", 8072));
  }
}

// However loopback and private addresses are spelled in a URL, either the URL is refused or the
// address in it is.
TEST(AddressGuard, IsNotFooledBySpellings) {
  const AddressGuard guard;
  for (const char* host : {
           "127.0.0.1",
           "127.1",
           "127.0.1",
           "127.0.0.1.",
           "2130706433",
           "0x7f000001",
           "0x7f.0.0.1",
           "0X7F.1",
           "0177.0.0.1",
           "017700000001",
           "0",
           "0.0.0.0",
           "00000177.1",
           "127.0.0.0x1",
           "0x",
           "[::1]",
           "[::ffff:7f00:1]",
           "[::ffff:127.0.0.1]",
           "[::127.0.0.1]",
           "[0:0:0:0:0:0:0:1]",
           "[::ffff:0:127.0.0.1]",
           "[64:ff9b::127.0.0.1]",
           "[2002:7f00:1::]",
           "[fe80::1%25lo]",
           "[fe80::1%lo]",
           "[v1.127]",
           "[example.com]",
           "127。0。0。1",
           "%31%32%37.0.0.1",
           "127.0.0.%31",
           "localhost.",
           "a@127.0.0.1",
           "169.254.169.254",
           "[fd00:ec2::254]",
           "168.63.129.16",
       }) {
    const auto url = Url::parse(std::string("http://") + host + "/");
    if (!url.ok()) continue;
    ASSERT_TRUE(url->ip) << host;
    EXPECT_FALSE(guard.check(*url->ip, url->port).is_allowed) << host;
  }
}

TEST(AddressGuard, TellsTheOperatorWhichSubnetToAllow) {
  const AddressGuard guard = *AddressGuard::make("10.1.0.0/16", {{*IpAddress::parse("::"), 8071}});
  const auto explain = [&](const char* ip) { return guard.explain(*IpAddress::parse(ip), 80); };
  const std::string and_so = ", and nothing is sent there; allow it with --allow-subnets ";

  EXPECT_EQ(explain("127.0.0.1"), "127.0.0.1 is loopback" + and_so + "127.0.0.0/8");
  EXPECT_EQ(explain("::ffff:10.2.0.1"), "10.2.0.1 is private network" + and_so + "10.0.0.0/8");
  EXPECT_EQ(explain("169.254.169.254"),
            "169.254.169.254 is link-local" + and_so + "169.254.0.0/16");
  EXPECT_EQ(explain("::1"), "::1 is not a global IPv6 address" + and_so + "::1/128");
  EXPECT_EQ(guard.explain(*IpAddress::parse("127.0.0.1"), 8071),
            "127.0.0.1 port 8071 is this server's own listener, and nothing is sent there");
}

TEST(AddressGuard, TheSubnetThatItNamesIsEnough) {
  for (const char* ip :
       {"0.1.2.3", "10.9.8.7", "100.64.0.1", "127.1.2.3", "168.63.129.16", "169.254.1.1",
        "172.31.0.1", "192.168.1.1", "fd00::1", "fe80::1", "2001:db8::1"}) {
    const IpAddress address = *IpAddress::parse(ip);
    const std::string words = AddressGuard().explain(address, 80);
    const std::string subnet = words.substr(words.rfind(' ') + 1);
    EXPECT_TRUE(AddressGuard::make(subnet, {})->check(address, 80).is_allowed) << words;
  }
}

}  // namespace
}  // namespace petrel::net
