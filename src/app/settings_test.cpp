#include "app/settings.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "app/public_url.h"

namespace petrel::app {
namespace {

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() {
    sources_.environment = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      if (found == variables_.end()) return std::nullopt;
      return found->second;
    };
  }

  void write_file(std::string_view text) {
    sources_.config_file = testing::TempDir() + "petrel-settings-" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
    std::ofstream(sources_.config_file) << text;
  }

  std::string error() const {
    const Result<Settings> settings = read_settings(sources_);
    return settings.ok() ? "" : settings.error().text();
  }

  SettingSources sources_;
  std::map<std::string, std::string> variables_;
};

TEST_F(SettingsTest, AreGoodAsTheyCome) {
  const Result<Settings> settings = read_settings(sources_);
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->listen.port, 8071);
  EXPECT_EQ(settings->retry_policy.preset, "standard-webhooks");
  EXPECT_EQ(settings->timeout, std::chrono::seconds(15));
}

TEST_F(SettingsTest, AFlagBeatsTheEnvironmentAndThatTheFile) {
  write_file("shards = 4\ntimeout = \"30s\"\nallow-subnets = [\"127.0.0.0/8\", \"10.0.0.0/8\"]\n");
  variables_ = {{"PETREL_SHARDS", "3"}, {"PETREL_TIMEOUT", "20s"}};
  sources_.flags = {{"shards", "2"}};

  const Result<Settings> settings = read_settings(sources_);

  ASSERT_TRUE(settings.ok()) << settings.error().text();
  EXPECT_EQ(settings->shards, 2);
  EXPECT_EQ(settings->timeout, std::chrono::seconds(20));
  EXPECT_EQ(settings->allow_subnets, "127.0.0.0/8,10.0.0.0/8");
}

TEST_F(SettingsTest, AMistakeIsNamedWhereItWasMade) {
  sources_.flags = {{"shards", "0"}};
  EXPECT_EQ(error(), "--shards: must be a whole number between 1 and 256");
  sources_.flags = {{"retry-policy", R"({"maxAttempts": 0})"}};
  EXPECT_EQ(error(), "--retry-policy: maxAttempts: must be between 1 and 1000");
  sources_.flags = {};
  variables_ = {{"PETREL_TIMEOUT", "1h"}};
  EXPECT_EQ(error(), "PETREL_TIMEOUT: must be between 1s and 5m");
}

TEST_F(SettingsTest, MemoryIsGivenWithAUnit) {
  sources_.flags = {{"memory-max", "512MiB"}};
  EXPECT_EQ(read_settings(sources_)->memory_max, std::size_t{512} << 20U);
  sources_.flags = {{"memory-max", "64MiB"}};
  EXPECT_EQ(error(), "--memory-max: must be at least 128MiB");
  sources_.flags = {{"memory-max", "plenty"}};
  EXPECT_TRUE(error().starts_with("--memory-max: \"plenty\" is not an amount of bytes"));
}

TEST_F(SettingsTest, RetentionBeginsAtAnHourAndHasKinds) {
  EXPECT_EQ(read_settings(sources_)->retention,
            model::RetentionSettings{.ended = std::chrono::hours(24 * 90)});
  write_file("retention-payloads = \"1h\"\n");
  variables_ = {{"PETREL_RETENTION_DEAD_LETTERS", "30d"}};
  sources_.flags = {{"retention", "3d"}};
  const model::RetentionSettings retention = read_settings(sources_)->retention;
  EXPECT_EQ(retention.ended, std::chrono::hours(72));
  EXPECT_EQ(retention.payloads, std::chrono::hours(1));
  EXPECT_EQ(retention.attempts, std::nullopt);
  EXPECT_EQ(retention.dead_letters, std::chrono::hours(24 * 30));

  sources_.flags = {{"retention", "59m"}};
  EXPECT_EQ(error(), "--retention: must be between 1h and 3650d");
}

