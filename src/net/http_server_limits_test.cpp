#include <atomic>
#include <vector>

#include <boost/asio/post.hpp>

#include "net/testing/http_server_fixture.h"

namespace petrel::net {
namespace {

using std::chrono::milliseconds;

class HttpServerLimitsTest : public HttpServerTest {};

TEST_F(HttpServerLimitsTest, RefusesWhatIsTooLargeAndCloses) {
  HttpServerSettings settings;
  settings.limits.body_bytes_max = 10;
  settings.limits.header_bytes_max = 500;
  settings.limits.header_count_max = 5;
  start(settings);
  EXPECT_TRUE(talk("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n12345678901")
                  .starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(talk("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "b\r\n12345678901\r\n0\r\n\r\n")
                  .starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(talk("GET / HTTP/1.1\r\nX: " + std::string(600, 'x') + "\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(talk("GET / HTTP/1.1\r\nA:\r\nA:\r\nA:\r\nA:\r\nA:\r\nA:\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
}

TEST_F(HttpServerLimitsTest, RefusesADeclaredHugeBodyBeforeItComes) {
  start({});
  const std::string answer = talk(
      "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 999999999999\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 413 ")) << answer;
  EXPECT_EQ(count(answer, "100 Continue"), 0);
}

TEST_F(HttpServerLimitsTest, AClientThatSendsOnStillSeesItsRefusal) {
  start({});
  TestClient client(port_);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n");
  client.try_send(std::string(3'000'000, 'x'));
  EXPECT_TRUE(client.receive_all().starts_with("HTTP/1.1 413 "));
}

TEST_F(HttpServerLimitsTest, EndsAHeaderThatIsTooSlow) {
  HttpServerSettings settings;
  settings.header_time_max = milliseconds(1);
  start(settings);
  EXPECT_TRUE(talk("GET / HTTP/1.1\r\nHost:").starts_with("HTTP/1.1 408 "));
}

TEST_F(HttpServerLimitsTest, EndsABodyThatIsTooSlow) {
  HttpServerSettings settings;
  settings.body_time_max = milliseconds(1);
  start(settings);
  EXPECT_TRUE(talk("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhell")
                  .starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(talk("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhell")
                  .starts_with("HTTP/1.1 408 "));
}

TEST_F(HttpServerLimitsTest, DrippingDoesNotBuyTime) {
  HttpServerSettings settings;
  settings.limits.body_bytes_max = 1'000'000'000;  // Byte by byte, more than anyone can send.
  settings.body_time_max = milliseconds(600);
  start(settings);
  TestClient client(port_);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n");
  std::atomic<bool> is_over = false;
  std::thread dripping([&] {
    while (!is_over && client.try_send("x")) std::this_thread::yield();
  });
  const std::string answer = client.receive();
  is_over = true;
  dripping.join();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 408 ")) << answer;
}

TEST_F(HttpServerLimitsTest, ClosesWhatIsIdle) {
  HttpServerSettings settings;
  settings.idle_time_max = milliseconds(1);
  settings.header_time_max = std::chrono::hours(1);
  start(settings);
  const std::string answer = talk("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("GET / []")) << answer;
}

TEST_F(HttpServerLimitsTest, ClosesWhatNeverSaidAnything) {
  HttpServerSettings settings;
  settings.header_time_max = milliseconds(1);
  start(settings);
  EXPECT_EQ(talk(""), "");
}

TEST_F(HttpServerLimitsTest, CutsOffAClientThatDoesNotReadItsAnswer) {
  constexpr std::size_t kAnswerBytes = 64 * 1024 * 1024;
  HttpServerSettings settings;
  settings.write_time_max = milliseconds(1);
  start(settings, [](const HttpRequest&, const Responder& respond) {
    respond(plain_response(200, std::string(kAnswerBytes, 'x')));
  });
  TestClient client(port_);
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  wait_until([this] { return server_->connections() == 1; });
  wait_until([this] { return server_->connections() == 0; });
  EXPECT_LT(client.receive_all().size(), kAnswerBytes);
}

TEST_F(HttpServerLimitsTest, HasOneRequestOfAConnectionUnderWay) {
  std::vector<Responder> waiting;  // On the loop's thread.
  start({}, [&](const HttpRequest&, Responder respond) { waiting.push_back(std::move(respond)); });
  TestClient client(port_);
  for (int i = 0; i < 3; ++i) client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

  for (const char* text : {"first", "second", "third"}) {
    wait_until([&] { return !waiting.empty(); });
    wait_until([&] {
      EXPECT_EQ(waiting.size(), 1U);
      std::exchange(waiting, {}).front()(plain_response(200, text));
      return true;
    });
    EXPECT_TRUE(client.receive().ends_with(text));
  }
}

TEST_F(HttpServerLimitsTest, TakesNoMoreBodiesThanItMayHold) {
  HttpServerSettings settings;
  settings.memory = MemoryBudget::make(4 * 1024 * 1024);  // Half of it is for clients.
  const MemoryHold full = settings.memory->take(MemoryUse::Messages, 1024 * 1024, nullptr);
  settings.limits.body_bytes_max = 1024 * 1024;
  start(settings);
  const std::string begun =
      "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 600001\r\n\r\n" +
      std::string(600'000, 'x');
  TestClient first(port_);
  first.send(begun);
  wait_until([this] { return server_->bytes_held() >= 600'000; });

  EXPECT_TRUE(talk(begun).starts_with("HTTP/1.1 503 "));

  wait_until([this] { return server_->connections() == 1; });
  first.send("y");
  EXPECT_TRUE(first.receive_all().ends_with("xy]"));
}

TEST_F(HttpServerLimitsTest, RefusesFirstWhomMostBelongsTo) {
  HttpServerSettings settings;
  settings.memory = MemoryBudget::make(32 * 1024 * 1024);  // Half of it is for clients.
  settings.limits.body_bytes_max = 8 * 1024 * 1024;
  account_of = [memory = settings.memory](const HttpRequest& request) {
    return memory->account(request.header("authorization"));
  };
  start(settings);
  const auto begun = [](const std::string& who, std::size_t bytes) {
    return "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: " + who +
           "\r\nConnection: close\r\nContent-Length: " + std::to_string(bytes + 1) + "\r\n\r\n" +
           std::string(bytes, 'x');
  };
  TestClient first(port_);
  first.send(begun("greedy", 6'000'000));
  wait_until([this] { return server_->bytes_held() >= 6'000'000; });

  TestClient second(port_);
  second.try_send(begun("greedy", 6'000'000));
  EXPECT_TRUE(second.receive().starts_with("HTTP/1.1 503 "));
  TestClient other(port_);
  other.send(begun("healthy", 2'000'000) + "y");
  EXPECT_TRUE(other.receive_all().starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(settings.memory->last_refused(), "greedy");
}

TEST_F(HttpServerLimitsTest, AnAnswerThatHasNoRoomIsARefusal) {
  HttpServerSettings settings;
  settings.memory = MemoryBudget::make(4 * 1024 * 1024);
  start(settings, [](const HttpRequest&, const Responder& respond) {
    respond(plain_response(200, std::string(3 * 1024 * 1024, 'x')));
  });
  EXPECT_TRUE(
      talk("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").starts_with("HTTP/1.1 503 "));
}

// Those who do not read the answers to what they changed take nothing from the others.
TEST_F(HttpServerLimitsTest, AnAnswerToAPostCountsAsItsAccounts) {
  HttpServerSettings settings;
  settings.memory = MemoryBudget::make(64 * 1024 * 1024);
  settings.write_time_max = std::chrono::hours(1);
  const MemoryAccountPtr greedy = settings.memory->account("greedy");
  const std::string large(16 * 1024 * 1024, 'x');  // More than sockets take.
  start(settings, [greedy, large](const HttpRequest&, const Responder& respond) {
    HttpResponse response = plain_response(200, large);
    response.account = greedy;
    respond(std::move(response));
  });
  TestClient client(port_);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
  wait_until([&] { return greedy->used(MemorySide::Clients) >= large.size(); });
  EXPECT_TRUE(client.receive().starts_with("HTTP/1.1 200 "));
}

TEST_F(HttpServerLimitsTest, RefusesMoreConnectionsThanItsLimit) {
  HttpServerSettings settings;
  settings.connections_max = 1;
  start(settings);
  TestClient first(port_);
  first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(first.receive().starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(talk("").starts_with("HTTP/1.1 503 "));

  first.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(first.receive_all().starts_with("HTTP/1.1 200 "));
  wait_until([this] { return server_->connections() == 0; });
  EXPECT_TRUE(
      talk("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").starts_with("HTTP/1.1 200 "));
}

TEST_F(HttpServerLimitsTest, ClosesWithoutAWordWhatIsFarBeyondItsLimit) {
  HttpServerSettings settings;
  settings.connections_max = 0;
  settings.linger_time_max = std::chrono::hours(1);
  start(settings);
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(std::make_unique<TestClient>(port_));
  for (const auto& client : clients) EXPECT_TRUE(client->receive().starts_with("HTTP/1.1 503 "));
  EXPECT_EQ(talk(""), "");
}

TEST_F(HttpServerLimitsTest, AnswersAClientThatClosedItsHalf) {
  start({});
  TestClient client(port_);
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.send_no_more();
  EXPECT_TRUE(client.receive_all().ends_with("GET / []"));
  TestClient other(port_);
  other.send("GET / HTT");
  other.send_no_more();
  EXPECT_EQ(other.receive_all(), "");
}

}  // namespace
}  // namespace petrel::net
