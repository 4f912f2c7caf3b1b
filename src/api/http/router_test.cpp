#include "api/http/router.h"

#include <gtest/gtest.h>

namespace petrel::api {
namespace {

std::string found(std::string_view method, std::string_view target) {
  static const Router router({
      {"GET", "/a", kOpen, {}},
      {"POST", "/a", kOpen, {}},
      {"GET", "/a/{id}", kOpen, {}},
      {"POST", "/a/check", kOpen, {}},
      {"GET", "/a/{id}/b/{other}", kOpen, {}},
  });
  const RouteMatch match = router.match(method, path_of(target));
  if (match.route == nullptr) return match.allow.empty() ? "none" : "allow " + match.allow;
  std::string text = std::string(match.route->method) + " " + std::string(match.route->pattern);
  for (const auto& [name, value] : match.parameters) {
    text += " " + std::string(name) + "=" + value;
  }
  return text;
}

TEST(Router, FindsTheRouteAndItsParameters) {
  EXPECT_EQ(found("GET", "/a"), "GET /a");
  EXPECT_EQ(found("POST", "/a"), "POST /a");
  EXPECT_EQ(found("GET", "/a/7"), "GET /a/{id} id=7");
  EXPECT_EQ(found("GET", "/a/7/b/8?x=/y/"), "GET /a/{id}/b/{other} id=7 other=8");
  EXPECT_EQ(found("HEAD", "/a"), "GET /a");
}

TEST(Router, SlashesAtTheEndDoNotCount) {
  EXPECT_EQ(found("GET", "/a/"), "GET /a");
  EXPECT_EQ(found("GET", "/a//?x"), "GET /a");
  EXPECT_EQ(found("GET", "/a/7/"), "GET /a/{id} id=7");
}

TEST(Router, ParametersAreDecodedAfterTheyAreFound) {
  EXPECT_EQ(found("GET", "/a/x%2Fy%20z"), "GET /a/{id} id=x/y z");
  EXPECT_EQ(found("GET", "/a/50%"), "GET /a/{id} id=50%");
}

TEST(Router, WhatIsSpelledOutWins) {
  EXPECT_EQ(found("POST", "/a/check"), "POST /a/check");
  EXPECT_EQ(found("GET", "/a/check"), "GET /a/{id} id=check");
}

TEST(Router, SaysWhichMethodsThereAre) {
  EXPECT_EQ(found("DELETE", "/a"), "allow GET, HEAD, POST");
  EXPECT_EQ(found("DELETE", "/a/7"), "allow GET, HEAD");
  EXPECT_EQ(found("get", "/a"), "allow GET, HEAD, POST");
}

TEST(Router, KnowsNothingElse) {
  for (const char* target : {"", "/", "a", "/b", "/a/7/b", "/a//b/8", "/a/7/c/8", "/a/7/b/8/9",
                             "http://host/a", "*", "?"}) {
    EXPECT_EQ(found("GET", target), "none") << target;
  }
}

}  // namespace
}  // namespace petrel::api