TEST_F(SettingsTest, TheDiskThatTheStoreMayTakeHasAUnit) {
  EXPECT_EQ(read_settings(sources_)->disk_bytes_max, 0U);
  sources_.flags = {{"disk-max", "200GB"}};
  EXPECT_EQ(read_settings(sources_)->disk_bytes_max, 200'000'000'000U);
  sources_.flags = {{"disk-max", "much"}};
  EXPECT_TRUE(error().starts_with("--disk-max: \"much\" is not an amount of bytes"));
}

TEST_F(SettingsTest, APublicUrlIsChecked) {
  sources_.flags = {{"public-url", "https://Hooks.example.com:443/petrel/"}};
  EXPECT_EQ(read_settings(sources_)->public_url, "https://hooks.example.com/petrel");
  sources_.flags = {{"public-url", "hooks.example.com"}};
  EXPECT_EQ(error(), "--public-url: the URL is not well-formed");
  sources_.flags = {{"public-url", "https://a.example/?b=c"}};
  EXPECT_EQ(error(), "--public-url: must not have a query: links are made by adding to it");
}

TEST_F(SettingsTest, LinksBeginWithWhereItListensUnlessAPublicUrlIsSet) {
  sources_.flags = {{"listen", "[::1]:0"}};
  EXPECT_EQ(public_url(*read_settings(sources_), 4711), "http://[::1]:4711");
  sources_.flags["public-url"] = "https://a.example";
  EXPECT_EQ(public_url(*read_settings(sources_), 4711), "https://a.example");
}

TEST_F(SettingsTest, TlsNeedsBothFiles) {
  sources_.flags = {{"tls-cert", "c.pem"}};
  EXPECT_EQ(error(), "tls-key: is missing: TLS needs both tls-cert and tls-key");
  sources_.flags = {{"tls-key", "k.pem"}};
  EXPECT_EQ(error(), "tls-cert: is missing: TLS needs both tls-cert and tls-key");
  sources_.flags = {{"tls-cert", "c.pem"}, {"tls-key", "k.pem"}, {"listen", "127.0.0.1:0"}};
  EXPECT_EQ(public_url(*read_settings(sources_), 4711), "https://127.0.0.1:4711");
}

TEST_F(SettingsTest, TrustedProxiesAreSubnets) {
  sources_.flags = {{"trusted-proxies", "10.0.0.0/8, ::1"}};
  EXPECT_EQ(read_settings(sources_)->trusted_proxies,
            (std::vector{*Subnet::parse("10.0.0.0/8"), *Subnet::parse("::1")}));
  sources_.flags = {{"trusted-proxies", "10.0.0.0/8, proxy.example"}};
  EXPECT_EQ(error().substr(0, 50), "--trusted-proxies: \"proxy.example\" is not a subnet");
}

TEST_F(SettingsTest, SeveralMainSecretsAreTakenInTheirOrder) {
  variables_ = {{"PETREL_MAIN_SECRET", "the new main secret, the old main secret"}};
  EXPECT_EQ(read_settings(sources_)->main_secret,
            (std::vector<std::string>{"the new main secret", "the old main secret"}));
}

TEST_F(SettingsTest, AMainSecretThatIsTooShortIsRefusedWithoutBeingShown) {
  for (const std::string value :
       {"short", "long enough to be one,short", ",long enough to be one"}) {
    variables_ = {{"PETREL_MAIN_SECRET", value}};
    EXPECT_EQ(error(),
              "PETREL_MAIN_SECRET: must be secrets of 16 characters at least, separated by ','");
  }
}

TEST_F(SettingsTest, ATokenSecretThatCanBeGuessedIsRefusedWithoutBeingShown) {
  for (const std::string value : {"a", "15 characters.."}) {
    variables_ = {{"PETREL_JWT_SECRET", value}};
    EXPECT_EQ(error().substr(0, 53), "PETREL_JWT_SECRET: must have 16 characters at least, ");
    EXPECT_EQ(error().find("15 char"), std::string::npos);
  }
  variables_ = {{"PETREL_JWT_SECRET", "16 characters..."}};
  EXPECT_EQ(read_settings(sources_)->jwt_secret, "16 characters...");
}

TEST_F(SettingsTest, TheLogHasALevelAndAForm) {
  EXPECT_EQ(read_settings(sources_)->log_level, log::Level::Info);
  EXPECT_EQ(read_settings(sources_)->log_format, LogFormat::Text);
  sources_.flags = {{"log-level", "debug"}, {"log-format", "json"}};
  EXPECT_EQ(read_settings(sources_)->log_level, log::Level::Debug);
  EXPECT_EQ(read_settings(sources_)->log_format, LogFormat::Json);
  sources_.flags = {{"log-level", "loud"}};
  EXPECT_EQ(error(), "--log-level: \"loud\" is not one of debug, info, warn and error");
  sources_.flags = {{"log-format", "xml"}};
  EXPECT_EQ(error(), "--log-format: \"xml\" is not one of text and json");
}

TEST_F(SettingsTest, MetricsHaveATokenAndAListenerOfTheirOwn) {
  EXPECT_EQ(read_settings(sources_)->metrics_listen, std::nullopt);
  EXPECT_EQ(read_settings(sources_)->metrics_endpoints, 20);
  sources_.flags = {{"metrics-listen", ":9464"},
                    {"metrics-token", "16 characters..."},
                    {"metrics-endpoints", "0"}};
  const Settings settings = *read_settings(sources_);
  EXPECT_EQ(settings.metrics_listen->host, "0.0.0.0");
  EXPECT_EQ(settings.metrics_listen->port, 9464);
  EXPECT_EQ(settings.metrics_token, "16 characters...");
  EXPECT_EQ(settings.metrics_endpoints, 0);

  sources_.flags = {{"metrics-listen", "9464"}};
  EXPECT_EQ(error().substr(0, 16), "--metrics-listen");
  sources_.flags = {{"metrics-endpoints", "501"}};
  EXPECT_EQ(error(), "--metrics-endpoints: must be a whole number between 0 and 500");
  sources_.flags = {{"metrics-token", "too short"}};
  EXPECT_EQ(error(),
            "--metrics-token: must have 16 characters at least: make one with `openssl rand "
            "-base64 32`");
}

TEST_F(SettingsTest, AFileWithAnUnknownKeyOrBadTomlIsRefused) {
  write_file("wings = 2\n");
  EXPECT_NE(error().find("\"wings\" is not a setting"), std::string::npos) << error();
  write_file("shards = \n");
  EXPECT_NE(error().find("line "), std::string::npos) << error();
  sources_.config_file = "/nowhere/at/all.toml";
  EXPECT_NE(error(), "");
}

TEST_F(SettingsTest, EverySettingHasAVariableNamedAfterIt) {
  EXPECT_EQ(environment_name("allow-subnets"), "PETREL_ALLOW_SUBNETS");
  for (const SettingSpec& spec : setting_specs()) EXPECT_FALSE(spec.help.empty());
}

}  // namespace
}  // namespace petrel::app
