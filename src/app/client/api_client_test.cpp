#include "app/client/api_client.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

ApiAnswer answered(int status, const std::string& text) {
  ApiAnswer answer{.status = status, .text = text, .json = {}};
  if (const auto json = parse_json(text); json.ok()) answer.json = *json;
  return answer;
}

TEST(ApiClient, NamesTheFieldThatWasRefused) {
  const Error error = error_of(
      answered(422, R"({"detail": [{"loc": ["body", "rules", "[2]", "on"], "msg": "is no status",
                                   "type": "value_error"}, {"loc": ["body"], "msg": "b"}]})"),
      "POST /app");

  EXPECT_EQ(error.kind, ErrorKind::Invalid);
  EXPECT_EQ(error.text(), "POST /app: rules[2].on: is no status (and 1 more)");
}

TEST(ApiClient, SaysWhatHelpsAgainstABadToken) {
  const Error error =
      error_of(answered(401, R"({"code": "x", "detail": "it has run out"})"), "GET /app");

  EXPECT_EQ(error.kind, ErrorKind::Invalid);
  EXPECT_EQ(
      error.text(),
      "GET /app: it has run out (401); make a token with `petrel token create` on the server, "
      "and give it by --token or PETREL_TOKEN");
}

TEST(ApiClient, TellsKindsOfErrorApartByWhatACallerCanDo) {
  EXPECT_EQ(error_of(answered(404, "{}"), "x").kind, ErrorKind::NotFound);
  EXPECT_EQ(error_of(answered(409, "{}"), "x").kind, ErrorKind::Conflict);
  EXPECT_EQ(error_of(answered(413, "{}"), "x").kind, ErrorKind::Invalid);
  EXPECT_EQ(error_of(answered(429, "{}"), "x").kind, ErrorKind::Unavailable);
  EXPECT_EQ(error_of(answered(502, "<html>"), "x").kind, ErrorKind::Unavailable);
  EXPECT_EQ(error_of(answered(302, ""), "x").kind, ErrorKind::Unavailable);
}

TEST(ApiClient, ShowsNothingOfAServerThatATerminalWouldObey) {
  const Error error = error_of(answered(409, R"({"detail": "a\u001b[2Jb"})"), "x");

  EXPECT_EQ(error.text(), "x: a [2Jb (409)");
}

TEST(ApiClient, EscapesWhatIsPutIntoAPath) {
  EXPECT_EQ(escaped("app_2gV-x.y~"), "app_2gV-x.y~");
  EXPECT_EQ(escaped("../a b?c#d%e/é"), "..%2Fa%20b%3Fc%23d%25e%2F%C3%A9");
}

}  // namespace
}  // namespace petrel::app
