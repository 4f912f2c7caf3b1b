// Base64 as RFC 4648 has it, strict: no characters from elsewhere, no stray bits at the end.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace petrel {

std::string to_base64(std::span<const std::uint8_t> bytes);

// Padding may be present or left out altogether, as client libraries differ in that. Empty if the
// text is not base64.
std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text);

// The URL-safe alphabet without padding, as in JSON Web Tokens.
std::string to_base64url(std::span<const std::uint8_t> bytes);
std::optional<std::vector<std::uint8_t>> from_base64url(std::string_view text);

}  // namespace petrel
