#include "app/command_mistake.h"

#include <algorithm>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace petrel::app {
namespace {

// petrel serve [--listen, --shards], petrel policy show NAME
class CommandMistakeTest : public testing::Test {
 protected:
  CommandMistakeTest() {
    cli_.require_subcommand(1);
    CLI::App* serve = cli_.add_subcommand("serve", "Run");
    serve->add_option("--listen", listen_, "Where");
    serve->add_option("--shards", shards_, "How many");
    CLI::App* policy = cli_.add_subcommand("policy", "Look");
    policy->require_subcommand(1);
    policy->add_subcommand("show", "Print")->add_option("preset", preset_, "Which")->required();
  }

  CommandMistake mistake(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());  // As CLI11 wants them.
    try {
      cli_.parse(words);
    } catch (const CLI::ParseError& error) {
      return mistake_of(cli_, error);
    }
    return {"none", ""};
  }

  CLI::App cli_{"", "petrel"};
  std::string listen_;
  std::string preset_;
  int shards_ = 0;
};

TEST_F(CommandMistakeTest, AnUnknownCommandIsNamedWithWhatWasMeant) {
  EXPECT_EQ(mistake({"serv"}).what, "there is no command \"serv\": did you mean serve?");
  EXPECT_EQ(mistake({"fly"}).what, "there is no command \"fly\"");
  EXPECT_EQ(mistake({"fly", "--high"}).what, "there is no command \"fly\"");
  EXPECT_EQ(mistake({"fly"}).hint, "`petrel --help` lists the commands");
  EXPECT_EQ(mistake({"policy", "shwo", "svix"}).what,
            "there is no command \"shwo\": did you mean show?");
  EXPECT_EQ(mistake({"policy", "shwo"}).hint, "`petrel policy --help` lists the commands");
}

TEST_F(CommandMistakeTest, AnUnknownOptionIsNamedWithoutItsValue) {
  const CommandMistake found = mistake({"serve", "--listn=secret"});
  EXPECT_EQ(found.what, "`petrel serve` has no option \"--listn\": did you mean --listen?");
  EXPECT_EQ(found.hint, "`petrel serve --help` says what it takes");
  EXPECT_EQ(mistake({"serve", "half a secret"}).what, "`petrel serve` takes fewer arguments");
}

TEST_F(CommandMistakeTest, ACommandThatIsMissingIsAskedFor) {
  EXPECT_EQ(mistake({}).what, "`petrel` needs a command: serve, policy");
  EXPECT_EQ(mistake({"policy"}).what, "`petrel policy` needs a command: show");
}

TEST_F(CommandMistakeTest, AWrongValueNamesItsOptionAndCommand) {
  EXPECT_EQ(mistake({"serve", "--shards", "many"}).what.substr(0, 16), "`petrel serve`: ");
  EXPECT_NE(mistake({"serve", "--shards", "many"}).what.find("--shards"), std::string::npos);
  EXPECT_EQ(mistake({"policy", "show"}).what, "`petrel policy show`: preset is required");
}

}  // namespace
}  // namespace petrel::app
