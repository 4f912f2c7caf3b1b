// Takes webhooks, verifies them, and prints each order once. Needs SECRET (whsec_…) and PORT.
//
// One connection after the other, each for one request, to keep to what matters here.

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

using Request = http::request<http::string_body>;

constexpr std::size_t kBodyMax = 1024 * 1024;

std::vector<unsigned char> from_base64(std::string_view text) {
  std::vector<unsigned char> bytes(text.size() / 4 * 3 + 3);
  const int size =
      EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(text.data()),
                      static_cast<int>(text.size()));
  if (size < 0) throw std::runtime_error("the secret is not base64");
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

std::string to_base64(const unsigned char* bytes, unsigned int size) {
  std::string text((size + 2) / 3 * 4 + 1, '\0');
  const int written =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes, static_cast<int>(size));
  text.resize(static_cast<std::size_t>(written));
  return text;
}

std::string sign(std::string_view secret, const std::string& signed_text) {
  if (secret.starts_with("whsec_")) secret.remove_prefix(6);
  const std::vector<unsigned char> key = from_base64(secret);
  unsigned char mac[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(signed_text.data()), signed_text.size(), mac, &size);
  return "v1," + to_base64(mac, size);
}

bool is_recent(std::string_view timestamp) {
  long long seconds = 0;
  const auto [end, error] =
      std::from_chars(timestamp.data(), timestamp.data() + timestamp.size(), seconds);
  if (error != std::errc() || end != timestamp.data() + timestamp.size()) return false;
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  return seconds >= now.count() - 300 && seconds <= now.count() + 300;
}

// Whether the body, the raw bytes, was signed with the secret just now.
bool is_signed(std::string_view secret, const Request& request) {
  const std::string id(request["webhook-id"]);
  const std::string timestamp(request["webhook-timestamp"]);
  if (id.empty() || !is_recent(timestamp)) return false;
  const std::string expected = sign(secret, id + "." + timestamp + "." + request.body());
  std::istringstream signatures{std::string(request["webhook-signature"])};
  for (std::string given; signatures >> given;) {
    if (given.size() == expected.size() &&
        CRYPTO_memcmp(given.data(), expected.data(), given.size()) == 0) {
      return true;
    }
  }
  return false;
}

// The number after "order" in the payload; a real receiver has a JSON parser.
std::string order_of(const std::string& payload) {
  const std::size_t at = payload.find_first_of("0123456789", payload.find("\"order\""));
  return at == std::string::npos ? "?" : std::to_string(std::stoll(payload.substr(at)));
}

http::status take(const Request& request, std::string_view secret, std::set<std::string>& seen) {
  if (!is_signed(secret, request)) {
    std::cerr << "not signed, or not just now\n";
    return http::status::bad_request;
  }
  const std::string id(request["webhook-id"]);
  if (!seen.contains(id)) {
    std::cout << "order " << order_of(request.body()) << std::endl;  // The work.
    seen.insert(id);
  }
  return http::status::no_content;
}

void serve_one(asio::ip::tcp::socket socket, std::string_view secret, std::set<std::string>& seen) {
  beast::tcp_stream stream(std::move(socket));
  beast::flat_buffer buffer;
  http::request_parser<http::string_body> parser;
  parser.body_limit(kBodyMax);
  http::read(stream, buffer, parser);
  http::response<http::empty_body> response(take(parser.get(), secret, seen), 11);
  response.keep_alive(false);
  if (response.result() != http::status::no_content) response.prepare_payload();
  http::write(stream, response);
}

int main() try {
  const char* const secret = std::getenv("SECRET");
  const char* const port = std::getenv("PORT");
  if (secret == nullptr || port == nullptr) throw std::runtime_error("set SECRET and PORT");
  asio::io_context io;
  const auto loopback = asio::ip::address_v4::loopback();
  asio::ip::tcp::acceptor acceptor(io, {loopback, static_cast<unsigned short>(std::stoi(port))});
  std::cout << "listening on http://127.0.0.1:" << acceptor.local_endpoint().port() << "/"
            << std::endl;
  std::set<std::string> seen;  // A real receiver keeps the ids with its data, for some days.
  for (;;) {
    try {
      serve_one(acceptor.accept(), secret, seen);
    } catch (const boost::system::system_error& error) {
      std::cerr << error.what() << "\n";  // This client's fault; the next one may do better.
    }
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
