#include <openssl/ssl.h>

#include "dispatch/http_transport.h"
#include "dispatch/testing/scripted_receiver.h"
#include "dispatch/testing/test_authority.h"
#include "dispatch/testing/transport_fixture.h"
#include "net/testing/fake_name_server.h"

namespace petrel::dispatch {
namespace {

using policy::FailureKind;
using policy::Outcome;

class HttpTransportTlsTest : public TransportFixture {
 protected:
  void start_trusting() {
    names_.set("good.example", {{.addresses = {"127.0.0.1"}}});
    HttpTransportSettings settings;
    settings.guard = loopback_guard();
    settings.ca_file = authority_.ca_file();
    settings.resolver.name_servers = names_.address();
    start(settings);
  }

  void point_at_name(std::uint16_t port) {
    point_at("https://good.example:" + std::to_string(port) + "/");
  }

  // One attempt at https://good.example with a receiver that has this certificate.
  model::AttemptResult attempt_with(const ServerContext& context) {
    ScriptedReceiver receiver([&](Peer& peer) {
      if (!peer.begin_tls(context.get())) return;
      while (peer.read_request()) peer.send(kOk);
    });
    start_trusting();
    point_at_name(receiver.port());
    model::AttemptResult result = attempt();
    transport_.reset();
    return result;
  }

