#include "net/http_server.h"

#include <sys/socket.h>
#include <thread>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

namespace petrel::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

HttpResponse plain(int status, std::string_view text) {
  HttpResponse response;
  response.status = status;
  response.body = text;
  response.content_type = "text/plain";
  return response;
}

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(io_) {
    socket_.connect(tcp::endpoint(asio::ip::address_v4::loopback(), port));
    const timeval deadline{.tv_sec = 10, .tv_usec = 0};
    setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
  }

  void send(std::string_view text) { asio::write(socket_, asio::buffer(text)); }

  std::string receive() {
    char part[4096];
    const ssize_t size = recv(socket_.native_handle(), part, sizeof part, 0);
    return size < 0 ? "timed out" : std::string(part, static_cast<std::size_t>(size));
  }

  std::string receive_all() {
    std::string all;
    for (;;) {
      const std::string part = receive();
      all += part;
      if (part.empty() || part == "timed out") return all;
    }
  }

 private:
  asio::io_context io_;
  tcp::socket socket_;
};

// A server that says back what it was asked: "GET /path [body]".
class HttpServerTest : public testing::Test {
 protected:
  void start(HttpServerSettings settings) {
    settings.port = 0;
    server_ = std::make_unique<HttpServer>(
        loop_, clock_, settings,
        HttpServer::Callbacks{.handle =
                                  [](HttpRequest request, const Responder& respond) {
                                    respond(plain(200, request.method + " " + request.target +
                                                           " [" + request.body + "]"));
                                  },
                              .error_page = plain});
    const Status bound = server_->bind();
    ASSERT_TRUE(bound.ok());
    server_->start();
    port_ = server_->port();
    thread_ = std::thread([this] { loop_.run(); });
  }

  void TearDown() override {
    if (!thread_.joinable()) return;
    asio::post(loop_, [this] { server_->stop(); });
    thread_.join();
  }

  // Sends, and reads until the server closes. A hung server shows as "timed out".
  std::string talk(std::string_view request) {
    Client client(port_);
    client.send(request);
    return client.receive_all();
  }

  std::uint16_t port_ = 0;
  SystemClock clock_;
  asio::io_context loop_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

int count(const std::string& text, std::string_view part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST_F(HttpServerTest, AnswersARequest) {
  start({});
  const std::string answer = talk("GET /a?b=c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\nGET /a?b=c []")) << answer;
  EXPECT_EQ(count(answer, "Content-Length: 13\r\n"), 1);
  EXPECT_EQ(count(answer, "Connection: close\r\n"), 1);
}

TEST_F(HttpServerTest, ReadsBodiesByLengthAndInChunks) {
  start({});
  EXPECT_TRUE(talk("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\n"
                   "hello")
                  .ends_with("POST / [hello]"));
  EXPECT_TRUE(talk("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n")
                  .ends_with("POST / [hello!]"));
}

TEST_F(HttpServerTest, ReadsChunksThatComeByteByByte) {
  start({});
  const std::string request =
      "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n0\r\n\r\n";
  Client client(port_);
  for (const char c : request) client.send(std::string_view(&c, 1));
  EXPECT_TRUE(client.receive_all().ends_with("POST / [hello]"));
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  start({});
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  }
  requests += "GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

  const std::string answer = talk(requests);

  EXPECT_EQ(count(answer, "HTTP/1.1 200 OK"), 51);
  EXPECT_LT(answer.find("GET /8 "), answer.find("GET /9 "));
  EXPECT_TRUE(answer.ends_with("GET /end []"));
}

TEST_F(HttpServerTest, LetsAClientContinueThatWaitsForLeave) {
  start({});
  Client client(port_);
  client.send(
      "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n"
      "Content-Length: 2\r\n\r\n");
  EXPECT_EQ(client.receive(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hi");
  EXPECT_TRUE(client.receive_all().ends_with("POST / [hi]"));
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
  start({});
  const std::string answer = talk("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(count(answer, "Content-Length: 9\r\n"), 1) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST_F(HttpServerTest, RefusesWhatIsNotHttpAndCloses) {
  start({});
  EXPECT_TRUE(talk("rubbish\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(talk(std::string(100, '\0')).starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(talk("GET / HTTP/1.1\r\nHost : x\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, RefusesRequestsThatTwoReadersCouldCutDifferently) {
  start({});
  EXPECT_TRUE(talk("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
                  .starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(talk("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"
                   "hello")
                  .starts_with("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, RefusesWhatIsTooLarge) {
  HttpServerSettings settings;
  settings.body_bytes_max = 10;
  settings.header_bytes_max = 500;
  start(settings);
  EXPECT_TRUE(talk("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n12345678901")
                  .starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(talk("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "b\r\n12345678901\r\n0\r\n\r\n")
                  .starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(talk("GET / HTTP/1.1\r\nX: " + std::string(600, 'x') + "\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, EndsAClientThatIsTooSlow) {
  HttpServerSettings settings;
  settings.header_time_max = std::chrono::milliseconds(1);
  settings.idle_time_max = std::chrono::milliseconds(1);
  start(settings);
  EXPECT_TRUE(talk("GET / HTTP/1.1\r\nHost:").starts_with("HTTP/1.1 408 "));
  EXPECT_EQ(talk(""), "");
}

TEST_F(HttpServerTest, RefusesMoreConnectionsThanItsLimit) {
  HttpServerSettings settings;
  settings.connections_max = 0;
  start(settings);
  EXPECT_TRUE(talk("").starts_with("HTTP/1.1 503 "));
}

TEST(HttpServer, SaysWhyItCannotListen) {
  asio::io_context loop;
  const SystemClock clock;
  HttpServerSettings settings;
  settings.port = 0;
  HttpServer first(loop, clock, settings, {});
  ASSERT_TRUE(first.bind().ok());
  settings.port = first.port();
  HttpServer second(loop, clock, settings, {});
  settings.host = "nowhere";
  HttpServer third(loop, clock, settings, {});

  const Status taken = second.bind();
  const Status nonsense = third.bind();

  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().kind, ErrorKind::Unavailable);
  ASSERT_FALSE(nonsense.ok());
  EXPECT_EQ(nonsense.error().field, "listen");
}

TEST(HttpServer, SeveralMayShareAPort) {
  asio::io_context loop;
  const SystemClock clock;
  HttpServerSettings settings;
  settings.port = 0;
  settings.shares_port = true;
  HttpServer first(loop, clock, settings, {});
  ASSERT_TRUE(first.bind().ok());
  settings.port = first.port();
  HttpServer second(loop, clock, settings, {});

  EXPECT_TRUE(second.bind().ok());
}

TEST(HttpServer, MayBeStoppedTwiceAndBeforeItStarted) {
  asio::io_context loop;
  const SystemClock clock;
  HttpServer server(loop, clock, {}, {});
  server.stop();
  server.stop();
  EXPECT_EQ(server.port(), 0);
}

}  // namespace
}  // namespace petrel::net
