#include "sim/mutant.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace petrel::sim {
namespace {

using judge::Rule;

bool is_broken_by_some(Rule rule) {
  const auto all = mutants();
  return std::any_of(all.begin(), all.end(),
                     [&](const MutantLine& line) { return line.may_break(rule); });
}

TEST(Mutants, EveryRuleHasOneOrAReasonWhyNot) {
  std::set<Rule> excused;
  for (const UnprovenRule& each : unproven_rules()) {
    EXPECT_FALSE(each.why.empty());
    excused.insert(each.rule);
  }
  for (std::size_t i = 0; i < judge::kRules; ++i) {
    const auto rule = static_cast<Rule>(i);
    EXPECT_NE(is_broken_by_some(rule), excused.contains(rule)) << to_string(rule);
  }
}

TEST(Mutants, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const MutantLine& line : mutants()) {
    EXPECT_TRUE(names.insert(line.name).second) << line.name;
    EXPECT_EQ(parse_mutant(line.name), line.mutant);
  }
  EXPECT_FALSE(parse_mutant("none").has_value());
}

}  // namespace
}  // namespace petrel::sim
