#include "app/client/server_access.h"

#include <gtest/gtest.h>

namespace petrel::app {
namespace {

// No folder of this name is there, so no server is found by its socket.
AccessSources sources() {
  AccessSources none;
  none.store = "/nowhere/at/all";
  return none;
}

TEST(ServerAccess, PrefersTheCommandLineToTheEnvironmentAndThatToTheFile) {
  AccessSources all = sources();
  all.file = {.server = "http://file", .token = "of-file"};
  EXPECT_EQ(find_access(all)->access.url, "http://file");
  EXPECT_EQ(find_access(all)->access.token, "of-file");

  all.environment = {.server = "http://environment", .token = "of-environment"};
  EXPECT_EQ(find_access(all)->access.url, "http://environment");
  EXPECT_EQ(find_access(all)->access.token, "of-environment");

  all.flags = {.server = "http://flag", .token = "of-flag"};
  EXPECT_EQ(find_access(all)->access.url, "http://flag");
  EXPECT_EQ(find_access(all)->access.token, "of-flag");
}

TEST(ServerAccess, ShowsTheTokenOfTheFileToTheServerOfTheFileAlone) {
  AccessSources all = sources();
  all.file = {.server = "http://file", .token = "of-file"};
  all.flags.server = "http://elsewhere";

  const auto found = find_access(all);

  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().field, "token");
}

TEST(ServerAccess, SaysHowToNameAServerIfThereIsNone) {
  const auto found = find_access(sources());

  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::NotFound);
  EXPECT_NE(found.error().text().find("--server and --token"), std::string::npos);
}

TEST(ServerAccess, RefusesATokenThatWouldMakeALineOfItsOwn) {
  AccessSources all = sources();
  all.flags = {.server = "http://flag", .token = "a\r\nX-Other: b"};

  const auto found = find_access(all);

  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().text(), "token: must be one word of plain characters");
}

TEST(ServerAccess, TakesAUrlWithOrWithoutThePathOfTheApi) {
  EXPECT_EQ(*server_url("https://Host.example/"), "https://host.example");
  EXPECT_EQ(*server_url("http://127.0.0.1:8071/api/v1/"), "http://127.0.0.1:8071");
  EXPECT_EQ(*server_url("https://host/below"), "https://host/below");
  EXPECT_FALSE(server_url("ftp://host").ok());
  EXPECT_FALSE(server_url("http://user:secret@host").ok());
  EXPECT_FALSE(server_url("http://host/?a=1").ok());
}

}  // namespace
}  // namespace petrel::app
