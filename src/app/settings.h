// Settings are what an operator can say about a server, each in three ways: a flag, an environment
// variable, or a line in a TOML file. The first of these that says something wins.
//
//   --listen 0.0.0.0:8071      PETREL_LISTEN=0.0.0.0:8071      listen = "0.0.0.0:8071"
//
// The table in settings.cpp is the only list of them: the flags, the names of the variables, the
// keys of the file and the help text all come from it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/listen_address.h"
#include "app/stderr_log.h"
#include "base/ip_address.h"
#include "base/result.h"
#include "base/time.h"
#include "model/retention.h"
#include "net/tls_files.h"
#include "policy/retry_policy.h"

namespace petrel::app {

// One that was set, for the log.
struct GivenSetting {
  std::string name;
  std::string origin;                // "--timeout", "PETREL_TIMEOUT", "petrel.toml: timeout"
  std::optional<std::string> shown;  // Its value. Empty if that is nobody's business.
};

struct Settings {
  ListenAddress listen{.host = "127.0.0.1", .port = 8071};
  std::string store = "./petrel-data";
  std::string jwt_secret;  // Empty: made on the first start and kept in the store's folder.
  // What the store's secrets are sealed with: the first seals, the others only open. Empty: made on
  // the first start and kept in the store's folder.
  std::vector<std::string> main_secret;
  std::string allow_subnets;  // Private ranges that receivers may be in.
  std::string proxy;
  std::string ca_file;
  std::string nameservers;
  net::TlsFiles tls;       // Of the listener. Both or none.
  std::string public_url;  // What links to us begin with, without a slash at its end; see there.
  std::vector<Subnet> trusted_proxies;
  int rate_limit = 0;                           // Requests a second for each token. 0: none.
  int shards = 0;                               // 0: one per core.
  std::string metrics_token;                    // Opens /metrics. Empty: none.
  std::optional<ListenAddress> metrics_listen;  // Where they are. Empty: at `listen`.
  int metrics_endpoints = 20;                   // That have series of their own in the metrics.
  policy::RetryPolicy retry_policy;
  Duration timeout = std::chrono::seconds(15);
  Duration shutdown_grace = std::chrono::seconds(20);
  model::RetentionSettings retention{.ended = model::kRetentionDefault};
  std::uint64_t disk_bytes_max = 0;  // Of the store's folder. 0: no limit.
  std::size_t payload_bytes_max = 1024 * 1024;
  std::size_t memory_max = 0;        // Bytes. 0: half of what the machine allows.
  std::size_t block_cache_mib = 0;   // 0: by memory_max; see memory_shares.h.
  std::size_t write_buffer_mib = 0;  // The same.
  log::Level log_level = log::Level::Info;
  LogFormat log_format = LogFormat::Text;

  std::vector<GivenSetting> given;  // In the order of setting_specs().

  // By flags of `serve` alone, each for one start: not to be left in a file.
  bool accepts_data_loss = false;  // Go on without what a missing or cut log held.
  bool makes_secret_anew = false;  // Make a jwt-secret although the store had another.
};

struct SettingSpec {
  std::string_view name;  // "allow-subnets": --allow-subnets, PETREL_ALLOW_SUBNETS
  std::string_view help;
  std::function<Status(Settings&, const std::string&)> set;
};

std::span<const SettingSpec> setting_specs();

// "PETREL_ALLOW_SUBNETS" for "allow-subnets".
std::string environment_name(std::string_view setting);

// Where the values come from. A source that says nothing about a setting leaves it out.
struct SettingSources {
  std::map<std::string, std::string> flags;
  std::function<std::optional<std::string>(const std::string& variable)> environment;
  std::string config_file;  // Empty: none.
};

// Puts them together. The error's field says which flag, variable or key is wrong.
Result<Settings> read_settings(const SettingSources& sources);

}  // namespace petrel::app
