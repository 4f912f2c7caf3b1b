#include "app/completion.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

// petrel serve --listen ADDRESS --quick; petrel policy list
CommandTree example() {
  CommandTree tree;
  tree.name = tree.path = "petrel";
  CommandTree serve;
  serve.name = "serve";
  serve.path = "petrel serve";
  serve.about = "Run the server's \"loops\": it's all";
  serve.options = {{.names = {"--listen"}, .takes_value = true, .help = "Where"},
                   {.names = {"-q", "--quick"}, .help = "Don't wait"},
                   {.names = {"DIR"}, .is_argument = true, .takes_value = true, .help = ""}};
  CommandTree list;
  list.name = "list";
  list.path = "petrel policy list";
  CommandTree policy;
  policy.name = "policy";
  policy.path = "petrel policy";
  policy.commands = {list};
  tree.commands = {serve, policy};
  return tree;
}

bool contains(std::string_view shell, std::string_view text) {
  return completion_script(shell, example())->find(text) != std::string::npos;
}

TEST(Completion, BashKnowsTheWordsOfEachPlaceAndWhichOptionsTakeAValue) {
  EXPECT_TRUE(contains("bash", "'petrel') words='serve policy' values='  ' ;;"));
  EXPECT_TRUE(
      contains("bash", "'petrel serve') words='--listen -q --quick' values=' --listen ' ;;"));
  EXPECT_TRUE(contains("bash", "'petrel serve'|'petrel policy'|'petrel policy list') at="));
}

TEST(Completion, WhatIsSaidOfACommandCannotBreakOutOfItsQuotes) {
  EXPECT_TRUE(contains("zsh", R"('serve:Run the server'\''s "loops": it'\''s all')"));
  EXPECT_TRUE(contains("fish", R"(-a serve -d 'Run the server\'s "loops": it\'s all')"));
  EXPECT_TRUE(contains("fish", R"(-s q -l quick -d 'Don\'t wait')"));
}

TEST(Completion, ArgumentsWithoutANameAreLeftToTheShell) {
  for (const std::string_view shell : {"bash", "zsh", "fish"}) {
    EXPECT_FALSE(contains(shell, "DIR")) << shell;
  }
}

TEST(Completion, AnotherShellIsRefused) {
  EXPECT_EQ(completion_script("tcsh", example()).error().text(),
            "shell: must be bash, zsh or fish");
}

}  // namespace
}  // namespace petrel::app
