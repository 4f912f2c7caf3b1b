// IpAddress is an IPv4 or IPv6 address: bytes and nothing else, so that what decides about
// addresses is free of sockets.
//
// Thread: any. A value.

#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace petrel {

class IpAddress {
 public:
  // 0.0.0.0.
  IpAddress() = default;

  static IpAddress v4(std::span<const std::uint8_t, 4> bytes);
  static IpAddress v6(std::span<const std::uint8_t, 16> bytes);

  // "192.0.2.1" or "2001:db8::1", in the plain form only: no brackets, no zone, no short or octal
  // IPv4. Empty if it is anything else.
  static std::optional<IpAddress> parse(std::string_view text);

  bool is_v4() const { return size_ == 4; }
  std::span<const std::uint8_t> bytes() const { return {bytes_.data(), size_}; }

  // The four bytes as one number, the first the highest.
  //
  // REQUIRES: is_v4().
  std::uint32_t v4_number() const;

  // 0.0.0.0 or ::, which a listener uses for "all of them".
  bool is_unspecified() const;

  bool is_loopback() const;

  // The IPv4 address behind ::ffff:a.b.c.d, else the address itself.
  IpAddress unmapped() const;

  std::string text() const;

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  std::uint8_t size_ = 4;
  std::array<std::uint8_t, 16> bytes_{};
};

// All addresses that begin with the same bits: "10.0.0.0/8".
struct Subnet {
  IpAddress first;
  unsigned prefix_bits = 0;

  // Empty unless it is an address, a slash and a length that fits it. An address alone is a subnet
  // of one; bits beyond the prefix must be zero.
  static std::optional<Subnet> parse(std::string_view text);

  bool contains(const IpAddress& address) const;

  friend bool operator==(const Subnet&, const Subnet&) = default;
};

struct SocketAddress {
  IpAddress ip;
  std::uint16_t port = 0;

  friend bool operator==(const SocketAddress&, const SocketAddress&) = default;
};

}  // namespace petrel
