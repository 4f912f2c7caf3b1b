// Sends a message for each order that is given: producer 17 18
//
// Needs PETREL (such as http://127.0.0.1:8071/api/v1) and TOKEN in the environment. Plain HTTP
// only.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

constexpr int kAttempts = 10;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set");
  return value;
}

// The address of the API in its parts.
struct Api {
  std::string host, port, path;

  explicit Api(const std::string& url) {
    static const std::regex form("http://([^/:]+)(?::([0-9]+))?(/.*)?");
    std::smatch parts;
    if (!std::regex_match(url, parts, form)) throw std::runtime_error("PETREL is no http URL");
    host = parts[1];
    port = parts[2].matched ? parts[2].str() : "80";
    path = parts[3];
  }
};

// Runs what `start` begins until it is done, and throws if it fails.
template <typename Start>
void finish(asio::io_context& io, Start start) {
  auto result = start(asio::use_future);
  io.restart();
  io.run();
  result.get();
}

// One request over a connection of its own. Throws if there is no answer within 30 s.
Response ask(const Api& api, const Request& request) {
  asio::io_context io;
  asio::ip::tcp::resolver resolver(io);
  const auto addresses = resolver.resolve(api.host, api.port);
  beast::tcp_stream stream(io);
  stream.expires_after(std::chrono::seconds(30));
  finish(io, [&](auto done) { return stream.async_connect(addresses, done); });
  finish(io, [&](auto done) { return http::async_write(stream, request, done); });
  beast::flat_buffer buffer;
  Response response;
  finish(io, [&](auto done) { return http::async_read(stream, buffer, response, done); });
  return response;
}

std::chrono::milliseconds wait_after(const std::optional<Response>& response, int attempt) {
  if (response) {
    const auto value = (*response)[http::field::retry_after];
    int seconds = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), seconds).ec == std::errc()) {
      return std::chrono::seconds(seconds);
    }
  }
  return std::chrono::milliseconds(std::min(100 << attempt, 30'000));
}

// The answer. The key makes it one message, however often the request is repeated.
std::string send(const Api& api, const std::string& message, const std::string& key) {
  Request request(http::verb::post, api.path + "/app/acme/msg", 11, message);
  request.set(http::field::host, api.host + ":" + api.port);
  request.set(http::field::authorization, "Bearer " + environment("TOKEN"));
  request.set(http::field::content_type, "application/json");
  request.set("idempotency-key", key);
  request.prepare_payload();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::optional<Response> response;
    try {
      response = ask(api, request);
    } catch (const boost::system::system_error&) {
      // No connection, or no answer: it may have been accepted all the same.
    }
    if (response && response->result() == http::status::accepted) return response->body();
    if (response && response->result_int() < 500 && response->result_int() != 429) {
      throw std::runtime_error("refused: " + response->body());
    }
    std::this_thread::sleep_for(wait_after(response, attempt));
  }
  throw std::runtime_error("not accepted; run it again");
}

int main(int count, char** arguments) try {
  const Api api(environment("PETREL"));
  for (int i = 1; i < count; ++i) {
    const int order = std::stoi(arguments[i]);
    const std::string message =
        R"({"eventType": "order.paid", "payload": {"order": )" + std::to_string(order) + "}}";
    const std::string answer = send(api, message, "order-" + std::to_string(order) + "-paid");
    std::smatch id;
    std::regex_search(answer, id, std::regex("msg_[0-9A-Za-z]+"));
    std::cout << order << " " << id.str() << "\n";
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
