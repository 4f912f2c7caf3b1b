#include "log/text_form.h"

#include <gtest/gtest.h>

namespace petrel::log {
namespace {

const WallTime kAt = wall_from_unix_seconds(1'800'000'000);

std::string text_of(Kind kind, Words words) {
  return to_text({kAt, kind, std::move(words)}, Paint::None);
}

TEST(LogText, IsASentenceWithFieldsBehindIt) {
  EXPECT_EQ(text_of(Kind::CircuitOpened,
                    {"nothing is sent", {{"endpointId", "ep_1"}, {"why", "20 failures in a row"}}}),
            "2027-01-15T08:00:00.000000Z warn  circuit.opened: nothing is sent  endpointId=ep_1 "
            "why=\"20 failures in a row\"\n");
  EXPECT_EQ(text_of(Kind::StoreAway, {R"(cannot write "a\b")"}),
            "2027-01-15T08:00:00.000000Z error store.away: cannot write \"a\\b\"\n");
}

TEST(LogText, AValueIsInQuotesOnlyWhereItMustBe) {
  EXPECT_EQ(text_of(Kind::AttemptEnded, {"x", {{"a", ""}, {"b", "c=d"}, {"e", "f\"g"}, {"h", -1}}}),
            "2027-01-15T08:00:00.000000Z debug attempt.ended: x  a=\"\" b=\"c=d\" e=\"f\\\"g\" "
            "h=-1\n");
}

TEST(LogText, WhatComesFromOutsideSteersNoTerminalAndBreaksNoLine) {
  const std::string text =
      text_of(Kind::AttemptEnded, {"a\nb\x1b[2J\xc2\x9b", {{"error", "c\r\nd\xc2\x9b\xff"}}});
  EXPECT_EQ(text,
            "2027-01-15T08:00:00.000000Z debug attempt.ended: a\\nb\\u001b[2J\\u009b  "
            "error=\"c\\r\\nd\\u009b\xef\xbf\xbd\"\n");
}

TEST(LogText, ColoursTheLevelForATerminal) {
  EXPECT_EQ(to_text({kAt, Kind::StoreAway, {"x"}}, Paint::Colours),
            "2027-01-15T08:00:00.000000Z \x1b[31merror\x1b[0m store.away: x\n");
}

TEST(LogText, IsNeverLongerThanOneWrite) {
  Words words{std::string(10'000, 'x')};
  for (int i = 0; i < 8; ++i) words.fields.emplace_back("error", std::string(10'000, '\x01'));
  const std::string text = text_of(Kind::AttemptEnded, std::move(words));
  EXPECT_LE(text.size(), kLineBytesMax);
  EXPECT_NE(text.find("xxx…"), std::string::npos) << text;
}

TEST(LogText, IsCutBetweenCharacters) {
  EXPECT_EQ(cut("äöü", 6), "äöü");
  EXPECT_EQ(cut("äöüä", 7), "äö…");
  EXPECT_EQ(cut("äöüä", 6), "ä…");
}

}  // namespace
}  // namespace petrel::log
