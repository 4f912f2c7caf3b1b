#include "dispatch/proxy.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace petrel::dispatch {
namespace {

using policy::FailureKind;

constexpr std::uint16_t kSocksPort = 1080;

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

std::string socks_request(const SocketAddress& target) {
  std::string bytes{"\x05\x01\x00", 3};  // Version, connect, reserved.
  bytes += target.ip.is_v4() ? '\x01' : '\x04';
  for (const std::uint8_t byte : target.ip.bytes()) bytes += static_cast<char>(byte);
  bytes += static_cast<char>(target.port >> 8U);
  bytes += static_cast<char>(target.port & 0xffU);
  return bytes;
}

Failure socks_failure(std::uint8_t reply) {
  switch (reply) {
    case 2:
      return failed(FailureKind::Connect, "the proxy does not permit this connection");
    case 3:
      return failed(FailureKind::Connect, "network unreachable, says the proxy");
    case 4:
    case 6:
      return failed(FailureKind::Connect, "host unreachable, says the proxy");
    case 5:
      return failed(FailureKind::Connect, "connection refused, says the proxy");
    case 1:
      return failed(FailureKind::Connect, "the proxy could not connect");
    default:
      return proxy_fault("the proxy does not support what we ask of it");
  }
}

Failure connect_answer_failure(std::int64_t status) {
  switch (status) {
    case 403:
      return failed(FailureKind::Connect, "the proxy does not permit this connection");
    case 500:
    case 502:
    case 503:
    case 504:
      return failed(FailureKind::Connect,
                    fmt::format("the proxy could not connect: it answered {}", status));
    default:
      return proxy_fault(fmt::format("the proxy answered {} to CONNECT", status));
  }
}

}  // namespace

Result<Proxy> Proxy::parse(std::string_view text) {
  constexpr std::string_view kSocks = "socks5://";
  constexpr std::string_view kHttp = "http://";
  Proxy proxy;
  std::string_view rest = text;
  if (rest.starts_with(kSocks)) {
    proxy.kind = Kind::Socks5;
    rest.remove_prefix(kSocks.size());
  } else if (rest.starts_with(kHttp)) {
    rest.remove_prefix(kHttp.size());
  } else {
    return invalid("proxy", "must begin with http:// or socks5://");
  }
  const auto url = Url::parse(std::string(kHttp) + std::string(rest));
  if (!url.ok()) return url.error().under("proxy");
  if (url->target != "/") return invalid("proxy", "must have no path");
  proxy.host = url->host;
  proxy.ip = url->ip;
  proxy.port = url->port;
  const bool has_no_port = url->port == 80 && rest.find(":80") == std::string_view::npos;
  if (proxy.kind == Kind::Socks5 && has_no_port) proxy.port = kSocksPort;
  return proxy;
}

ProxyHandshake::ProxyHandshake(Proxy::Kind kind, const SocketAddress& target)
    : kind_(kind), target_(target) {
  if (kind_ == Proxy::Kind::Socks5) {
    output_.assign("\x05\x01\x00", 3);  // Version, one method: no password.
    return;
  }
  const bool is_v4 = target.ip.is_v4();
  const std::string authority =
      fmt::format("{}{}{}:{}", is_v4 ? "" : "[", target.ip.text(), is_v4 ? "" : "]", target.port);
  output_ = fmt::format("CONNECT {} HTTP/1.1\r\nhost: {}\r\n\r\n", authority, authority);
}

std::string ProxyHandshake::take_output() { return std::exchange(output_, {}); }

ProxyHandshake::Progress ProxyHandshake::feed(std::string_view bytes) {
  input_ += bytes;
  const Progress progress = kind_ == Proxy::Kind::Socks5 ? feed_socks() : feed_connect();
  if (progress == Progress::NeedMore && input_.size() > kAnswerBytesMax) {
    return fail(proxy_fault("the proxy's answer is too long"));
  }
  return progress;
}

ProxyHandshake::Progress ProxyHandshake::feed_connect() {
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr std::size_t kStatusAt = 9;  // "HTTP/1.1 200"
  const std::size_t end = input_.find("\r\n\r\n");
  if (end == std::string::npos) return Progress::NeedMore;
  const bool is_http = input_.starts_with(kVersion) && end >= kStatusAt + 3;
  const auto status = is_http ? parse_digits(std::string_view(input_).substr(kStatusAt, 3))
                              : std::optional<std::int64_t>();
  if (!status) return fail(proxy_fault("the proxy does not speak HTTP"));
  if (*status / 100 != 2) return fail(connect_answer_failure(*status));
  // We speak first, so nothing can have come through the tunnel yet.
  if (input_.size() > end + 4) return fail(proxy_fault("the proxy sent more than its answer"));
  return Progress::Open;
}

ProxyHandshake::Progress ProxyHandshake::feed_socks() {
  if (is_greeted_) return feed_socks_reply();
  if (input_.size() < 2) return Progress::NeedMore;
  if (byte_at(input_, 0) != 5) return fail(proxy_fault("the proxy does not speak SOCKS5"));
  if (byte_at(input_, 1) != 0) return fail(proxy_fault("the proxy wants a password"));
  input_.erase(0, 2);
  is_greeted_ = true;
  output_ = socks_request(target_);
  return feed_socks_reply();
}

ProxyHandshake::Progress ProxyHandshake::feed_socks_reply() {
  constexpr std::size_t kHeadBytes = 5;
  if (input_.size() < kHeadBytes) return Progress::NeedMore;
  if (byte_at(input_, 0) != 5) return fail(proxy_fault("the proxy does not speak SOCKS5"));
  if (byte_at(input_, 1) != 0) return fail(socks_failure(byte_at(input_, 1)));
  std::size_t address_bytes = 0;
  switch (byte_at(input_, 3)) {
    case 1:
      address_bytes = 4;
      break;
    case 3:
      address_bytes = 1 + std::size_t{byte_at(input_, 4)};
      break;
    case 4:
      address_bytes = 16;
      break;
    default:
      return fail(proxy_fault("the proxy does not speak SOCKS5"));
  }
  const std::size_t size = 4 + address_bytes + 2;
  if (input_.size() < size) return Progress::NeedMore;
  if (input_.size() > size) return fail(proxy_fault("the proxy sent more than its answer"));
  return Progress::Open;
}

ProxyHandshake::Progress ProxyHandshake::fail(Failure failure) {
  failure_ = std::move(failure);
  return Progress::Failed;
}

}  // namespace petrel::dispatch
