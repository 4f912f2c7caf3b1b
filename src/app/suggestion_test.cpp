#include "app/suggestion.h"

#include <vector>

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

const std::vector<std::string> kCommands = {"serve", "token", "restore", "completion"};

TEST(Suggestion, OneSlipOfTheFingerIsForgiven) {
  for (const std::string_view word : {"serv", "sreve", "srve", "servee", "sarve"}) {
    EXPECT_EQ(closest(word, kCommands), "serve") << word;
  }
  EXPECT_EQ(closest("comp", kCommands), "completion");
}

TEST(Suggestion, WhatIsFarFromEverythingSuggestsNothing) {
  for (const std::string_view word : {"", "x", "fly", "delete", "se"}) {
    EXPECT_EQ(closest(word, kCommands), "") << word;
  }
  EXPECT_EQ(closest(std::string(1'000'000, 'e'), kCommands), "");
  EXPECT_EQ(did_you_mean("fly", kCommands), "");
  EXPECT_EQ(did_you_mean("tokn", kCommands), ": did you mean token?");
}

TEST(Suggestion, TheNearestOneWins) {
  const std::vector<std::string> flags = {"--tls-cert", "--tls-key"};
  EXPECT_EQ(closest("--tls-kye", flags), "--tls-key");
}

}  // namespace
}  // namespace petrel::app
