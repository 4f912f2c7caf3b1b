#include <mutex>
#include <vector>

#include <openssl/ssl.h>

#include "dispatch/http_transport.h"
#include "dispatch/testing/scripted_receiver.h"
#include "dispatch/testing/test_authority.h"
#include "dispatch/testing/transport_fixture.h"

namespace petrel::dispatch {
namespace {

using policy::FailureKind;
using policy::Outcome;

constexpr std::string_view kOkAndClose =
    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

// Endpoints that bring TLS material of their own. The transport's usual authority is `usual_`.
class HttpTransportOwnTlsTest : public TransportFixture, public testing::WithParamInterface<int> {
 protected:
  // What the receiver saw of one request.
  struct Seen {
    int connection;
    std::string client;
    bool is_resumed;
  };

  HttpTransportOwnTlsTest() {
    SSL_CTX_set_max_proto_version(usual_server_.get(), GetParam());
    SSL_CTX_set_max_proto_version(own_server_.get(), GetParam());
  }

  void start_at(std::uint16_t port) {
    HttpTransportSettings settings;
    settings.guard = loopback_guard();
    settings.ca_file = usual_.ca_file();
    start(settings);
    point_at("https://127.0.0.1:" + std::to_string(port) + "/");
  }

  void bring_authorities(const std::string& pem) {
    endpoint_ = std::make_shared<model::Endpoint>(*endpoint_);
    endpoint_->ca_pem = pem;
  }

  void bring_client(const ClientIdentity& identity) {
    endpoint_ = std::make_shared<model::Endpoint>(*endpoint_);
    endpoint_->client_certificate_pem = identity.certificate_pem;
    endpoint_->client_key_pem = identity.key_pem;
  }

