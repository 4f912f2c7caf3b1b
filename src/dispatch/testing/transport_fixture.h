// TransportFixture is the common ground of the tests of HttpTransport: a loop, one endpoint that
// can be changed, and attempts whose results are waited for with a deadline.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "dispatch/http_transport.h"
#include "model/endpoint.h"

namespace petrel::dispatch {

class TransportFixture : public testing::Test {
 protected:
  static constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

  TransportFixture();

  // Lets 127.0.0.1 through, as the tests' receivers are there.
  static net::AddressGuard loopback_guard();

  void start(HttpTransportSettings settings);
  void start();  // With loopback_guard() and nothing else.

  void point_at(const std::string& url);
  void point_at(std::uint16_t port);  // On 127.0.0.1, plain.

  model::AttemptOrder order(Duration timeout = std::chrono::seconds(10));

  // Sends and turns the loop until the result is there; fails after twenty seconds.
  model::AttemptResult attempt(Duration timeout = std::chrono::seconds(10));

  // Turns the loop until `is_so` says so. False after twenty seconds.
  bool run_until(const std::function<bool()>& is_so);

  SystemClock clock_;
  boost::asio::io_context loop_;
  std::shared_ptr<model::Endpoint> endpoint_;
  model::Payload payload_ = std::make_shared<const std::string>(R"({"a":1})");
  std::unique_ptr<HttpTransport> transport_;
};

}  // namespace petrel::dispatch
