#include "app/start_lines.h"

#include <set>

#include <gtest/gtest.h>

#include "log/testing/kept_log.h"

namespace petrel::app {
namespace {

Settings settings_by(std::map<std::string, std::string> flags,
                     std::map<std::string, std::string> variables = {}) {
  const SettingSources sources{
      .flags = std::move(flags),
      .environment = [&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
      },
      .config_file = ""};
  Result<Settings> settings = read_settings(sources);
  EXPECT_TRUE(settings.ok()) << settings.error().text();
  return *std::move(settings);
}

std::vector<std::string> setting_lines(const Settings& settings) {
  log::KeptLog log;
  log_start(log, settings);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < log.lines.size(); ++i) {
    if (log.kinds[i] == log::Kind::ServerSetting) lines.push_back(log.lines[i]);
  }
  return lines;
}

TEST(StartLines, SayWhatWasSetAndWhere) {
  EXPECT_EQ(setting_lines(settings_by({{"timeout", "30s"}}, {{"PETREL_SHARDS", "2"}})),
            (std::vector<std::string>{
                "info  server.setting: shards is 2  setting=shards value=2 from=PETREL_SHARDS",
                "info  server.setting: timeout is 30s  setting=timeout value=30s from=--timeout"}));
  EXPECT_TRUE(setting_lines(settings_by({})).empty());
}

TEST(StartLines, NeverShowASecret) {
  const auto lines =
      setting_lines(settings_by({{"proxy", "http://ann:sesame1@proxy:8080"}},
                                {{"PETREL_JWT_SECRET", "sesame2 of 16 characters"},
                                 {"PETREL_MAIN_SECRET", "sesame3 of 16 characters at least"}}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0],
            "info  server.setting: jwt-secret is set  setting=jwt-secret from=PETREL_JWT_SECRET");
  EXPECT_EQ(
      lines[1],
      "info  server.setting: main-secret is set  setting=main-secret from=PETREL_MAIN_SECRET");
  EXPECT_EQ(lines[2],
            "info  server.setting: proxy is http://…@proxy:8080  setting=proxy "
            "value=http://…@proxy:8080 from=--proxy");
}

// Whoever adds a setting says in start_lines.cpp whether its value is harmless, or here that it is
// none.
TEST(StartLines, EverySettingIsKnownToBeHarmlessOrHidden) {
  const std::set<std::string_view> hidden = {"jwt-secret", "main-secret", "metrics-token"};
  for (const SettingSpec& spec : setting_specs()) {
    EXPECT_EQ(shown_value(spec.name, "x").has_value(), !hidden.contains(spec.name)) << spec.name;
  }
  EXPECT_EQ(shown_value("no-setting", "x"), std::nullopt);
}

TEST(StartLines, BeginWithTheVersionAndWhereTheStoreIs) {
  log::KeptLog log;
  log_start(log, settings_by({{"store", "/var/lib/petrel/../x"}}));
  EXPECT_EQ(log.lines[0].find("info  server.starting: petrel "), 0U) << log.lines[0];
  EXPECT_NE(log.lines[0].find(" store=/var/lib/x "), std::string::npos) << log.lines[0];
}

}  // namespace
}  // namespace petrel::app
