// PatternProgram is a regular expression as a list of instructions, ready to be followed.
//
// Thread: any. A value.

#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace petrel::schema {

inline constexpr std::size_t kPatternBytesMax = 1000;
inline constexpr std::size_t kPatternStatesMax = 1000;  // With each count in braces written out.

// A set of characters. It is asked only once it is settled.
class CharacterSet {
 public:
  static constexpr char32_t kLast = 0x10FFFF;

  void add(char32_t first, char32_t last);
  void add(const CharacterSet& other);

  // Puts what was added in order.
  void settle();

  // All the others. Settled.
  //
  // REQUIRES: settled.
  CharacterSet inverse() const;

  bool contains(char32_t c) const { return c < plain_.size() ? plain_[c] : contains_other(c); }

 private:
  bool contains_other(char32_t c) const;

  std::bitset<128> plain_;                           // Of ASCII.
  std::vector<std::pair<char32_t, char32_t>> rest_;  // Ranges, both ends included.
};

struct PatternProgram {
  enum class Kind : std::uint8_t {
    Character,   // One of the set, then the next instruction.
    Split,       // On with the next one and with `other` as well.
    Jump,        // On with `other`.
    Begin,       // Only at the beginning of the text.
    End,         // Only at its end.
    WordEdge,    // Only between a letter of a word and another character.
    NoWordEdge,  // Only elsewhere.
    Match,
  };

  struct Instruction {
    Kind kind = Kind::Match;
    std::uint16_t other = 0;  // Of a Character its set.
  };

  std::vector<Instruction> instructions;
  std::vector<CharacterSet> sets;
};

// Invalid if it is no regular expression, or none that we match.
Result<PatternProgram> parse_pattern(std::string_view text);

// The code point at the front of `text`, which is taken off it. A byte that is no UTF-8 counts as
// U+FFFD.
//
// REQUIRES: text is not empty.
char32_t take_code_point(std::string_view& text);

}  // namespace petrel::schema
