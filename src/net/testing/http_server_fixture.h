// A server on a thread of its own that says back what it was asked, and a client that talks to it
// byte by byte: for tests.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "net/http_server.h"

namespace petrel::net {

HttpResponse plain_response(int status, std::string_view text);

int count(const std::string& text, std::string_view part);

class TestClient {
 public:
  explicit TestClient(std::uint16_t port);

  void send(std::string_view text);

  // False if the other side takes no more.
  bool try_send(std::string_view text);

  void send_no_more();

  // What is there next; empty at the end, "timed out" if nothing comes for ten seconds.
  std::string receive();

  // All until the end.
  std::string receive_all();

 private:
  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_;
};

class HttpServerTest : public testing::Test {
 protected:
  // Answers "GET /path [body]" unless it is told otherwise.
  void start(HttpServerSettings settings, RequestHandler handle = {});

  void TearDown() override;

  // Sends, and reads until the server closes.
  std::string talk(std::string_view request);

  // Waits on the loop's thread until it is so, or fails.
  void wait_until(const std::function<bool()>& is_so);

  AccountOf account_of;  // To be set before start().
  std::uint16_t port_ = 0;
  SystemClock clock_;
  boost::asio::io_context loop_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

}  // namespace petrel::net
