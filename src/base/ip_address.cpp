#include "base/ip_address.h"

#include <algorithm>
#include <arpa/inet.h>

#include "base/check.h"
#include "base/text.h"

namespace petrel {
namespace {

constexpr std::size_t kTextMax = 45;

bool same_prefix(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, unsigned bits) {
  const std::size_t whole = bits / 8;
  if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin())) {
    return false;
  }
  const unsigned rest = bits % 8;
  return rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0;
}

bool has_bits_beyond(std::span<const std::uint8_t> bytes, unsigned prefix_bits) {
  for (unsigned bit = prefix_bits; bit < bytes.size() * 8; ++bit) {
    if ((bytes[bit / 8] >> (7 - bit % 8) & 1) != 0) return true;
  }
  return false;
}

}  // namespace

IpAddress IpAddress::v4(std::span<const std::uint8_t, 4> bytes) {
  IpAddress address;
  std::copy(bytes.begin(), bytes.end(), address.bytes_.begin());
  return address;
}

IpAddress IpAddress::v6(std::span<const std::uint8_t, 16> bytes) {
  IpAddress address;
  address.size_ = 16;
  std::copy(bytes.begin(), bytes.end(), address.bytes_.begin());
  return address;
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  if (text.empty() || text.size() > kTextMax) return std::nullopt;
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  IpAddress address;
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes_.data()) == 1) return address;
  address.size_ = 16;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes_.data()) == 1) return address;
  return std::nullopt;
}

std::uint32_t IpAddress::v4_number() const {
  CHECK(is_v4());  // Ours: the address guard asks it of IPv4 addresses alone.
  std::uint32_t number = 0;
  for (const std::uint8_t byte : bytes()) number = number << 8U | byte;
  return number;
}

bool IpAddress::is_unspecified() const {
  return std::all_of(bytes_.begin(), bytes_.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool IpAddress::is_loopback() const {
  if (is_v4()) return bytes_[0] == 127;
  return bytes_[15] == 1 &&
         std::all_of(bytes_.begin(), bytes_.end() - 1, [](std::uint8_t byte) { return byte == 0; });
}

IpAddress IpAddress::unmapped() const {
  constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (is_v4() || !std::equal(kMapped.begin(), kMapped.end(), bytes_.begin())) return *this;
  return v4(std::span(bytes_).last<4>());
}

std::string IpAddress::text() const {
  std::array<char, kTextMax + 1> text{};
  const char* made =
      inet_ntop(is_v4() ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
  CHECK(made != nullptr);  // Ours: every address has a text, and there is room for the longest.
  return made;
}

std::optional<Subnet> Subnet::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  const std::size_t bits_max = address->bytes().size() * 8;
  auto bits = static_cast<unsigned>(bits_max);
  if (slash != std::string_view::npos) {
    const auto number = parse_digits(text.substr(slash + 1));
    if (!number || *number > static_cast<std::int64_t>(bits_max)) return std::nullopt;
    bits = static_cast<unsigned>(*number);
  }
  if (has_bits_beyond(address->bytes(), bits)) return std::nullopt;
  return Subnet{*address, bits};
}

bool Subnet::contains(const IpAddress& address) const {
  return address.is_v4() == first.is_v4() &&
         same_prefix(address.bytes(), first.bytes(), prefix_bits);
}

}  // namespace petrel
