#include "model/part.h"

#include <string>

#include "base/url.h"

namespace petrel::model {
namespace {

// FNV-1a, then spread, as the bytes of alike names differ in their last bits only.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : text) {
    hash ^= static_cast<std::uint8_t>(byte);
    hash *= 0x100000001b3ULL;
  }
  return hash * 0x9E3779B97F4A7C15ULL;
}

}  // namespace

Part part_of(std::string_view text) {
  const Result<Url> url = Url::parse(text);
  const std::string authority = url.ok() ? url->origin() : std::string(text);
  return static_cast<Part>(hash_of(authority) >> 56U);
}

}  // namespace petrel::model
