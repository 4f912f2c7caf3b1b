#include "log/json_form.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace petrel::log {
namespace {

const WallTime kAt = wall_from_unix_seconds(1'800'000'000);

TEST(LogJson, IsOneObjectOnOneLine) {
  const Line line{
      kAt, Kind::CircuitOpened, {"nothing is sent", {{"endpointId", "ep_1"}, {"attempts", 3}}}};
  EXPECT_EQ(to_json(line),
            R"({"time":"2027-01-15T08:00:00.000000Z","level":"warn","kind":"circuit.opened",)"
            R"("message":"nothing is sent","endpointId":"ep_1","attempts":3})"
            "\n");
}

TEST(LogJson, WhatComesFromOutsideBreaksNoLine) {
  const Line line{kAt, Kind::AttemptEnded, {"a\nb", {{"error", "\"\r\n{}\xff\x1b[2J"}}}};
  const std::string text = to_json(line);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_TRUE(parse_json(text).ok()) << text;
}

TEST(LogJson, IsNeverLongerThanOneWriteAndStaysJson) {
  for (const std::string& part : {std::string("x"), std::string("\n"), std::string("ß")}) {
    std::string much;
    for (int i = 0; i < 10'000; ++i) much += part;
    Line line{kAt, Kind::AttemptEnded, {much, {}}};
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
      line.words.fields.emplace_back(name, much);
    }
    const std::string text = to_json(line);
    EXPECT_LE(text.size(), kLineBytesMax);
    EXPECT_TRUE(parse_json(text).ok()) << text;
  }
}

}  // namespace
}  // namespace petrel::log
