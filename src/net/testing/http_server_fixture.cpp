#include "net/testing/http_server_fixture.h"

#include <future>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

namespace petrel::net {

namespace asio = boost::asio;
using asio::ip::tcp;

HttpResponse plain_response(int status, std::string_view text) {
  HttpResponse response;
  response.status = status;
  response.body = text;
  response.content_type = "text/plain";
  return response;
}

int count(const std::string& text, std::string_view part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TestClient::TestClient(std::uint16_t port) : socket_(io_) {
  socket_.connect(tcp::endpoint(asio::ip::address_v4::loopback(), port));
  const timeval deadline{.tv_sec = 10, .tv_usec = 0};
  setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
  setsockopt(socket_.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof deadline);
}

void TestClient::send(std::string_view text) { asio::write(socket_, asio::buffer(text)); }

bool TestClient::try_send(std::string_view text) {
  return ::send(socket_.native_handle(), text.data(), text.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

void TestClient::send_no_more() { socket_.shutdown(tcp::socket::shutdown_send); }

std::string TestClient::receive() {
  char part[4096];
  const ssize_t size = recv(socket_.native_handle(), part, sizeof part, 0);
  if (size < 0) return errno == ECONNRESET ? "" : "timed out";
  return {part, static_cast<std::size_t>(size)};
}

std::string TestClient::receive_all() {
  std::string all;
  for (;;) {
    const std::string part = receive();
    all += part;
    if (part.empty() || part == "timed out") return all;
  }
}

void HttpServerTest::start(HttpServerSettings settings, RequestHandler handle) {
  settings.port = 0;
  if (!handle) {
    handle = [](const HttpRequest& request, const Responder& respond) {
      respond(
          plain_response(200, request.method + " " + request.target + " [" + request.body + "]"));
    };
  }
  server_ = std::make_unique<HttpServer>(
      loop_, clock_, std::move(settings),
      HttpServer::Callbacks{
          .handle = std::move(handle), .error_page = plain_response, .account_of = account_of});
  const Status bound = server_->bind();
  ASSERT_TRUE(bound.ok());
  server_->start();
  port_ = server_->port();
  thread_ = std::thread([this] { loop_.run(); });
}

void HttpServerTest::TearDown() {
  if (!thread_.joinable()) return;
  asio::post(loop_, [this] { server_->stop(); });
  thread_.join();
}

std::string HttpServerTest::talk(std::string_view request) {
  TestClient client(port_);
  client.send(request);
  return client.receive_all();
}

void HttpServerTest::wait_until(const std::function<bool()>& is_so) {
  constexpr int kLooksMax = 2'000;
  std::promise<bool> seen;
  asio::steady_timer timer(loop_);
  int looks = 0;
  std::function<void()> look = [&] {
    if (is_so()) return seen.set_value(true);
    if (++looks == kLooksMax) return seen.set_value(false);
    timer.expires_after(std::chrono::milliseconds(5));
    timer.async_wait([&](const boost::system::error_code&) { look(); });
  };
  asio::post(loop_, look);
  EXPECT_TRUE(seen.get_future().get());
}

}  // namespace petrel::net
