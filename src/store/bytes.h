// ByteWriter and ByteReader put numbers, text and ids into bytes and take them out again.
//
//   number   1 to 10 bytes, seven bits each, the lowest first
//   signed   the same, folded so that small negatives are short (0, -1, 1, -2, …)
//   time     8 bytes, the highest first, with the sign bit flipped: they sort as the times do
//   id       the 20 bytes of the Ksuid
//   text     its length as a number, then its bytes
//
// A reader that runs off the end, or meets what cannot be, gives zeros and empty text from then on;
// ok() says so at the end. So a decoder reads straight through and asks once.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/time.h"

namespace petrel::store {

class ByteWriter {
 public:
  // Appends to `out`.
  explicit ByteWriter(std::string& out) : out_(out) {}

  ByteWriter& byte(std::uint8_t value) {
    out_.push_back(static_cast<char>(value));
    return *this;
  }

  ByteWriter& flag(bool value) { return byte(value ? 1 : 0); }

  ByteWriter& number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) byte(static_cast<std::uint8_t>(value | 0x80U));
    return byte(static_cast<std::uint8_t>(value));
  }

  ByteWriter& signed_number(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return number(bits << 1U ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }

  ByteWriter& time(WallTime value) {
    const std::uint64_t bits =
        static_cast<std::uint64_t>(value.time_since_epoch().count()) ^ kSignBit;
    for (unsigned shift = 64; shift > 0; shift -= 8) {
      byte(static_cast<std::uint8_t>(bits >> (shift - 8)));
    }
    return *this;
  }

  ByteWriter& duration(Duration value) { return signed_number(value.count()); }

  ByteWriter& ksuid(const Ksuid& value) {
    out_.append(reinterpret_cast<const char*>(value.bytes().data()), Ksuid::kBytes);
    return *this;
  }

  template <typename Kind>
  ByteWriter& id(const Id<Kind>& value) {
    return ksuid(value.ksuid());
  }

  ByteWriter& text(std::string_view value) {
    number(value.size());
    return raw(value);
  }

  ByteWriter& raw(std::string_view value) {
    out_.append(value);
    return *this;
  }

 private:
  friend class ByteReader;
  static constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63U;

  std::string& out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t byte() {
    if (rest_.empty()) {
      fail();
      return 0;
    }
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }

  // A byte that is at most `last`.
  std::uint8_t choice(std::uint8_t last) {
    const std::uint8_t value = byte();
    if (value <= last) return value;
    fail();
    return 0;
  }

  bool flag() { return choice(1) == 1; }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      const std::uint64_t bits = next & 0x7FU;
      if (shift == 63 && bits > 1) break;
      value |= bits << shift;
      if (next < 0x80) return value;
    }
    fail();
    return 0;
  }

  // A number that is at most `last`.
  std::uint64_t number_up_to(std::uint64_t last) {
    const std::uint64_t value = number();
    if (value <= last) return value;
    fail();
    return 0;
  }

  // How many things follow, each of which takes a byte at least.
  std::size_t count() {
    const std::uint64_t value = number();
    if (value <= rest_.size()) return static_cast<std::size_t>(value);
    fail();
    return 0;
  }

  std::int64_t signed_number() {
    const std::uint64_t folded = number();
    const std::uint64_t sign = (folded & 1U) != 0 ? ~std::uint64_t{0} : 0;
    return static_cast<std::int64_t>(folded >> 1U ^ sign);
  }

  int integer() {
    const std::int64_t value = signed_number();
    if (value >= INT32_MIN && value <= INT32_MAX) return static_cast<int>(value);
    fail();
    return 0;
  }

  WallTime time() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8U | byte();
    return WallTime(Duration(static_cast<std::int64_t>(bits ^ ByteWriter::kSignBit)));
  }

  Duration duration() { return Duration(signed_number()); }

  Ksuid ksuid() {
    Ksuid::Bytes bytes{};
    for (std::uint8_t& place : bytes) place = byte();
    return Ksuid(bytes);
  }

  template <typename TypedId>
  TypedId id() {
    return TypedId(ksuid());
  }

  std::string_view text() { return take(count()); }
  std::string string() { return std::string(text()); }

  // Everything that is left.
  std::string_view remainder() { return take(rest_.size()); }

  void fail() {
    has_failed_ = true;
    rest_ = {};
  }

  // Whether all that was read was there, and nothing is left over.
  bool ok() const { return !has_failed_ && rest_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
  bool has_failed_ = false;
};

}  // namespace petrel::store
