#include "base/url.h"

#include <gtest/gtest.h>

namespace petrel {
namespace {

Url url(std::string_view text) {
  const auto parsed = Url::parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << (parsed.ok() ? "" : parsed.error().text());
  return parsed.ok() ? *parsed : Url{};
}

std::string why_not(std::string_view text) {
  const auto parsed = Url::parse(text);
  if (parsed.ok()) return "taken";
  EXPECT_EQ(parsed.error().kind, ErrorKind::Invalid);
  return parsed.error().detail;
}

TEST(Url, TakesAUrlApart) {
  const Url full = url("HTTPS://Hooks.Example.com:8443/a/b?c=d&e=%20");
  EXPECT_TRUE(full.is_https);
  EXPECT_EQ(full.host, "hooks.example.com");
  EXPECT_FALSE(full.ip);
  EXPECT_EQ(full.port, 8443);
  EXPECT_EQ(full.target, "/a/b?c=d&e=%20");
  EXPECT_EQ(full.authority(), "hooks.example.com:8443");
  EXPECT_EQ(full.origin(), "https://hooks.example.com:8443");
  EXPECT_EQ(full.text(), "https://hooks.example.com:8443/a/b?c=d&e=%20");
}

TEST(Url, KnowsWhatGoesWithoutSaying) {
  EXPECT_EQ(url("https://example.com").port, 443);
  EXPECT_EQ(url("http://example.com").port, 80);
  EXPECT_EQ(url("http://example.com").target, "/");
  EXPECT_EQ(url("http://example.com?a").target, "/?a");
  EXPECT_EQ(url("http://example.com:80/").authority(), "example.com");
  EXPECT_EQ(url("http://example.com:/").port, 80);
  EXPECT_EQ(url("http://example.com:443/").authority(), "example.com:443");
  EXPECT_EQ(url("https://example.com:443/").origin(), "https://example.com:443");
  EXPECT_EQ(url("http://xn--bcher-kva.example/").host, "xn--bcher-kva.example");
  EXPECT_EQ(url("http://my_receiver:8080/").host, "my_receiver");
}

TEST(Url, TakesAddressesInTheirPlainForm) {
  const Url v4 = url("http://127.0.0.1:8071/x");
  EXPECT_EQ(v4.ip, IpAddress::parse("127.0.0.1"));
  EXPECT_EQ(v4.authority(), "127.0.0.1:8071");

  const Url v6 = url("https://[2001:DB8:0::1]/");
  EXPECT_EQ(v6.ip, IpAddress::parse("2001:db8::1"));
  EXPECT_EQ(v6.host, "2001:db8::1");
  EXPECT_EQ(v6.authority(), "[2001:db8::1]");
  EXPECT_EQ(v6.origin(), "https://[2001:db8::1]:443");
  EXPECT_EQ(url("http://[::ffff:7f00:1]/").ip->unmapped(), IpAddress::parse("127.0.0.1"));
}

TEST(Url, TakesANameThatBeginsLikeAnAddressForAName) {
  for (const char* host : {"1.2.3.4.example", "1.2.3.4x", "127.0.0.1.sslip.example"}) {
    const Url named = url("http://" + std::string(host) + ":81/x");
    EXPECT_EQ(named.host, host);
    EXPECT_FALSE(named.ip);
    EXPECT_EQ(named.port, 81);
    EXPECT_EQ(named.target, "/x");
  }
}

TEST(Url, ReadsItsOwnTextBackTheSame) {
  for (const char* text :
       {"http://a", "https://a:1/?", "http://[::1]:8080/x?y=z", "https://A.B/%41"}) {
    const Url once = url(text);
    EXPECT_EQ(url(once.text()), once) << text;
  }
}

TEST(Url, RefusesOtherSpellingsOfIpv4) {
  for (const char* host :
       {"127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "0",
        "127.0.0.256", "1.2.3.4.5", "example.0x1f", "example.1"}) {
    EXPECT_EQ(why_not("http://" + std::string(host) + "/"),
              "the URL has an IPv4 address that is not in the form 192.0.2.1")
        << host;
  }
}

TEST(Url, SaysWhyItRefuses) {
  EXPECT_EQ(why_not(""), "the URL is empty");
  EXPECT_EQ(why_not("ftp://example.com/"), "the URL must begin with https:// or http://");
  EXPECT_EQ(why_not("javascript:alert(1)"), "the URL must begin with https:// or http://");
  EXPECT_EQ(why_not("file:///etc/passwd"), "the URL must begin with https:// or http://");
  EXPECT_EQ(why_not("example.com/x"), "the URL is not well-formed");
  EXPECT_EQ(why_not("//example.com/"), "the URL is not well-formed");
  EXPECT_EQ(why_not("htp:["), "the URL must begin with https:// or http://");
  EXPECT_EQ(why_not(":"), "the URL is not well-formed");
  EXPECT_EQ(why_not("http:"), "the URL has no host");
  EXPECT_EQ(why_not("http://"), "the URL has no host");
  EXPECT_EQ(why_not("http:example.com"), "the URL has no host");
  EXPECT_EQ(why_not("http:///x"), "the URL has no host");
  EXPECT_EQ(why_not("http://:80/"), "the URL has no host");
  EXPECT_EQ(why_not("http://u@example.com/"), "the URL must not hold a user name or password");
  EXPECT_EQ(why_not("http://u:p@example.com/"), "the URL must not hold a user name or password");
  EXPECT_EQ(why_not("http://@example.com/"), "the URL must not hold a user name or password");
  EXPECT_EQ(why_not("http://example.com/#x"), "the URL must not have a fragment (#…)");
  EXPECT_EQ(why_not("http://example.com:0/"), "the URL has a port that is not in 1 … 65535");
  EXPECT_EQ(why_not("http://example.com:65536/"), "the URL has a port that is not in 1 … 65535");
  EXPECT_EQ(why_not("http://example.com./"),
            "the URL has a host with an empty part between dots or at its end");
  EXPECT_EQ(why_not("http://a..b/"),
            "the URL has a host with an empty part between dots or at its end");
  EXPECT_EQ(why_not("http://a%2eb/"), "the URL has a host with characters that no name has");
  EXPECT_EQ(why_not("http://a!b/"), "the URL has a host with characters that no name has");
  EXPECT_EQ(why_not("http://" + std::string(64, 'a') + "/"),
            "the URL has a host with a part of more than 63 characters");
  EXPECT_EQ(why_not("http://a/" + std::string(2048, 'x')),
            "the URL is longer than 2048 characters");
}

TEST(Url, RefusesBytesThatCouldBreakARequest) {
  const std::string odd = "the URL holds a space, a control byte or a character beyond ASCII";
  EXPECT_EQ(why_not("http://a/x y"), odd);
  EXPECT_EQ(why_not("http://a/\r\nHost: b"), odd);
  EXPECT_EQ(why_not("http://a/\x7f"), odd);
  EXPECT_EQ(why_not(std::string_view("http://a/\0", 10)), odd);
  EXPECT_EQ(why_not("http://bücher.example/"), odd);
  EXPECT_NE(why_not("http://[fe80::1%25eth0]/"), "taken");
  EXPECT_NE(why_not("http://[fe80::1%eth0]/"), "taken");
  EXPECT_NE(why_not("http://[::1]x/"), "taken");
  EXPECT_NE(why_not("http://[::1"), "taken");
  EXPECT_NE(why_not("http://[127.0.0.1]/"), "taken");
  EXPECT_NE(why_not("http://::1/"), "taken");
  EXPECT_NE(why_not("http://a:80:80/"), "taken");
  EXPECT_NE(why_not("http://[v1.x]/"), "taken");
  EXPECT_NE(why_not("http://[example.com]/"), "taken");
  EXPECT_NE(why_not("http://a\\b/"), "taken");
  for (const char* target : {"%zz", "%4", "%", "[x]", "a|b", "a^b", "a`b", "{}", "<>", "?[]"}) {
    EXPECT_EQ(why_not("http://a/" + std::string(target)), "the URL is not well-formed") << target;
  }
  EXPECT_EQ(url("http://a/-._~!$&'()*+,;=:@/?%2f").target, "/-._~!$&'()*+,;=:@/?%2f");
}

}  // namespace
}  // namespace petrel
