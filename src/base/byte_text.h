// The text form of an amount of memory or disk: a whole number and one unit, `KiB`, `MiB`, `GiB` or
// `TiB` (1,024 of the one before), also written `K`, `M`, `G` and `T`, or `KB`, `MB`, `GB` or `TB`
// (1,000 of the one before); without a unit, bytes.
//
//   parse_bytes("192MiB") → 201,326,592      to_byte_text(201'326'592) → "192MiB"
//   parse_bytes("200GB") → 200,000,000,000   to_rounded_byte_text(1'530'000'000) → "1.53 GB"
//
// Thread: any.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace petrel {

// The error's field is left empty, for the caller to name.
Result<std::uint64_t> parse_bytes(std::string_view text);

// In the largest unit that divides it without a rest, so that parsing gives it back.
std::string to_byte_text(std::uint64_t bytes);

// Three figures of the largest decimal unit that fits.
std::string to_rounded_byte_text(std::uint64_t bytes);

}  // namespace petrel
