#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "schema/pattern_tree.h"

namespace petrel::schema {
namespace {

using Kind = PatternProgram::Kind;
using Node = PatternTree::Node;
using What = PatternTree::What;

constexpr std::size_t kGroupsMax = 100;  // Within each other.
constexpr int kNoLimit = PatternTree::kNoLimit;

CharacterSet set_of(std::initializer_list<std::pair<char32_t, char32_t>> ranges) {
  CharacterSet set;
  for (const auto& [first, last] : ranges) set.add(first, last);
  set.settle();
  return set;
}

CharacterSet digits() { return set_of({{U'0', U'9'}}); }
CharacterSet word() { return set_of({{U'0', U'9'}, {U'A', U'Z'}, {U'_', U'_'}, {U'a', U'z'}}); }
CharacterSet space() {
  return set_of({{0x09, 0x0D},
                 {0x20, 0x20},
                 {0xA0, 0xA0},
                 {0x1680, 0x1680},
                 {0x2000, 0x200A},
                 {0x2028, 0x2029},
                 {0x202F, 0x202F},
                 {0x205F, 0x205F},
                 {0x3000, 0x3000},
                 {0xFEFF, 0xFEFF}});
}
CharacterSet line_ends() { return set_of({{0x0A, 0x0A}, {0x0D, 0x0D}, {0x2028, 0x2029}}); }

// Of \d, \D, \w, \W, \s and \S; empty if it is none of them.
std::optional<CharacterSet> named_set(char32_t c) {
  switch (c) {
    case U'd':
      return digits();
    case U'D':
      return digits().inverse();
    case U'w':
      return word();
    case U'W':
      return word().inverse();
    case U's':
      return space();
    case U'S':
      return space().inverse();
    default:
      return std::nullopt;
  }
}

std::optional<char32_t> control_of(char32_t c) {
  switch (c) {
    case U't':
      return U'\t';
    case U'n':
      return U'\n';
    case U'v':
      return U'\v';
    case U'f':
      return U'\f';
    case U'r':
      return U'\r';
    case U'0':
      return U'\0';
    default:
      return std::nullopt;
  }
}

bool is_letter(char32_t c) { return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z'); }

std::optional<unsigned> hex_digit(char32_t c) {
  if (c >= U'0' && c <= U'9') return c - U'0';
  if (c >= U'a' && c <= U'f') return c - U'a' + 10;
  if (c >= U'A' && c <= U'F') return c - U'A' + 10;
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::string_view text) {
    while (!text.empty()) text_.push_back(take_code_point(text));
  }

  Result<PatternTree> parse() {
    const Index root = choice();
    if (!root.ok()) return root.error();
    if (!is_at_end()) return refused("has a ) without its (");
    tree_.root = *root;
    return std::move(tree_);
  }

 private:
  using Index = Result<std::size_t>;

  static Error refused(std::string_view why) {
    return invalid("", fmt::format("is not a pattern that we match: it {}", why));
  }

  bool is_at_end() const { return at_ >= text_.size(); }
  bool is_next(char32_t c, std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() && text_[at_ + ahead] == c;
  }
  bool take(char32_t c) {
    if (!is_next(c)) return false;
    ++at_;
    return true;
  }

  std::size_t add(Node node) {
    tree_.nodes.push_back(std::move(node));
    return tree_.nodes.size() - 1;
  }
  std::size_t add_set(CharacterSet set) {
    set.settle();
    tree_.sets.push_back(std::move(set));
    return add({.what = What::Character, .set = tree_.sets.size() - 1});
  }

  Index choice() {
    Node node{.what = What::Choice};
    do {
      const Index part = sequence();
      if (!part.ok()) return part;
      node.parts.push_back(*part);
    } while (take(U'|'));
    return node.parts.size() == 1 ? node.parts.front() : add(std::move(node));
  }

  Index sequence() {
    Node node{.what = What::Sequence};
    while (!is_at_end() && !is_next(U'|') && !is_next(U')')) {
      const Index part = term();
      if (!part.ok()) return part;
      node.parts.push_back(*part);
    }
    return add(std::move(node));
  }

  Index term() {
    if (const std::optional<Kind> place = take_place()) {
      return add({.what = What::Place, .place = *place});
    }
    const Index part = atom();
    return part.ok() ? repeated(*part) : part;
  }

  std::optional<Kind> take_place() {
    if (take(U'^')) return Kind::Begin;
    if (take(U'$')) return Kind::End;
    if (!is_next(U'\\')) return std::nullopt;
    const bool is_edge = is_next(U'b', 1);
    if (!is_edge && !is_next(U'B', 1)) return std::nullopt;
    at_ += 2;
    return is_edge ? Kind::WordEdge : Kind::NoWordEdge;
  }

  Index repeated(std::size_t part) {
    Node node{.what = What::Repeat, .parts = {part}, .min = 0, .max = kNoLimit};
    if (take(U'+')) {
      node.min = 1;
    } else if (take(U'?')) {
      node.max = 1;
    } else if (!take(U'*') && !take_count(node.min, node.max)) {
      return part;
    }
    if (node.min > node.max) return refused("has a count whose ends are the wrong way round");
    take(U'?');  // Whether it prefers more or less changes nothing about whether it fits.
    return add(std::move(node));
  }

  // {3}, {3,} or {3,5}; nothing is taken if it is none of these.
  bool take_count(int& min, int& max) {
    const std::size_t start = at_;
    if (!take(U'{')) return false;
    const std::optional<int> first = take_number();
    std::optional<int> last = first;
    if (first && take(U',')) last = is_next(U'}') ? kNoLimit : take_number();
    if (!first || !last || !take(U'}')) {
      at_ = start;
      return false;
    }
    min = *first;
    max = *last;
    return true;
  }

  std::optional<int> take_number() {
    std::optional<int> number;
    for (; !is_at_end() && text_[at_] >= U'0' && text_[at_] <= U'9'; ++at_) {
      const int digit = static_cast<int>(text_[at_] - U'0');
      number = std::min(number.value_or(0) * 10 + digit, 1'000'000);
    }
    return number;
  }

  Index atom() {
    if (is_next(U'*') || is_next(U'+') || is_next(U'?')) {
      return refused("repeats what is not there");
    }
    if (take(U'(')) return group();
    if (take(U'[')) return char_class();
    if (take(U'.')) return add_set(line_ends().inverse());
    if (!take(U'\\')) {
      const char32_t c = text_[at_++];
      return add_set(set_of({{c, c}}));
    }
    if (is_at_end()) return refused("ends with a backslash");
    if (const auto set = named_set(text_[at_])) {
      ++at_;
      return add_set(*set);
    }
    ASSIGN_OR_RETURN(const char32_t c, escaped());
    return add_set(set_of({{c, c}}));
  }

  Index group() {
    if (take(U'?') && !take(U':')) {
      const bool is_named = is_next(U'<') && !is_next(U'=', 1) && !is_next(U'!', 1);
      if (!is_named) return refused("has a condition on what stands before or behind");
      while (!is_at_end() && !take(U'>')) ++at_;
    }
    if (++depth_ > kGroupsMax) return refused("has groups too deep within each other");
    const Index inner = choice();
    --depth_;
    if (inner.ok() && !take(U')')) return refused("has a ( without its )");
    return inner;
  }

  // What stands behind a backslash and is one character.
  Result<char32_t> escaped() {
    const char32_t c = text_[at_++];
    const bool is_digit_next = !is_at_end() && text_[at_] >= U'0' && text_[at_] <= U'9';
    if (const auto control = control_of(c); control && !(c == U'0' && is_digit_next)) {
      return *control;
    }
    if (c == U'x') return take_hex(2);
    if (c == U'u') return take_unicode();
    if (c == U'c' && !is_at_end() && is_letter(text_[at_])) return text_[at_++] % 32;
    if (c >= U'0' && c <= U'9') return refused("has a back reference");
    if (is_letter(c)) return refused("has a letter behind a backslash that means nothing");
    return c;
  }

  Result<char32_t> take_hex(int digits) {
    char32_t code = 0;
    for (int i = 0; i < digits; ++i) {
      const auto digit = is_at_end() ? std::nullopt : hex_digit(text_[at_++]);
      if (!digit) return refused(fmt::format("wants {} hexadecimal digits", digits));
      code = code * 16 + *digit;
    }
    return code;
  }

  // \u00e9, \ud83d\ude00 or \u{1f600}.
  Result<char32_t> take_unicode() {
    if (take(U'{')) {
      char32_t code = 0;
      while (!is_at_end() && !is_next(U'}') && code <= CharacterSet::kLast) {
        ASSIGN_OR_RETURN(const char32_t digit, take_hex(1));
        code = code * 16 + digit;
      }
      if (!take(U'}') || code > CharacterSet::kLast)
        return refused("has a \\u{…} that is no character");
      return code;
    }
    const Result<char32_t> high = take_hex(4);
    const bool is_pair =
        high.ok() && *high >= 0xD800 && *high <= 0xDBFF && is_next(U'\\') && is_next(U'u', 1);
    if (!is_pair) return high;
    const std::size_t start = at_;
    at_ += 2;
    const Result<char32_t> low = take_hex(4);
    if (low.ok() && *low >= 0xDC00 && *low <= 0xDFFF) {
      return 0x10000 + ((*high - 0xD800) << 10U) + (*low - 0xDC00);
    }
    at_ = start;
    return high;
  }

  // What one place of a class names: a character, or a set as \d is.
  struct Member {
    std::optional<CharacterSet> set;
    char32_t character = 0;
  };

  Result<Member> member() {
    if (!take(U'\\')) return Member{std::nullopt, text_[at_++]};
    if (is_at_end()) return refused("ends with a backslash");
    if (take(U'b')) return Member{std::nullopt, U'\b'};
    if (auto set = named_set(text_[at_])) {
      ++at_;
      return Member{std::move(set), 0};
    }
    ASSIGN_OR_RETURN(const char32_t c, escaped());
    return Member{std::nullopt, c};
  }

  Index char_class() {
    const bool is_inverse = take(U'^');
    CharacterSet set;
    while (!take(U']')) {
      if (is_at_end()) return refused("has a [ without its ]");
      TRY(add_member(set));
    }
    set.settle();
    return add_set(is_inverse ? set.inverse() : std::move(set));
  }

  Status add_member(CharacterSet& set) {
    ASSIGN_OR_RETURN(const Member first, member());
    const bool is_range = is_next(U'-') && at_ + 1 < text_.size() && !is_next(U']', 1);
    if (!is_range || first.set) {
      if (first.set) set.add(*first.set);
      if (!first.set) set.add(first.character, first.character);
      return Done{};
    }
    ++at_;
    ASSIGN_OR_RETURN(const Member last, member());
    if (last.set) return refused("has a range that ends with a set");
    if (last.character < first.character) return refused("has a range the wrong way round");
    set.add(first.character, last.character);
    return Done{};
  }

  PatternTree tree_;
  std::vector<char32_t> text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

Result<PatternTree> parse_pattern_tree(std::string_view text) { return Parser(text).parse(); }

}  // namespace petrel::schema
