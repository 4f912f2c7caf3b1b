// Url is the address of a receiver, taken apart once and strictly, so that nothing later reads it
// in a second way.
//
//   https://Example.com:8443/hook?a=1  →  https · example.com · 8443 · /hook?a=1
//   http://[::1]/                      →  http · ::1 · 80 · /
//
// Refused, with the reason: other schemes, no host, user names and passwords, fragments, IPv6
// zones, spaces and control bytes, port 0, a host that ends in a dot, and IPv4 in any but the plain
// form (127.1, 0x7f000001, 2130706433 and 0177.0.0.1 are 127.0.0.1 to some readers and names to
// others). International names are taken in their ASCII form (xn--…).
//
// Thread: any. A value.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ip_address.h"
#include "base/result.h"

namespace petrel {

struct Url {
  static constexpr std::size_t kLengthMax = 2048;

  bool is_https = false;
  std::string host;             // In lower case and without brackets.
  std::optional<IpAddress> ip;  // If the host is an address.
  std::uint16_t port = 80;
  std::string target;  // Path and query, "/" if there is neither.

  // Fails with Invalid and leaves the error's field to the caller.
  static Result<Url> parse(std::string_view text);

  // For the Host header: with brackets around IPv6, and with the port unless it goes without
  // saying.
  std::string authority() const;

  // Scheme, host and port, always all of them: "https://example.com:443". What connections may be
  // shared by.
  std::string origin() const;

  // One spelling for all that mean the same to us. parse(text()) is the same Url.
  std::string text() const;

  friend bool operator==(const Url&, const Url&) = default;
};

}  // namespace petrel
