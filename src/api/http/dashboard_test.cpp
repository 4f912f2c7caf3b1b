#include "api/http/dashboard.h"

#include <gtest/gtest.h>

#include "api/testing/api_world.h"

namespace petrel::api {
namespace {

const WebAssets kAssets = {
    .shell = "<html><base href=\"/\"><script src=\"assets/main-1.js\"></script></html>",
    .files = {{"main-1.js", "text/javascript; charset=utf-8", "plain", "as gzip", "as brotli"},
              {"icon-2.svg", "image/svg+xml", "<svg/>", "", ""}},
};

struct DashboardTest : testing::Test {
  std::optional<net::HttpResponse> get(const std::string& path, net::HttpHeaders headers = {}) {
    net::HttpRequest request;
    request.method = method;
    request.target = path;
    request.headers = std::move(headers);
    return dashboard.answer(request, path);
  }

  static std::string header(const net::HttpResponse& response, std::string_view name) {
    for (const auto& [each, value] : response.headers) {
      if (each == name) return value;
    }
    return "";
  }

  std::string method = "GET";
  Dashboard dashboard{kAssets, "http://127.0.0.1:8071"};
};

TEST_F(DashboardTest, GivesThePageForEveryAddressThatIsNotTheApis) {
  for (const std::string path :
       {"/", "/app/acme", "/dead-letters", "/apidays", "/docsy", "/inbox"}) {
    ASSERT_TRUE(get(path)) << path;
    EXPECT_EQ(get(path)->status, 200) << path;
    EXPECT_EQ(get(path)->body, kAssets.shell) << path;
    EXPECT_EQ(get(path)->content_type, "text/html; charset=utf-8") << path;
  }
  for (const std::string path : {"/api", "/api/v1/ap", "/docs/x", "/metrics/x", "/assets",
                                 "/assets/main-2.js", "/in/acme", "/ingest/x", "", "*"}) {
    EXPECT_FALSE(get(path)) << path;
  }
}

TEST_F(DashboardTest, AnswersReadsAlone) {
  method = "HEAD";
  EXPECT_TRUE(get("/"));
  method = "POST";
  EXPECT_FALSE(get("/"));
  EXPECT_FALSE(get("/assets/main-1.js"));
}

TEST_F(DashboardTest, LetsNothingRunThatIsNotTheServersOwn) {
  const std::string policy = header(*get("/"), "Content-Security-Policy");
  for (const std::string part :
       {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'self'",
        "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"}) {
    EXPECT_NE(policy.find(part), std::string::npos) << policy;
  }
  EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
  EXPECT_EQ(header(*get("/"), "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(header(*get("/assets/main-1.js"), "X-Content-Type-Options"), "nosniff");
}

TEST_F(DashboardTest, ThePageIsAskedForAgainButSentOnce) {
  const net::HttpResponse first = *get("/");
  EXPECT_EQ(header(first, "Cache-Control"), "no-cache");
  const std::string tag = header(first, "ETag");
  ASSERT_FALSE(tag.empty());

  const net::HttpResponse again = *get("/app", {{"If-None-Match", "W/\"x\", " + tag}});

  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(get("/app", {{"If-None-Match", "\"another\""}})->status, 200);
}

TEST_F(DashboardTest, AFileIsKeptForEver) {
  const net::HttpResponse file = *get("/assets/main-1.js");
  EXPECT_EQ(header(file, "Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(file.content_type, "text/javascript; charset=utf-8");
}

TEST_F(DashboardTest, AFileIsSentAsTheBrowserTakesIt) {
  const auto body = [this](const std::string& codings) {
    const net::HttpResponse file = *get("/assets/main-1.js", {{"Accept-Encoding", codings}});
    EXPECT_EQ(header(file, "Vary"), "Accept-Encoding");
    return header(file, "Content-Encoding") + ": " + file.body;
  };
  EXPECT_EQ(body("gzip, deflate, br, zstd"), "br: as brotli");
  EXPECT_EQ(body("gzip, br;q=0"), "gzip: as gzip");
  EXPECT_EQ(body("GZIP; q=0.5"), "gzip: as gzip");
  EXPECT_EQ(body("gzip;q=0.0, brx"), ": plain");
  EXPECT_EQ(body(""), ": plain");
  EXPECT_EQ(get("/assets/icon-2.svg", {{"Accept-Encoding", "br, gzip"}})->body, "<svg/>");
}

TEST_F(DashboardTest, StandsBelowThePathOfThePublicUrl) {
  const Dashboard below(kAssets, "https://hooks.example.com/a\"b");
  net::HttpRequest request;
  request.method = "GET";
  const std::string page = below.answer(request, "/")->body;
  EXPECT_NE(page.find("<base href=\"/a&quot;b/\">"), std::string::npos) << page;
  EXPECT_NE(header(*below.answer(request, "/"), "ETag"), header(*get("/"), "ETag"));
}

TEST_F(DashboardTest, SaysWhereItWentIfTheServerWasBuiltWithoutIt) {
  const WebAssets none;
  const Dashboard without(none, "http://127.0.0.1/petrel");
  net::HttpRequest request;
  request.method = "GET";
  const net::HttpResponse page = *without.answer(request, "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("built without the dashboard"), std::string::npos);
  EXPECT_NE(page.body.find("<base href=\"/petrel/\">"), std::string::npos);
  EXPECT_NE(page.body.find("<a href=\"docs\">"), std::string::npos);
}

TEST(DashboardOfTheApi, IsTheFrontDoorAndLeavesTheApiItsErrors) {
  ApiWorld world;
  EXPECT_EQ(world.ask("GET", "/", {.token = "none"}).status, 200);
  EXPECT_EQ(world.ask("GET", "/app/acme?x=y", {.token = "none"}).content_type,
            "text/html; charset=utf-8");
  EXPECT_EQ(world.ask("GET", "/api/v1/nothing", {.token = "none"}).status, 404);
  EXPECT_EQ(world.ask("POST", "/app/acme", {.token = "none"}).status, 404);
  EXPECT_EQ(world.ask("POST", "/docs", {.token = "none"}).status, 405);
}

}  // namespace
}  // namespace petrel::api
