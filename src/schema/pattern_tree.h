// PatternTree is a regular expression as it is written: what stands in what.
//
// Thread: any. A value.

#pragma once

#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/pattern_program.h"

namespace petrel::schema {

struct PatternTree {
  static constexpr int kNoLimit = std::numeric_limits<int>::max();

  enum class What { Sequence, Choice, Repeat, Character, Place };

  // Others are named by their index.
  struct Node {
    What what = What::Sequence;
    std::vector<std::size_t> parts = {};
    int min = 0;  // Of a Repeat.
    int max = 0;
    std::size_t set = 0;              // Of a Character.
    PatternProgram::Kind place = {};  // Of a Place: Begin, End, WordEdge, NoWordEdge.
  };

  std::vector<Node> nodes = {};
  std::vector<CharacterSet> sets = {};
  std::size_t root = 0;
};

// Invalid if it is no regular expression of ECMAScript, or has what we do not match.
//
// REQUIRES: no more than kPatternBytesMax bytes.
Result<PatternTree> parse_pattern_tree(std::string_view text);

}  // namespace petrel::schema
