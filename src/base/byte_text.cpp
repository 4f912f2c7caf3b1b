#include "base/byte_text.h"

#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace petrel {
namespace {

struct ByteUnit {
  std::string_view name;
  std::string_view short_name;
  std::uint64_t size;
};

constexpr std::array<ByteUnit, 4> kBinaryUnits = {{{"TiB", "T", std::uint64_t{1} << 40U},
                                                   {"GiB", "G", std::uint64_t{1} << 30U},
                                                   {"MiB", "M", std::uint64_t{1} << 20U},
                                                   {"KiB", "K", std::uint64_t{1} << 10U}}};

constexpr std::array<ByteUnit, 5> kDecimalUnits = {{{"TB", "", 1'000'000'000'000},
                                                    {"GB", "", 1'000'000'000},
                                                    {"MB", "", 1'000'000},
                                                    {"KB", "", 1'000},
                                                    {"B", "", 1}}};

constexpr std::string_view kByteForm =
    "a whole number and a unit (KiB, MiB, GiB, TiB, or KB, MB, GB, TB), such as \"512MiB\"";

// Zero if there is no such unit.
std::uint64_t size_of_unit(std::string_view text) {
  if (text.empty()) return 1;
  for (const ByteUnit& unit : kBinaryUnits) {
    if (text == unit.name || text == unit.short_name) return unit.size;
  }
  for (const ByteUnit& unit : kDecimalUnits) {
    if (text == unit.name) return unit.size;
  }
  return 0;
}

}  // namespace

Result<std::uint64_t> parse_bytes(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  const std::uint64_t size = size_of_unit(trim(text.substr(digits)));
  if (digits == 0 || size == 0) {
    return invalid(
        "", fmt::format("{} is not an amount of bytes: write {}", in_quotes(text), kByteForm));
  }
  const auto number = parse_digits(text.substr(0, digits));
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!number || static_cast<std::uint64_t>(*number) > most / size) {
    return invalid("", fmt::format("{} is too large", in_quotes(text)));
  }
  return static_cast<std::uint64_t>(*number) * size;
}

std::string to_byte_text(std::uint64_t bytes) {
  for (const ByteUnit& unit : kBinaryUnits) {
    if (bytes >= unit.size && bytes % unit.size == 0) {
      return fmt::format("{}{}", bytes / unit.size, unit.name);
    }
  }
  return std::to_string(bytes);
}

std::string to_rounded_byte_text(std::uint64_t bytes) {
  for (const ByteUnit& unit : kDecimalUnits) {
    if (bytes < unit.size || unit.size == 1) continue;
    return fmt::format("{:.3g} {}", static_cast<double>(bytes) / static_cast<double>(unit.size),
                       unit.name);
  }
  return fmt::format("{} B", bytes);
}

}  // namespace petrel