  // The same endpoint with another id, and this client certificate if there is one.
  std::shared_ptr<model::Endpoint> another(std::uint64_t seed, const ClientIdentity& identity) {
    SeededSecureRandom random(seed);
    auto made = std::make_shared<model::Endpoint>(*endpoint_);
    made->id = EndpointId(Ksuid::make(wall_from_unix_seconds(1'700'000'000), random));
    made->client_certificate_pem = identity.certificate_pem;
    made->client_key_pem = identity.key_pem;
    return made;
  }

  model::AttemptResult attempt_of(const std::shared_ptr<model::Endpoint>& endpoint) {
    endpoint_ = endpoint;
    return attempt();
  }

  // Answers each request with `answer`, and remembers whose it was. Who is refused closes first, so
  // that the reason arrives.
  ScriptedReceiver::Script serve(SSL_CTX* context, std::string_view answer = kOk) {
    return [this, context, answer](Peer& peer) {
      if (!peer.begin_tls(context)) {
        peer.waits_for_end();
        return;
      }
      while (peer.read_request()) {
        {
          const std::lock_guard lock(mutex_);
          seen_.push_back({peer.number(), peer.client_name(), peer.is_resumed()});
        }
        peer.send(answer);
        if (answer == kOkAndClose) return;
      }
    };
  }

  std::vector<Seen> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

  TestAuthority usual_;
  TestAuthority own_{"own authority"};
  ServerContext usual_server_ = usual_.server("IP:127.0.0.1");
  ServerContext own_server_ = own_.server("IP:127.0.0.1");
  std::mutex mutex_;
  std::vector<Seen> seen_;
};

TEST_P(HttpTransportOwnTlsTest, TrustsTheAuthorityOfTheEndpoint) {
  ScriptedReceiver receiver(serve(own_server_.get()));
  start_at(receiver.port());

  const auto without = attempt();
  bring_authorities(own_.ca_pem());
  const auto with = attempt();
  bring_authorities("");
  const auto without_again = attempt();

  EXPECT_EQ(without.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_EQ(without.error.find("certificate does not verify: "), 0U) << without.error;
  EXPECT_EQ(with.outcome, Outcome::answered(200)) << with.error;
  EXPECT_EQ(without_again.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_EQ(seen().size(), 1U);
  transport_.reset();
}

TEST_P(HttpTransportOwnTlsTest, TrustsNobodyElseThen) {
  ScriptedReceiver receiver(serve(usual_server_.get()));
  start_at(receiver.port());

  const auto usual = attempt();
  bring_authorities(own_.ca_pem());
  const auto own = attempt();
  bring_authorities(own_.ca_pem() + usual_.ca_pem());
  const auto both = attempt();

  EXPECT_EQ(usual.outcome, Outcome::answered(200)) << usual.error;
  EXPECT_EQ(own.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_EQ(own.error.find("certificate does not verify: "), 0U) << own.error;
  EXPECT_EQ(both.outcome, Outcome::answered(200)) << both.error;
  transport_.reset();
}

TEST_P(HttpTransportOwnTlsTest, ShowsTheClientCertificateToAReceiverThatDemandsOne) {
  own_.demand_clients(usual_server_.get());
  ScriptedReceiver receiver(serve(usual_server_.get()));
  start_at(receiver.port());

  const auto without = attempt();
  bring_client(usual_.client("stranger"));
  const auto stranger = attempt();
  bring_client(own_.client("acme"));
  const auto with = attempt();

  EXPECT_EQ(without.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_NE(without.error.find("the receiver demands a client certificate"), std::string::npos)
      << without.error;
  EXPECT_EQ(stranger.outcome, Outcome::failed(FailureKind::Tls));
  EXPECT_EQ(stranger.error,
            "TLS handshake failed: the receiver refuses our client certificate, or the lack of "
            "one");
  EXPECT_EQ(with.outcome, Outcome::answered(200)) << with.error;
  ASSERT_EQ(seen().size(), 1U);
  EXPECT_EQ(seen()[0].client, "acme");
  transport_.reset();
}

TEST_P(HttpTransportOwnTlsTest, SharesNoConnectionBetweenCertificates) {
  own_.demand_clients(usual_server_.get());
  SSL_CTX_set_verify(usual_server_.get(), SSL_VERIFY_PEER, nullptr);
  ScriptedReceiver receiver(serve(usual_server_.get()));
  start_at(receiver.port());
  const auto acme = another(1, own_.client("acme"));
  const auto other = another(2, own_.client("other"));
  const auto nobody = another(3, {});

  for (const auto& endpoint : {acme, other, nobody, acme, other, nobody}) {
    EXPECT_EQ(attempt_of(endpoint).outcome, Outcome::answered(200));
  }

  const std::vector<std::string> clients = {"acme", "other", "", "acme", "other", ""};
  ASSERT_EQ(seen().size(), clients.size());
  for (std::size_t i = 0; i < clients.size(); ++i) EXPECT_EQ(seen()[i].client, clients[i]) << i;
  EXPECT_EQ(receiver.connections(), 3) << "each keeps its own";
  EXPECT_EQ(transport_->idle_connections(), 3U);
  transport_.reset();
}

TEST_P(HttpTransportOwnTlsTest, ResumesNoSessionOfAnotherCertificate) {
  own_.demand_clients(usual_server_.get());
  SSL_CTX_set_verify(usual_server_.get(), SSL_VERIFY_PEER, nullptr);
  ScriptedReceiver receiver(serve(usual_server_.get(), kOkAndClose));
  start_at(receiver.port());
  const auto acme = another(1, own_.client("acme"));
  const auto other = another(2, own_.client("other"));
  const auto nobody = another(3, {});

  for (const auto& endpoint : {acme, other, nobody, acme, other, nobody}) {
    EXPECT_EQ(attempt_of(endpoint).outcome, Outcome::answered(200));
  }

  const std::vector<std::string> clients = {"acme", "other", "", "acme", "other", ""};
  ASSERT_EQ(seen().size(), clients.size());
  for (std::size_t i = 0; i < clients.size(); ++i) {
    EXPECT_EQ(seen()[i].client, clients[i]) << i;
    EXPECT_EQ(seen()[i].is_resumed, i >= 3) << i;
  }
  transport_.reset();
}

TEST_P(HttpTransportOwnTlsTest, UsesAChangedCertificateFromTheNextAttemptOn) {
  own_.demand_clients(usual_server_.get());
  ScriptedReceiver receiver(serve(usual_server_.get()));
  start_at(receiver.port());

  bring_client(own_.client("old"));
  attempt();
  attempt();
  bring_client(own_.client("new"));
  attempt();

  ASSERT_EQ(seen().size(), 3U);
  EXPECT_EQ(seen()[1].client, "old");
  EXPECT_EQ(seen()[1].connection, seen()[0].connection);
  EXPECT_EQ(seen()[2].client, "new");
  EXPECT_FALSE(seen()[2].is_resumed);
  transport_.reset();
}

TEST_P(HttpTransportOwnTlsTest, SaysWhichMaterialCannotBeUsed) {
  ScriptedReceiver receiver(serve(usual_server_.get()));
  start_at(receiver.port());
  const ClientIdentity good = own_.client("acme");
  const auto error_with = [&](const std::string& authorities, const ClientIdentity& client) {
    bring_authorities(authorities);
    bring_client(client);
    const auto result = attempt();
    EXPECT_EQ(result.outcome, Outcome::failed(FailureKind::Tls));
    return result.error;
  };
  const std::string no_authority = "the endpoint's CA certificates are not certificates in PEM";
  const std::string no_certificate =
      "the endpoint's client certificate is not a certificate in PEM";
  const std::string no_key =
      "the endpoint's client key is not a private key in PEM without a passphrase";
  const std::string cut = good.certificate_pem.substr(0, 200);

  EXPECT_EQ(error_with("no PEM", {}), no_authority);
  EXPECT_EQ(error_with(usual_.ca_pem() + cut, {}), no_authority);
  EXPECT_EQ(error_with("", {cut, good.key_pem}), no_certificate);
  EXPECT_EQ(error_with("", {"", good.key_pem}), no_certificate);
  EXPECT_EQ(error_with("", {good.certificate_pem, ""}), no_key);
  EXPECT_EQ(error_with("", {good.certificate_pem, good.key_pem.substr(0, 100)}), no_key);
  EXPECT_EQ(error_with("", {good.certificate_pem, own_.client("other").key_pem}),
            "the endpoint's client key is not that of its client certificate");
  EXPECT_TRUE(seen().empty());

  bring_client({});
  EXPECT_EQ(attempt().outcome, Outcome::answered(200)) << "nothing is left behind";
  transport_.reset();
}

INSTANTIATE_TEST_SUITE_P(Versions, HttpTransportOwnTlsTest,
                         testing::Values(TLS1_2_VERSION, TLS1_3_VERSION));

}  // namespace
}  // namespace petrel::dispatch
