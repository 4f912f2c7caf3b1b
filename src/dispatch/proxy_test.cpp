#include "dispatch/proxy.h"

#include <gtest/gtest.h>

namespace petrel::dispatch {
namespace {

using Progress = ProxyHandshake::Progress;
using policy::FailureKind;
using policy::Outcome;

SocketAddress target(std::string_view ip) { return {*IpAddress::parse(ip), 443}; }

std::string bytes(std::initializer_list<int> list) {
  std::string out;
  for (const int byte : list) out += static_cast<char>(byte);
  return out;
}

TEST(Proxy, ReadsItsAddress) {
  const auto http = Proxy::parse("http://proxy.example:3128");
  ASSERT_TRUE(http.ok());
  EXPECT_EQ(http->kind, Proxy::Kind::Connect);
  EXPECT_EQ(http->host, "proxy.example");
  EXPECT_EQ(http->port, 3128);

  const auto socks = Proxy::parse("socks5://127.0.0.1");
  ASSERT_TRUE(socks.ok());
  EXPECT_EQ(socks->kind, Proxy::Kind::Socks5);
  EXPECT_EQ(socks->ip, IpAddress::parse("127.0.0.1"));
  EXPECT_EQ(socks->port, 1080);
  EXPECT_EQ(Proxy::parse("socks5://proxy:80")->port, 80);
}

TEST(Proxy, RefusesWhatIsNone) {
  for (const char* text : {"", "proxy:3128", "https://proxy:1", "socks4://proxy", "socks5h://proxy",
                           "http://user:password@proxy", "http://proxy/path", "http://"}) {
    const auto proxy = Proxy::parse(text);
    ASSERT_FALSE(proxy.ok()) << text;
    EXPECT_EQ(proxy.error().field, "proxy");
  }
}

TEST(ProxyHandshake, OpensATunnelWithConnect) {
  ProxyHandshake talk(Proxy::Kind::Connect, target("2001:db8::1"));
  EXPECT_EQ(talk.take_output(),
            "CONNECT [2001:db8::1]:443 HTTP/1.1\r\nhost: [2001:db8::1]:443\r\n\r\n");
  EXPECT_EQ(talk.feed("HTTP/1.0 200 Yes\r\nx: y\r\n"), Progress::NeedMore);
  EXPECT_EQ(talk.feed("\r\n"), Progress::Open);
  EXPECT_EQ(talk.take_output(), "");
}

TEST(ProxyHandshake, OpensATunnelWithSocksByteByByte) {
  ProxyHandshake talk(Proxy::Kind::Socks5, target("192.0.2.7"));
  EXPECT_EQ(talk.take_output(), bytes({5, 1, 0}));
  EXPECT_EQ(talk.feed(bytes({5})), Progress::NeedMore);
  EXPECT_EQ(talk.take_output(), "");
  EXPECT_EQ(talk.feed(bytes({0})), Progress::NeedMore);
  EXPECT_EQ(talk.take_output(), bytes({5, 1, 0, 1, 192, 0, 2, 7, 1, 187}));
  for (const int byte : {5, 0, 0, 1, 9, 9, 9, 9, 0}) {
    EXPECT_EQ(talk.feed(bytes({byte})), Progress::NeedMore);
  }
  EXPECT_EQ(talk.feed(bytes({80})), Progress::Open);
}

TEST(ProxyHandshake, TellsTheReceiversFaultFromTheProxys) {
  const auto outcome = [](Proxy::Kind kind, const std::string& answer) {
    ProxyHandshake talk(kind, target("192.0.2.7"));
    EXPECT_EQ(talk.feed(answer), Progress::Failed) << answer;
    return talk.failure().outcome;
  };
  const auto connect = [&](const std::string& answer) {
    return outcome(Proxy::Kind::Connect, answer);
  };
  const auto socks = [&](int code) {
    return outcome(Proxy::Kind::Socks5, bytes({5, 0, 5, code, 0, 1, 0, 0, 0, 0, 0, 0}));
  };
  const Outcome unreachable = Outcome::failed(FailureKind::Connect);

  EXPECT_EQ(connect("HTTP/1.1 503 Busy\r\n\r\n"), unreachable);
  EXPECT_EQ(connect("HTTP/1.1 403 No\r\n\r\n"), unreachable);
  EXPECT_EQ(connect("HTTP/1.1 407 Who\r\n\r\n"), Outcome::our_fault());
  EXPECT_EQ(connect("HTTP/1.1 200 OK\r\n\r\nsurplus"), Outcome::our_fault());
  EXPECT_EQ(connect("rubbish\r\n\r\n"), Outcome::our_fault());
  EXPECT_EQ(connect(std::string(9000, 'x')), Outcome::our_fault());
  for (const int code : {1, 2, 3, 4, 5, 6}) EXPECT_EQ(socks(code), unreachable) << code;
  EXPECT_EQ(socks(7), Outcome::our_fault());
  EXPECT_EQ(outcome(Proxy::Kind::Socks5, bytes({5, 255})), Outcome::our_fault());
  EXPECT_EQ(outcome(Proxy::Kind::Socks5, bytes({4, 0})), Outcome::our_fault());
}

}  // namespace
}  // namespace petrel::dispatch
