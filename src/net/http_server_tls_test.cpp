#include <array>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "net/testing/http_server_fixture.h"
#include "net/testing/test_certificate.h"

namespace petrel::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

std::shared_ptr<TlsIdentity> identity_of(const TestCertificate& certificate) {
  Result<std::shared_ptr<TlsIdentity>> loaded = TlsIdentity::load(certificate.files());
  EXPECT_TRUE(loaded.ok());
  return loaded.ok() ? *loaded : nullptr;
}

class TlsClient {
 public:
  explicit TlsClient(int version_max = TLS1_3_VERSION) : context_(asio::ssl::context::tls_client) {
    SSL_set_min_proto_version(ssl(), TLS1_VERSION);
    SSL_set_max_proto_version(ssl(), version_max);
    SSL_set_security_level(ssl(), 0);
  }

  // "" or what went wrong.
  std::string connect(std::uint16_t port, std::string_view protocols = {}) {
    stream_.lowest_layer().connect(tcp::endpoint(asio::ip::address_v4::loopback(), port));
    const timeval deadline{.tv_sec = 10, .tv_usec = 0};
    setsockopt(stream_.lowest_layer().native_handle(), SOL_SOCKET, SO_RCVTIMEO, &deadline,
               sizeof deadline);
    if (!protocols.empty()) {
      SSL_set_alpn_protos(stream_.native_handle(),
                          reinterpret_cast<const unsigned char*>(protocols.data()),
                          static_cast<unsigned int>(protocols.size()));
    }
    boost::system::error_code error;
    stream_.handshake(asio::ssl::stream_base::client, error);
    return error ? error.message() : "";
  }

  // The name in the certificate that the server has shown.
  std::string server_name() {
    const std::unique_ptr<X509, void (*)(X509*)> shown(
        SSL_get1_peer_certificate(stream_.native_handle()), X509_free);
    std::array<char, 64> name{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(shown.get()), NID_commonName, name.data(),
                              static_cast<int>(name.size()));
    return name.data();
  }

  void send(std::string_view text) { asio::write(stream_, asio::buffer(text)); }

  std::string receive() {
    std::array<char, 4096> part{};
    boost::system::error_code error;
    const std::size_t size = stream_.read_some(asio::buffer(part), error);
    end_ = error;
    return {part.data(), size};
  }

  std::string receive_all() {
    std::string all;
    while (!end_) all += receive();
    return all;
  }

  // How what was received ended: with TLS's own goodbye it is asio::error::eof.
  const boost::system::error_code& end() const { return end_; }

  SSL* ssl() { return stream_.native_handle(); }

 private:
  asio::io_context io_;
  asio::ssl::context context_;
  asio::ssl::stream<tcp::socket> stream_{io_, context_};
  boost::system::error_code end_;
};

class HttpServerTlsTest : public HttpServerTest {
 protected:
  void start_tls(HttpServerSettings settings = {}) {
    settings.identity = identity_of(certificate_);
    start(settings);
  }

  TestCertificate certificate_{"first"};
};

constexpr std::string_view kLast = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

TEST_F(HttpServerTlsTest, AnswersInsideTlsAndSaysGoodbye) {
  start_tls();
  TlsClient client;
  ASSERT_EQ(client.connect(port_), "");
  EXPECT_STREQ(SSL_get_version(client.ssl()), "TLSv1.3");
  const std::string body(300'000, 'x');
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n" + body +
              std::string(kLast));
  const std::string answer = client.receive_all();
  EXPECT_EQ(count(answer, "HTTP/1.1 200 OK"), 2);
  EXPECT_NE(answer.find("POST / [" + body + "]"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("GET /last []"));
  EXPECT_EQ(client.end(), asio::error::eof) << client.end().message();
}

TEST_F(HttpServerTlsTest, SpeaksTls12AndNothingOlder) {
  start_tls();
  TlsClient good(TLS1_2_VERSION);
  EXPECT_EQ(good.connect(port_), "");
  EXPECT_STREQ(SSL_get_version(good.ssl()), "TLSv1.2");
  TlsClient old(TLS1_1_VERSION);
  EXPECT_NE(old.connect(port_), "");
}

TEST_F(HttpServerTlsTest, AgreesOnHttp11OrNothing) {
  start_tls();
  TlsClient both;
  EXPECT_EQ(both.connect(port_, "\x02h2\x08http/1.1"), "");
  const unsigned char* chosen = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(both.ssl(), &chosen, &size);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(chosen), size), "http/1.1");
  TlsClient only_2;
  EXPECT_NE(only_2.connect(port_, "\x02h2"), "");
}

TEST_F(HttpServerTlsTest, TellsAClientThatSpeaksPlainHttp) {
  start_tls();
  const std::string answer = talk(kLast);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << answer;
  EXPECT_TRUE(answer.ends_with("https://")) << answer;
}

TEST_F(HttpServerTlsTest, ClosesWhatIsNoHandshakeOrTooSlowAtIt) {
  HttpServerSettings settings;
  settings.header_time_max = std::chrono::milliseconds(1);
  start_tls(settings);
  EXPECT_EQ(talk("\x16\x03\x01\x02"), "");
  talk(std::string(100, '\0'));
  wait_until([this] { return server_->connections() == 0; });
}

TEST_F(HttpServerTlsTest, RefusesInsideTls) {
  HttpServerSettings settings;
  settings.body_time_max = std::chrono::milliseconds(1);
  start_tls(settings);
  TlsClient large;
  ASSERT_EQ(large.connect(port_), "");
  large.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n");
  EXPECT_TRUE(large.receive_all().starts_with("HTTP/1.1 413 "));
  TlsClient slow;
  ASSERT_EQ(slow.connect(port_), "");
  slow.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhell");
  EXPECT_TRUE(slow.receive_all().starts_with("HTTP/1.1 408 "));
}

TEST_F(HttpServerTlsTest, ANewIdentityDropsNoConnection) {
  start_tls();
  TlsClient before;
  ASSERT_EQ(before.connect(port_), "");
  EXPECT_EQ(before.server_name(), "first");

  const TestCertificate second("second");
  wait_until([&] {
    server_->set_identity(identity_of(second));
    return true;
  });

  TlsClient after;
  ASSERT_EQ(after.connect(port_), "");
  EXPECT_EQ(after.server_name(), "second");
  before.send(kLast);
  EXPECT_TRUE(before.receive_all().ends_with("GET /last []"));
}

std::string error_of(const TlsFiles& files) {
  const auto loaded = TlsIdentity::load(files);
  return loaded.ok() ? "" : loaded.error().text();
}

TEST(TlsIdentity, SaysWhatIsWrongWithItsFiles) {
  const TestCertificate one("one");
  const TestCertificate other("other");
  const TlsFiles& good = one.files();
  EXPECT_EQ(error_of(good), "");
  EXPECT_EQ(error_of({"/nowhere/c.pem", good.key}),
            "tls-cert: cannot read /nowhere/c.pem: No such file or directory");
  EXPECT_EQ(error_of({good.certificate, "/nowhere/k.pem"}),
            "tls-key: cannot read /nowhere/k.pem: No such file or directory");
  EXPECT_EQ(error_of({good.key, good.key}),
            "tls-cert: " + good.key + " holds no certificate in PEM form");
  EXPECT_EQ(
      error_of({good.certificate, good.certificate}),
      "tls-key: " + good.certificate + " holds no key in PEM form that goes without a passphrase");
  EXPECT_EQ(error_of({good.certificate, other.files().key}),
            "tls-key: " + other.files().key + " is not the key of the certificate in " +
                good.certificate);
}

}  // namespace
}  // namespace petrel::net