  TestAuthority authority_;
  net::FakeNameServer names_;
};

TEST_F(HttpTransportTlsTest, SpeaksTlsWithAReceiverThatItsAuthorityVouchesFor) {
  const auto result = attempt_with(authority_.server("DNS:good.example"));

  EXPECT_EQ(result.outcome, Outcome::answered(200)) << result.error;
  EXPECT_EQ(result.response, "ok");
  EXPECT_GT(result.timings.dns, Duration::zero());
  EXPECT_GT(result.timings.tls, Duration::zero());
}

TEST_F(HttpTransportTlsTest, ChecksAnAddressAgainstTheCertificateToo) {
  const ServerContext context = authority_.server("IP:127.0.0.1");
  ScriptedReceiver receiver([&](Peer& peer) {
    if (peer.begin_tls(context.get()) && peer.read_request()) peer.send(kOk);
  });
  start_trusting();
  point_at("https://127.0.0.1:" + std::to_string(receiver.port()) + "/");
  const auto right = attempt();
  point_at_name(receiver.port());
  const auto wrong = attempt();

  EXPECT_EQ(right.outcome, Outcome::answered(200)) << right.error;
  EXPECT_EQ(wrong.outcome, Outcome::failed(FailureKind::Tls));
}

TEST_F(HttpTransportTlsTest, SendsTheNameOfTheHost) {
  std::string name;
  const ServerContext context = authority_.server("DNS:good.example");
  SSL_CTX_set_tlsext_servername_arg(context.get(), &name);
  SSL_CTX_set_tlsext_servername_callback(
      context.get(), +[](SSL* ssl, int*, void* arg) {
        const char* sent = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
        *static_cast<std::string*>(arg) = sent == nullptr ? "" : sent;
        return SSL_TLSEXT_ERR_OK;
      });

  attempt_with(context);

  EXPECT_EQ(name, "good.example");
}

TEST_F(HttpTransportTlsTest, RefusesACertificateThatDoesNotVerify) {
  const auto expired = attempt_with(authority_.server("DNS:good.example", std::chrono::hours(-1)));
  const auto other = attempt_with(authority_.server("DNS:other.example"));
  const auto partial = attempt_with(authority_.server("DNS:*od.example"));
  const auto self_signed = attempt_with(TestAuthority::self_signed("DNS:good.example"));

  EXPECT_EQ(expired.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_EQ(expired.error, "certificate does not verify: certificate has expired");
  EXPECT_EQ(other.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_EQ(other.error, "certificate does not verify: hostname mismatch");
  EXPECT_EQ(partial.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_EQ(self_signed.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_EQ(self_signed.error, "certificate does not verify: self-signed certificate");
}

TEST_F(HttpTransportTlsTest, RefusesOldVersionsOfTls) {
  const ServerContext context = authority_.server("DNS:good.example");
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context.get(), TLS1_1_VERSION);

  const auto result = attempt_with(context);

  EXPECT_EQ(result.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_EQ(result.error, "TLS handshake failed: the receiver does not speak TLS 1.2 or later");
}

TEST_F(HttpTransportTlsTest, CallsPlainTextOrAnEndInTheHandshakeATlsFailure) {
  ScriptedReceiver receiver([](Peer& peer) {
    peer.read_bytes(1);
    if (peer.number() == 1) peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    if (peer.number() == 2) peer.reset();
  });
  start_trusting();
  point_at_name(receiver.port());

  const auto plain = attempt();
  const auto cut = attempt();

  EXPECT_EQ(plain.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_EQ(plain.error, "TLS handshake failed: the receiver does not speak TLS");
  EXPECT_EQ(cut.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_EQ(cut.error, "the receiver closed the connection during the TLS handshake");
}

TEST_F(HttpTransportTlsTest, EndsAHandshakeThatHangsAtTheDeadline) {
  ScriptedReceiver receiver([](Peer& peer) { peer.waits_for_end(); });
  start_trusting();
  point_at_name(receiver.port());

  const auto result = attempt(std::chrono::milliseconds(50));

  EXPECT_EQ(result.outcome, Outcome::failed(FailureKind::Timeout));
  EXPECT_EQ(result.error, "no TLS handshake within 50ms");
  EXPECT_GT(result.timings.tls, Duration::zero());
}

class HttpTransportTlsVersionTest : public HttpTransportTlsTest,
                                    public testing::WithParamInterface<int> {};

TEST_P(HttpTransportTlsVersionTest, KeepsConnectionsAndResumesSessions) {
  const ServerContext context = authority_.server("DNS:good.example");
  SSL_CTX_set_max_proto_version(context.get(), GetParam());
  std::atomic<int> resumed = 0;
  ScriptedReceiver receiver([&](Peer& peer) {
    if (!peer.begin_tls(context.get())) return;
    if (peer.is_resumed()) ++resumed;
    // Two requests a connection.
    if (peer.read_request()) peer.send(kOk);
    if (peer.read_request()) {
      peer.send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    }
  });
  start_trusting();
  point_at_name(receiver.port());

  for (int i = 0; i < 6; ++i) {
    const auto result = attempt();
    EXPECT_EQ(result.outcome, Outcome::answered(200)) << result.error;
  }

  EXPECT_EQ(receiver.connections(), 3);
  EXPECT_EQ(resumed, 2);
}

TEST_P(HttpTransportTlsVersionTest, PassesLargeBodiesBothWays) {
  payload_ = std::make_shared<const std::string>(3 * 1024 * 1024, 'x');
  const ServerContext context = authority_.server("DNS:good.example");
  SSL_CTX_set_max_proto_version(context.get(), GetParam());
  std::size_t received = 0;
  ScriptedReceiver receiver([&](Peer& peer) {
    if (!peer.begin_tls(context.get())) return;
    received = peer.read_request().value_or("").size();
    peer.send("HTTP/1.1 200 OK\r\ncontent-length: 50000\r\n\r\n" + std::string(50'000, 'y'));
    peer.read_request();
  });
  start_trusting();
  point_at_name(receiver.port());

  const auto result = attempt();

  EXPECT_EQ(result.outcome, Outcome::answered(200)) << result.error;
  EXPECT_GT(received, payload_->size());
  EXPECT_EQ(result.response, std::string(model::kResponseKeptBytes, 'y'));
  EXPECT_EQ(transport_->idle_connections(), 1U);
  transport_.reset();
}

INSTANTIATE_TEST_SUITE_P(Versions, HttpTransportTlsVersionTest,
                         testing::Values(TLS1_2_VERSION, TLS1_3_VERSION));

TEST_F(HttpTransportTlsTest, SaysWhichSettingMakesNoSense) {
  const auto make = [&](const HttpTransportSettings& settings) {
    const auto made = HttpTransport::make(loop_, clock_, settings);
    return made.ok() ? "ok" : made.error().field;
  };
  HttpTransportSettings ca;
  ca.ca_file = authority_.ca_file() + ".none";
  HttpTransportSettings proxy;
  proxy.proxy = "ftp://proxy.example";
  HttpTransportSettings servers;
  servers.resolver.name_servers = "not an address";

  EXPECT_EQ(make(ca), "caFile");
  EXPECT_EQ(make(proxy), "proxy");
  EXPECT_EQ(make(servers), "nameServers");
}

}  // namespace
}  // namespace petrel::dispatch
