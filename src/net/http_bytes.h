// Which bytes may stand where in the head of an HTTP/1.1 message, request or response. The tables
// are looked up rather than computed: every byte of a head passes through them.
//
//   is_all_of(kTokenBytes, "content-type")   → true
//   is_all_of(kTokenBytes, "content type")   → false
//
// Thread: any.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace petrel::net {

using ByteSet = std::array<bool, 256>;

constexpr ByteSet make_token_bytes() {
  ByteSet bytes{};
  for (unsigned char c = 'a'; c <= 'z'; ++c) bytes[c] = true;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) bytes[c] = true;
  for (unsigned char c = '0'; c <= '9'; ++c) bytes[c] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) {
    bytes[static_cast<unsigned char>(c)] = true;
  }
  return bytes;
}

constexpr ByteSet make_value_bytes() {
  ByteSet bytes{};
  for (std::size_t c = 0x20; c < bytes.size(); ++c) bytes[c] = c != 0x7f;
  bytes['\t'] = true;
  return bytes;
}

inline constexpr ByteSet kTokenBytes = make_token_bytes();  // Methods and names of headers.
inline constexpr ByteSet kValueBytes = make_value_bytes();  // Values of headers.

inline bool is_all_of(const ByteSet& allowed, std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return allowed[static_cast<unsigned char>(c)]; });
}

}  // namespace petrel::net
