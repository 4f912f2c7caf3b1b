#include "base/ksuid.h"

#include <algorithm>
#include <span>

#include "base/check.h"

namespace petrel {
namespace {

constexpr std::int64_t kEpochSeconds = 1'400'000'000;
constexpr Duration kStep = std::chrono::milliseconds(4);
constexpr std::size_t kTimeBytes = 5;
constexpr std::string_view kAlphabet =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  if (c >= 'a' && c <= 'z') return c - 'a' + 36;
  return -1;
}

void write_time(Ksuid::Bytes& bytes, WallTime time) {
  const WallTime first = wall_from_unix_seconds(kEpochSeconds);
  const WallTime last = wall_from_unix_seconds(kEpochSeconds + 0xffff'ffff);
  time = std::clamp(time, first, last);
  const auto seconds = static_cast<std::uint32_t>(unix_seconds(time) - kEpochSeconds);
  const Duration fraction = time - wall_from_unix_seconds(unix_seconds(time));
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[i] = static_cast<std::uint8_t>(seconds >> (24 - 8 * i));
  }
  bytes[4] = static_cast<std::uint8_t>(fraction / kStep);
}

// Adds to the number that the bytes spell. The time in front takes over the carry, if ever.
void add(std::span<std::uint8_t> bytes, std::uint32_t stride) {
  std::uint64_t carry = stride;
  for (std::size_t i = bytes.size(); i-- > 0 && carry != 0;) {
    carry += bytes[i];
    bytes[i] = static_cast<std::uint8_t>(carry);
    carry >>= 8U;
  }
  CHECK(carry == 0);
}

}  // namespace

Ksuid Ksuid::make(WallTime time, SecureRandom& random) {
  Bytes bytes{};
  write_time(bytes, time);
  random.fill(std::span(bytes).subspan(kTimeBytes));
  return Ksuid(bytes);
}

Ksuid Ksuid::first_at(WallTime time) {
  Bytes bytes{};
  write_time(bytes, time);
  return Ksuid(bytes);
}

std::optional<Ksuid> Ksuid::parse(std::string_view text) {
  if (text.size() != kTextLength) return std::nullopt;
  Bytes bytes{};
  for (const char c : text) {
    const int digit = digit_of(c);
    if (digit < 0) return std::nullopt;
    auto carry = static_cast<std::uint32_t>(digit);
    for (std::size_t i = kBytes; i-- > 0;) {
      carry += std::uint32_t{bytes[i]} * 62;
      bytes[i] = static_cast<std::uint8_t>(carry);
      carry >>= 8U;
    }
    if (carry != 0) return std::nullopt;  // 27 digits of base 62 hold a little more than 20 bytes.
  }
  return Ksuid(bytes);
}

std::string Ksuid::text() const {
  // Long division in base 2^32, five words: an id is written several times per delivery.
  std::array<std::uint32_t, kBytes / 4> words{};
  for (std::size_t i = 0; i < kBytes; ++i) words[i / 4] = words[i / 4] << 8U | bytes_[i];
  std::string result(kTextLength, '0');
  for (std::size_t position = kTextLength; position-- > 0;) {
    std::uint64_t remainder = 0;
    for (std::uint32_t& word : words) {
      const std::uint64_t value = remainder << 32U | word;
      word = static_cast<std::uint32_t>(value / 62);
      remainder = value % 62;
    }
    result[position] = kAlphabet[remainder];
  }
  return result;
}

WallTime Ksuid::time() const {
  std::int64_t seconds = 0;
  for (std::size_t i = 0; i < 4; ++i) seconds = seconds << 8U | bytes_[i];
  return wall_from_unix_seconds(seconds + kEpochSeconds) + bytes_[4] * kStep;
}

Ksuid KsuidMaker::make(WallTime now) {
  Ksuid next = Ksuid::make(now, random_);
  if (next <= last_) {
    std::array<std::uint8_t, 3> stride{};
    random_.fill(stride);
    Ksuid::Bytes bytes = last_.bytes();
    add(bytes, 1U + (std::uint32_t{stride[0]} << 16U | std::uint32_t{stride[1]} << 8U | stride[2]));
    next = Ksuid(bytes);
  }
  last_ = next;
  return next;
}

}  // namespace petrel
