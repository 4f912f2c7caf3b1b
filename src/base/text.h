// Small questions about text that several rooms ask. ASCII only, no locale.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace petrel {

bool is_digit(char c);

// The text without spaces and tabs at its ends.
std::string_view trim(std::string_view text);

bool equals_ignoring_case(std::string_view a, std::string_view b);

// A decimal number made of digits alone: no sign, no space, no fraction. Empty if it is anything
// else or does not fit.
std::optional<std::int64_t> parse_digits(std::string_view text);

// The text for an error message: cut at 40 characters, with anything that is not plain ASCII
// shown as '?', so that hostile input cannot flood or steer a log or a terminal.
std::string in_quotes(std::string_view text);

}  // namespace petrel
