// What a terminal gets that a pipe does not: colours, and lines that are written over.
//
// Thread: any.

#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace petrel::app {

enum class Colour { Green, Yellow, Red, Bold };

bool is_terminal(std::FILE* file);

// Whether what is written there may have colours: it is a terminal, one that can show them, and
// NO_COLOR is not set.
bool shows_colours(std::FILE* file);

// The text in that colour, or as it is.
std::string coloured(std::string_view text, Colour colour, bool shows_colours);

}  // namespace petrel::app
