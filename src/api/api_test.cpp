#include "api/api.h"

#include <gtest/gtest.h>

namespace petrel::api {
namespace {

net::HttpResponse ask(std::string method, std::string target) {
  net::HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  net::HttpResponse answer;
  Api().handle(request, [&](net::HttpResponse response) { answer = std::move(response); });
  return answer;
}

TEST(Api, PingSaysThatItIsThere) {
  EXPECT_EQ(ask("GET", "/api/v1/health/ping").status, 204);
  EXPECT_EQ(ask("HEAD", "/api/v1/health/ping").status, 204);
  EXPECT_EQ(ask("GET", "/api/v1/health/ping/").status, 204);
  EXPECT_EQ(ask("GET", "/api/v1/health/ping?now=1").status, 204);
}

TEST(Api, AnUnknownRouteIsAJsonError) {
  const net::HttpResponse answer = ask("GET", "/nowhere");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.body, R"({"code":"not_found","detail":"there is no such route"})");
}

TEST(Api, AWrongMethodIsToldWhichAreRight) {
  const net::HttpResponse answer = ask("POST", "/api/v1/health/ping");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.headers.front().second, "GET, HEAD");
}

TEST(Api, OverloadSaysWhenToComeBack) {
  const net::HttpResponse page = Api::error_page(503, "too many connections");
  EXPECT_EQ(page.headers.front().first, "Retry-After");
  EXPECT_EQ(page.body, R"({"code":"unavailable","detail":"too many connections"})");
}

}  // namespace
}  // namespace petrel::api
