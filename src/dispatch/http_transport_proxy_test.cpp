#include "dispatch/http_transport.h"
#include "dispatch/testing/scripted_receiver.h"
#include "dispatch/testing/test_authority.h"
#include "dispatch/testing/transport_fixture.h"
#include "net/testing/fake_name_server.h"

namespace petrel::dispatch {
namespace {

using policy::FailureKind;
using policy::Outcome;

std::string socks_reply(char code) {
  return std::string("\x05", 1) + code + std::string("\x00\x01\x00\x00\x00\x00\x00\x00", 8);
}

class HttpTransportProxyTest : public TransportFixture {
 protected:
  void start_with(const std::string& proxy) {
    names_.set("good.example", {{.addresses = {"127.0.0.1"}}});
    names_.set("private.example", {{.addresses = {"10.0.0.1"}}});
    HttpTransportSettings settings;
    settings.guard = loopback_guard();
    settings.proxy = proxy;
    settings.ca_file = authority_.ca_file();
    settings.resolver.name_servers = names_.address();
    start(settings);
  }

  static std::string url_of(const std::string& scheme, const ScriptedReceiver& proxy) {
    return scheme + "://127.0.0.1:" + std::to_string(proxy.port());
  }

  TestAuthority authority_;
  net::FakeNameServer names_;
};

TEST_F(HttpTransportProxyTest, TellsAnHttpProxyTheApprovedAddress) {
  std::string host;
  ScriptedReceiver receiver([&](Peer& peer) {
    host = peer.read_request().value_or("");
    peer.send(kOk);
  });
  std::string asked;
  ScriptedReceiver proxy([&](Peer& peer) {
    asked = peer.read_request().value_or("");
    peer.send("HTTP/1.1 200 Connection established\r\nvia: x\r\n\r\n");
    peer.tunnel_to(receiver.port());
  });
  start_with(url_of("http", proxy));
  const std::string port = std::to_string(receiver.port());
  point_at("http://good.example:" + port + "/");

  const auto result = attempt();

  EXPECT_EQ(result.outcome, Outcome::answered(200)) << result.error;
  EXPECT_TRUE(asked.starts_with("CONNECT 127.0.0.1:" + port + " HTTP/1.1\r\n")) << asked;
  EXPECT_NE(host.find("\r\nhost: good.example:" + port + "\r\n"), std::string::npos) << host;
}

TEST_F(HttpTransportProxyTest, SpeaksTlsWithTheReceiverThroughSocks) {
  const ServerContext context = authority_.server("DNS:good.example");
  ScriptedReceiver receiver([&](Peer& peer) {
    if (peer.begin_tls(context.get()) && peer.read_request()) peer.send(kOk);
  });
  std::string asked;
  ScriptedReceiver proxy([&](Peer& peer) {
    EXPECT_EQ(peer.read_bytes(3), std::string("\x05\x01\x00", 3));
    peer.send(std::string("\x05\x00", 2));
    asked = peer.read_bytes(10);
    peer.send(socks_reply(0));
    peer.tunnel_to(receiver.port());
  });
  start_with(url_of("socks5", proxy));
  point_at("https://good.example:" + std::to_string(receiver.port()) + "/");

  const auto result = attempt();

  EXPECT_EQ(result.outcome, Outcome::answered(200)) << result.error;
  EXPECT_TRUE(asked.starts_with(std::string("\x05\x01\x00\x01\x7f\x00\x00\x01", 8)));
}

TEST_F(HttpTransportProxyTest, KeepsConnectionsThatGoThroughAProxy) {
  ScriptedReceiver receiver([](Peer& peer) {
    while (peer.read_request()) peer.send(kOk);
  });
  ScriptedReceiver proxy([&](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\n\r\n");
    peer.tunnel_to(receiver.port());
  });
  start_with(url_of("http", proxy));
  point_at(receiver.port());

  attempt();
  const auto second = attempt();

  EXPECT_EQ(second.outcome, Outcome::answered(200)) << second.error;
  EXPECT_EQ(proxy.connections(), 1);
}

TEST_F(HttpTransportProxyTest, AsksNoProxyForARefusedAddress) {
  ScriptedReceiver proxy([](Peer&) {});
  start_with(url_of("socks5", proxy));
  point_at("http://private.example/");

  EXPECT_EQ(attempt().outcome, Outcome::blocked());
  EXPECT_EQ(proxy.connections(), 0);
}

TEST_F(HttpTransportProxyTest, CallsAReceiverThatTheProxyCannotReachAConnectFailure) {
  ScriptedReceiver http([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
  });
  start_with(url_of("http", http));
  point_at("http://good.example/");
  const auto by_http = attempt();
  ScriptedReceiver socks([](Peer& peer) {
    peer.read_bytes(3);
    peer.send(std::string("\x05\x00", 2));
    peer.read_bytes(10);
    peer.send(socks_reply(5));
  });
  start_with(url_of("socks5", socks));
  const auto by_socks = attempt();

  EXPECT_EQ(by_http.outcome, Outcome::failed(FailureKind::Connect));
  EXPECT_EQ(by_http.error, "the proxy could not connect: it answered 502");
  EXPECT_EQ(by_socks.outcome, Outcome::failed(FailureKind::Connect));
  EXPECT_EQ(by_socks.error, "connection refused, says the proxy");
}

TEST_F(HttpTransportProxyTest, CallsAProxyThatFailsOurFault) {
  start_with("http://127.0.0.1:" + std::to_string(free_port()));
  point_at("http://good.example/");
  const auto down = attempt();
  ScriptedReceiver strict([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
  });
  start_with(url_of("http", strict));
  const auto password = attempt();
  ScriptedReceiver mute([](Peer&) {});
  start_with(url_of("socks5", mute));
  const auto closed = attempt();

  EXPECT_EQ(down.outcome, Outcome::our_fault());
  EXPECT_EQ(down.error, "the proxy cannot be reached: connection refused");
  EXPECT_EQ(password.outcome, Outcome::our_fault());
  EXPECT_EQ(password.error, "the proxy answered 407 to CONNECT");
  EXPECT_EQ(closed.outcome, Outcome::our_fault());
  for (const auto& each : {down, password, closed}) {
    EXPECT_EQ(each.fault, model::FaultCause::Proxy) << each.error;
  }
}

}  // namespace
}  // namespace petrel::dispatch
