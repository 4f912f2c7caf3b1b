#include "net/address_guard.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "net/subnet_list.h"

namespace petrel::net {
namespace {

struct V4Range {
  std::uint32_t first;
  unsigned prefix_bits;
  std::string_view why;
};

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24U | b << 16U | c << 8U | d;
}

constexpr std::array kRefusedV4 = {
    V4Range{v4(0, 0, 0, 0), 8, "this network"},
    V4Range{v4(10, 0, 0, 0), 8, "private network"},
    V4Range{v4(100, 64, 0, 0), 10, "carrier's shared network"},
    V4Range{v4(127, 0, 0, 0), 8, "loopback"},
    V4Range{v4(168, 63, 129, 16), 32, "cloud host service"},
    V4Range{v4(169, 254, 0, 0), 16, "link-local"},
    V4Range{v4(172, 16, 0, 0), 12, "private network"},
    V4Range{v4(192, 0, 0, 0), 24, "protocol assignments"},
    V4Range{v4(192, 0, 2, 0), 24, "documentation"},
    V4Range{v4(192, 88, 99, 0), 24, "6to4 relay"},
    V4Range{v4(192, 168, 0, 0), 16, "private network"},
    V4Range{v4(198, 18, 0, 0), 15, "benchmarking"},
    V4Range{v4(198, 51, 100, 0), 24, "documentation"},
    V4Range{v4(203, 0, 113, 0), 24, "documentation"},
    V4Range{v4(224, 0, 0, 0), 4, "multicast"},
    V4Range{v4(240, 0, 0, 0), 4, "reserved or broadcast"},
};

// Null if it lies in none.
const V4Range* refusing_v4(const IpAddress& ip) {
  const std::uint32_t number = ip.v4_number();
  for (const V4Range& range : kRefusedV4) {
    if ((number ^ range.first) >> (32 - range.prefix_bits) == 0) return &range;
  }
  return nullptr;
}

std::string_view refusal_v4(const IpAddress& ip) {
  const V4Range* const range = refusing_v4(ip);
  return range != nullptr ? range->why : std::string_view();
}

std::string text_of(const V4Range& range) {
  const auto byte = [&](unsigned bits) { return range.first >> bits & 0xffU; };
  return fmt::format("{}.{}.{}.{}/{}", byte(24), byte(16), byte(8), byte(0), range.prefix_bits);
}

struct V6Range {
  std::uint32_t first;  // The first four bytes; no range needs more.
  unsigned prefix_bits;
  std::string_view why;
};

constexpr V6Range kGlobalUnicast{0x20000000, 3, ""};

constexpr std::array kRefusedV6 = {
    V6Range{0x20010000, 23, "protocol assignments or Teredo"},
    V6Range{0x20010db8, 32, "documentation"},
    V6Range{0x20020000, 16, "6to4"},
    V6Range{0x3fff0000, 20, "documentation"},
};

bool is_in(std::uint32_t head, const V6Range& range) {
  return (head ^ range.first) >> (32 - range.prefix_bits) == 0;
}

// The IPv4 address in an ISATAP interface id: …:0:5efe:a.b.c.d or …:200:5efe:a.b.c.d. Routers that
// speak it would take the packet there.
std::optional<IpAddress> isatap(const IpAddress& ip) {
  const auto bytes = ip.bytes();
  const bool is_isatap =
      (bytes[8] & 0xfdU) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
  if (!is_isatap) return std::nullopt;
  return IpAddress::v4(bytes.subspan<12, 4>());
}

std::string_view refusal_v6(const IpAddress& ip) {
  const std::uint32_t head = IpAddress::v4(ip.bytes().first<4>()).v4_number();
  if (!is_in(head, kGlobalUnicast)) return "not a global IPv6 address";
  for (const V6Range& range : kRefusedV6) {
    if (is_in(head, range)) return range.why;
  }
  if (const auto inner = isatap(ip)) return refusal_v4(*inner);
  return {};
}

}  // namespace

Result<AddressGuard> AddressGuard::make(std::string_view allowed_subnets,
                                        std::vector<SocketAddress> own) {
  Result<std::vector<Subnet>> allowed = parse_subnets(allowed_subnets);
  if (!allowed.ok()) return invalid("allowedSubnets", allowed.error().detail);
  AddressGuard guard;
  guard.allowed_ = *std::move(allowed);
  for (SocketAddress& address : own) address.ip = address.ip.unmapped();
  guard.own_ = std::move(own);
  return guard;
}

AddressGuard::Verdict AddressGuard::check(const IpAddress& ip, std::uint16_t port) const {
  const IpAddress plain = ip.unmapped();
  if (is_own(plain, port)) return {false, "our own listener"};
  if (is_in_any(allowed_, plain)) return {true, {}};
  const std::string_view why = plain.is_v4() ? refusal_v4(plain) : refusal_v6(plain);
  return {why.empty(), why};
}

std::string AddressGuard::explain(const IpAddress& ip, std::uint16_t port) const {
  const IpAddress plain = ip.unmapped();
  const Verdict verdict = check(ip, port);
  CHECK(!verdict.is_allowed);  // Ours: its caller has asked check().
  if (is_own(plain, port)) {
    return fmt::format("{} port {} is this server's own listener, and nothing is sent there",
                       plain.text(), port);
  }
  // Of IPv6 the address alone: what is refused there are not networks that people have.
  const V4Range* const range = plain.is_v4() ? refusing_v4(plain) : nullptr;
  return fmt::format("{} is {}, and nothing is sent there; allow it with --allow-subnets {}",
                     plain.text(), verdict.why,
                     range != nullptr ? text_of(*range) : plain.text() + "/128");
}

bool AddressGuard::is_own(const IpAddress& ip, std::uint16_t port) const {
  const bool is_local = ip.is_loopback() || ip.is_unspecified();
  return std::any_of(own_.begin(), own_.end(), [&](const SocketAddress& listener) {
    if (listener.port != port) return false;
    if (listener.ip == ip) return true;
    // Dialling 0.0.0.0 reaches loopback, and a listener on all addresses is on loopback too.
    return is_local &&
           (listener.ip.is_unspecified() || (ip.is_unspecified() && listener.ip.is_loopback()));
  });
}

}  // namespace petrel::net
