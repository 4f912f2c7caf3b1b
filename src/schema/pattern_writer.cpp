#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "schema/pattern_program.h"
#include "schema/pattern_tree.h"

namespace petrel::schema {
namespace {

using Kind = PatternProgram::Kind;
using Node = PatternTree::Node;
using What = PatternTree::What;

// Writes a tree out as instructions.
class Writer {
 public:
  explicit Writer(const std::vector<Node>& nodes) : nodes_(nodes) {}

  // False once there are more states than may be.
  bool write(std::size_t index) {
    // Also where nothing comes of it: an empty group can be repeated as often as one likes.
    if (++visits_ > 10 * kPatternStatesMax) return false;
    const Node& node = nodes_[index];
    switch (node.what) {
      case What::Sequence:
        return std::all_of(node.parts.begin(), node.parts.end(),
                           [&](std::size_t part) { return write(part); });
      case What::Choice:
        return write_choice(node);
      case What::Repeat:
        return write_repeat(node);
      case What::Character:
        return emit(Kind::Character, node.set);
      case What::Place:
        return emit(node.place, 0);
    }
    return false;
  }

  bool emit(Kind kind, std::size_t other) {
    if (instructions.size() >= kPatternStatesMax) return false;
    instructions.push_back({kind, static_cast<std::uint16_t>(other)});
    return true;
  }

  std::vector<PatternProgram::Instruction> instructions;

 private:
  std::size_t here() const { return instructions.size(); }
  void lead(std::size_t from, std::size_t to) {
    instructions[from].other = static_cast<std::uint16_t>(to);
  }

  bool write_choice(const Node& node) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
      const bool is_last = i + 1 == node.parts.size();
      const std::size_t split = here();
      if (!is_last && !emit(Kind::Split, 0)) return false;
      if (!write(node.parts[i])) return false;
      if (is_last) break;
      ends.push_back(here());
      if (!emit(Kind::Jump, 0)) return false;
      lead(split, here());
    }
    for (const std::size_t end : ends) lead(end, here());
    return true;
  }

  bool write_repeat(const Node& node) {
    for (int i = 0; i < node.min; ++i) {
      if (!write(node.parts.front())) return false;
    }
    if (node.max == PatternTree::kNoLimit) return write_loop(node.parts.front());
    std::vector<std::size_t> splits;
    for (int i = node.min; i < node.max; ++i) {
      splits.push_back(here());
      if (!emit(Kind::Split, 0) || !write(node.parts.front())) return false;
    }
    for (const std::size_t split : splits) lead(split, here());
    return true;
  }

  bool write_loop(std::size_t part) {
    const std::size_t split = here();
    if (!emit(Kind::Split, 0) || !write(part) || !emit(Kind::Jump, split)) return false;
    lead(split, here());
    return true;
  }

  const std::vector<Node>& nodes_;
  std::size_t visits_ = 0;
};

Error too_large() {
  return invalid("", fmt::format("is a pattern too large to be matched in bounded time: it must "
                                 "not have more than {} bytes, nor more than {} states with its "
                                 "counts written out",
                                 kPatternBytesMax, kPatternStatesMax));
}

}  // namespace

Result<PatternProgram> parse_pattern(std::string_view text) {
  if (text.size() > kPatternBytesMax) return too_large();
  ASSIGN_OR_RETURN(PatternTree tree, parse_pattern_tree(text));
  Writer writer(tree.nodes);
  if (!writer.write(tree.root) || !writer.emit(Kind::Match, 0)) return too_large();
  return PatternProgram{std::move(writer.instructions), std::move(tree.sets)};
}

}  // namespace petrel::schema
