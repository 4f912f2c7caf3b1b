#include "net/http_server.h"

#include <atomic>
#include <future>

#include <boost/asio/post.hpp>

#include "net/testing/http_server_fixture.h"

namespace petrel::net {
namespace {

namespace asio = boost::asio;

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
  TestClient client(port_);
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
  TestClient client(port_);
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

TEST_F(HttpServerTest, SaysWhomARequestIsFrom) {
  const auto say = [](const HttpRequest& request, const Responder& respond) {
    respond(plain_response(200, request.peer + " for " + request.client));
  };
  const std::string request =
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n";
  HttpServerSettings settings;
  settings.trusted_proxies = {*Subnet::parse("127.0.0.1/32")};
  start(settings, say);
  EXPECT_TRUE(talk(request).ends_with("\r\n127.0.0.1 for 192.0.2.7"));
}

TEST_F(HttpServerTest, TakesNobodysWordOnWhomARequestIsFromByItself) {
  start({}, [](const HttpRequest& request, const Responder& respond) {
    respond(plain_response(200, request.peer + " for " + request.client));
  });
  EXPECT_TRUE(talk("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                   "X-Forwarded-For: 192.0.2.7\r\n\r\n")
                  .ends_with("\r\n127.0.0.1 for 127.0.0.1"));
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

TEST_F(HttpServerTest, HandsNothingOverOnceItIsDestroyedNotEvenWhatWasBeingUploaded) {
  std::atomic<int> handled = 0;
  start({}, [&](const HttpRequest&, const Responder& respond) {
    ++handled;
    respond(plain_response(200, "taken"));
  });
  TestClient client(port_);
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
  wait_until([&] { return server_->bytes_held() > 0; });
  std::promise<void> is_destroyed;
  asio::post(loop_, [&] {
    server_.reset();
    is_destroyed.set_value();
  });
  is_destroyed.get_future().wait();

  client.try_send(" and the rest");

  EXPECT_EQ(client.receive_all(), "");
  EXPECT_EQ(handled, 0);
  thread_.join();
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
