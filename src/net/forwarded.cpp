#include "net/forwarded.h"

#include <optional>
#include <string_view>

#include "base/text.h"
#include "net/subnet_list.h"

namespace petrel::net {
namespace {

// "192.0.2.1", "192.0.2.1:4711", "2001:db8::1", "[2001:db8::1]" or "[2001:db8::1]:4711".
std::optional<IpAddress> parse_hop(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view port = text.substr(end + 1);
    if (!port.empty() && (port.front() != ':' || !parse_digits(port.substr(1)))) return {};
    return IpAddress::parse(text.substr(1, end - 1));
  }
  const std::size_t colon = text.find(':');
  const bool has_port = colon != std::string_view::npos && colon == text.rfind(':');
  if (has_port && !parse_digits(text.substr(colon + 1))) return std::nullopt;
  return IpAddress::parse(has_port ? text.substr(0, colon) : text);
}

}  // namespace

IpAddress client_address(const IpAddress& peer, const HttpHeaders& headers,
                         const std::vector<Subnet>& trusted) {
  IpAddress client = peer.unmapped();
  for (auto header = headers.rbegin(); header != headers.rend(); ++header) {
    if (!equals_ignoring_case(header->first, "x-forwarded-for")) continue;
    std::string_view rest = header->second;
    for (bool is_first = false; !is_first;) {
      if (!is_in_any(trusted, client)) return client;
      const std::size_t comma = rest.rfind(',');
      is_first = comma == std::string_view::npos;
      const auto hop = parse_hop(trim(is_first ? rest : rest.substr(comma + 1)));
      if (!hop) return client;
      client = hop->unmapped();
      rest = rest.substr(0, is_first ? 0 : comma);
    }
  }
  return client;
}

}  // namespace petrel::net
