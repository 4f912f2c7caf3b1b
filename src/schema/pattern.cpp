#include "schema/pattern.h"

#include <utility>
#include <vector>

#include "base/try.h"

namespace petrel::schema {
namespace {

using Kind = PatternProgram::Kind;
using Instruction = PatternProgram::Instruction;

constexpr char32_t kNone = 0xFFFFFFFF;  // Before the first character and behind the last.

bool is_of_word(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= U'0' && c <= U'9') ||
         c == U'_';
}

// Where the match is between two characters: the instructions that wait for the next one.
class Front {
 public:
  Front(const PatternProgram& program, Steps& steps)
      : program_(program), steps_(steps), seen_(program.instructions.size(), 0) {}

  // Follows everything that needs no character, from the instruction `at`, between two characters.
  // True if that is the end of the expression.
  bool enter(std::size_t at, char32_t before, char32_t behind) {
    open_.push_back(at);
    while (!open_.empty()) {
      const std::size_t next = open_.back();
      open_.pop_back();
      if (std::exchange(seen_[next], turn_) == turn_) continue;
      if (!steps_.take(1)) return false;
      const Instruction& instruction = program_.instructions[next];
      if (instruction.kind == Kind::Match) return true;
      if (instruction.kind == Kind::Character) {
        waiting_.push_back(next);
      } else {
        follow(instruction, next, before, behind);
      }
    }
    return false;
  }

  // Those that wait, which are then gone.
  std::vector<std::size_t>& take() {
    std::swap(waiting_, taken_);
    waiting_.clear();
    ++turn_;
    return taken_;
  }

 private:
  void follow(const Instruction& instruction, std::size_t at, char32_t before, char32_t behind) {
    const bool is_edge = is_of_word(before) != is_of_word(behind);
    switch (instruction.kind) {
      case Kind::Split:
        open_.push_back(instruction.other);
        open_.push_back(at + 1);
        return;
      case Kind::Jump:
        open_.push_back(instruction.other);
        return;
      case Kind::Begin:
        if (before == kNone) open_.push_back(at + 1);
        return;
      case Kind::End:
        if (behind == kNone) open_.push_back(at + 1);
        return;
      case Kind::WordEdge:
        if (is_edge) open_.push_back(at + 1);
        return;
      case Kind::NoWordEdge:
        if (!is_edge) open_.push_back(at + 1);
        return;
      case Kind::Character:
      case Kind::Match:
        return;
    }
  }

  const PatternProgram& program_;
  Steps& steps_;
  std::vector<std::uint32_t> seen_;  // In which turn each instruction was entered last.
  std::uint32_t turn_ = 1;
  std::vector<std::size_t> open_;
  std::vector<std::size_t> waiting_;
  std::vector<std::size_t> taken_;
};

}  // namespace

Result<Pattern> Pattern::compile(std::string_view text) {
  ASSIGN_OR_RETURN(PatternProgram program, parse_pattern(text));
  return Pattern(std::make_shared<const PatternProgram>(std::move(program)));
}

bool Pattern::matches(std::string_view text, Steps& steps) const {
  // One step for every eight states, which have to be laid out.
  steps.take(size() / 8);
  const bool is_tied = program_->instructions.front().kind == Kind::Begin;
  Front front(*program_, steps);
  char32_t before = kNone;
  char32_t behind = text.empty() ? kNone : take_code_point(text);
  if (front.enter(0, before, behind)) return true;
  while (behind != kNone && !steps.is_spent()) {
    before = std::exchange(behind, text.empty() ? kNone : take_code_point(text));
    for (const std::size_t at : front.take()) {
      const CharacterSet& set = program_->sets[program_->instructions[at].other];
      if (set.contains(before) && front.enter(at + 1, before, behind)) return true;
    }
    // It may begin anywhere.
    if (!is_tied && front.enter(0, before, behind)) return true;
  }
  return false;
}

}  // namespace petrel::schema
