#include "base/base64.h"

#include <algorithm>

#include <sodium.h>

namespace petrel {
namespace {

std::string encode(std::span<const std::uint8_t> bytes, int variant) {
  std::string text(sodium_base64_encoded_len(bytes.size(), variant), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), variant);
  text.pop_back();  // The library counts and writes a closing NUL.
  return text;
}

std::optional<std::vector<std::uint8_t>> decode(std::string_view text, int variant) {
  // libsodium 1.0.18 takes every byte beyond ASCII for the last letter of the alphabet.
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::all_of(text.begin(), text.end(), is_ascii)) return std::nullopt;
  std::vector<std::uint8_t> bytes(text.size() / 4 * 3 + 3);
  std::size_t length = 0;
  const char* end = nullptr;
  const int failed = sodium_base642bin(bytes.data(), bytes.size(), text.data(), text.size(),
                                       nullptr, &length, &end, variant);
  if (failed != 0 || end != text.data() + text.size()) return std::nullopt;
  bytes.resize(length);
  return bytes;
}

}  // namespace

std::string to_base64(std::span<const std::uint8_t> bytes) {
  return encode(bytes, sodium_base64_VARIANT_ORIGINAL);
}

std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text) {
  const bool is_padded = text.size() % 4 == 0;
  return decode(
      text, is_padded ? sodium_base64_VARIANT_ORIGINAL : sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
}

std::string to_base64url(std::span<const std::uint8_t> bytes) {
  return encode(bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

std::optional<std::vector<std::uint8_t>> from_base64url(std::string_view text) {
  return decode(text, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

}  // namespace petrel
