#include "app/settings.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "api/http/rate_limit.h"
#include "app/config_file.h"
#include "app/start_lines.h"
#include "app/unknown_settings.h"
#include "base/byte_text.h"
#include "base/duration_text.h"
#include "base/text.h"
#include "base/try.h"
#include "base/url.h"
#include "net/subnet_list.h"
#include "policy/presets.h"
#include "policy/retry_policy_json.h"

namespace petrel::app {
namespace {

using Setter = std::function<Status(Settings&, const std::string&)>;

template <typename T>
Status put(Result<T> value, T& place) {
  if (!value.ok()) return value.error();
  place = *std::move(value);
  return Done{};
}

Setter text(std::string Settings::*member) {
  return [member](Settings& settings, const std::string& value) -> Status {
    settings.*member = value;
    return Done{};
  };
}

Setter tls_file(std::string net::TlsFiles::*member) {
  return [member](Settings& settings, const std::string& value) -> Status {
    settings.tls.*member = value;
    return Done{};
  };
}

Setter duration(Duration Settings::*member, Duration least, Duration most) {
  return [=](Settings& settings, const std::string& value) -> Status {
    ASSIGN_OR_RETURN(const Duration parsed, parse_duration(value));
    if (parsed < least || parsed > most) {
      return invalid("", fmt::format("must be between {} and {}", to_text(least), to_text(most)));
    }
    settings.*member = parsed;
    return Done{};
  };
}

Setter retention(std::optional<Duration> model::RetentionSettings::*member) {
  return [=](Settings& settings, const std::string& value) -> Status {
    ASSIGN_OR_RETURN(const Duration parsed, parse_duration(value));
    if (parsed < model::kRetentionMin || parsed > model::kRetentionMax) {
      return invalid("", fmt::format("must be between {} and {}", to_text(model::kRetentionMin),
                                     to_text(model::kRetentionMax)));
    }
    settings.retention.*member = parsed;
    return Done{};
  };
}

Status set_disk_max(Settings& settings, const std::string& value) {
  return put(parse_bytes(value), settings.disk_bytes_max);
}

template <typename T>
Setter number(T Settings::*member, std::int64_t least, std::int64_t most) {
  return [=](Settings& settings, const std::string& value) -> Status {
    const auto parsed = parse_digits(value);
    if (!parsed || *parsed < least || *parsed > most) {
      return invalid("", fmt::format("must be a whole number between {} and {}", least, most));
    }
    settings.*member = static_cast<T>(*parsed);
    return Done{};
  };
}

Status set_memory_max(Settings& settings, const std::string& value) {
  constexpr std::uint64_t kLeast = std::uint64_t{128} << 20U;
  ASSIGN_OR_RETURN(const std::uint64_t bytes, parse_bytes(value));
  if (bytes < kLeast) return invalid("", "must be at least " + to_byte_text(kLeast));
  settings.memory_max = static_cast<std::size_t>(bytes);
  return Done{};
}

Status set_listen(Settings& settings, const std::string& value) {
  Result<ListenAddress> address = parse_listen_address(value);
  if (!address.ok()) return invalid("", address.error().detail);
  settings.listen = *std::move(address);
  return Done{};
}

Status set_metrics_listen(Settings& settings, const std::string& value) {
  settings.metrics_listen.reset();
  if (value.empty()) return Done{};
  Result<ListenAddress> address = parse_listen_address(value);
  if (!address.ok()) return invalid("", address.error().detail);
  settings.metrics_listen = *std::move(address);
  return Done{};
}

Status set_public_url(Settings& settings, const std::string& value) {
  ASSIGN_OR_RETURN(const Url url, Url::parse(value));
  if (url.target.find('?') != std::string::npos) {
    return invalid("", "must not have a query: links are made by adding to it");
  }
  settings.public_url = url.text();
  while (settings.public_url.ends_with('/')) settings.public_url.pop_back();
  return Done{};
}

Status set_trusted_proxies(Settings& settings, const std::string& value) {
  return put(net::parse_subnets(value), settings.trusted_proxies);
}

// Shorter ones can be found by trying.
constexpr std::size_t kCharactersMin = 16;

// What they say must not show in an error: they are secrets.
Status set_jwt_secret(Settings& settings, const std::string& value) {
  if (!value.empty() && value.size() < kCharactersMin) {
    return invalid("", fmt::format("must have {} characters at least, or the holder of any token "
                                   "can find it and make others: leave it out, and a good one is "
                                   "made, or make one with `openssl rand -base64 32`",
                                   kCharactersMin));
  }
  settings.jwt_secret = value;
  return Done{};
}

Status set_metrics_token(Settings& settings, const std::string& value) {
  if (!value.empty() && value.size() < kCharactersMin) {
    return invalid("", fmt::format("must have {} characters at least: make one with `openssl rand "
                                   "-base64 32`",
                                   kCharactersMin));
  }
  settings.metrics_token = value;
  return Done{};
}

Status set_main_secret(Settings& settings, const std::string& value) {
  settings.main_secret.clear();
  for (std::string_view rest = value; !rest.empty();) {
    const std::string_view secret = trim(rest.substr(0, rest.find(',')));
    if (secret.size() < kCharactersMin) {
      return invalid("", fmt::format("must be secrets of {} characters at least, separated by ','",
                                     kCharactersMin));
    }
    settings.main_secret.emplace_back(secret);
    rest.remove_prefix(std::min(rest.size(), rest.find(',')));
    if (!rest.empty()) rest.remove_prefix(1);
  }
  return Done{};
}

Status set_retry_policy(Settings& settings, const std::string& value) {
  const bool is_json = value.starts_with('{') || value.starts_with('"');
  return put(is_json ? policy::parse_policy(value) : policy::find_preset(value),
             settings.retry_policy);
}

Status set_log_level(Settings& settings, const std::string& value) {
  return put(log::parse_level(value), settings.log_level);
}

Status set_log_format(Settings& settings, const std::string& value) {
  if (value != "text" && value != "json") {
    return invalid("", in_quotes(value) + " is not one of text and json");
  }
  settings.log_format = value == "json" ? LogFormat::Json : LogFormat::Text;
  return Done{};
}

std::vector<SettingSpec> make_specs() {
  using std::chrono::hours;
  using std::chrono::seconds;
  constexpr std::int64_t kMebibyte = 1024 * 1024;
  return {
      {"listen", "Address and port (127.0.0.1:8071)", set_listen},
      {"store", "Folder of the embedded store (./petrel-data)", text(&Settings::store)},
      {"jwt-secret", "Signs the bearer tokens (made on first start)", set_jwt_secret},
      {"main-secret", "Seals the endpoints' secrets; the new one first, then old ones",
       set_main_secret},
      {"allow-subnets", "Private ranges to deliver to, such as 127.0.0.0/8,10.1.0.0/16",
       text(&Settings::allow_subnets)},
      {"proxy", "Deliver through http://host:port or socks5://host:port", text(&Settings::proxy)},
      {"ca-file", "Certificates to trust instead of the system's", text(&Settings::ca_file)},
      {"nameservers", "DNS servers to ask instead of the system's", text(&Settings::nameservers)},
      {"tls-cert", "Certificate chain of the listener, a PEM file",
       tls_file(&net::TlsFiles::certificate)},
      {"tls-key", "Its key, a PEM file", tls_file(&net::TlsFiles::key)},
      {"public-url", "What links to this server begin with (http:// and where it listens)",
       set_public_url},
      {"trusted-proxies", "Subnets whose X-Forwarded-For counts, such as 10.0.0.0/8",
       set_trusted_proxies},
      {"rate-limit", "Requests a second for each token; 0: no limit (0)",
       number(&Settings::rate_limit, 0, api::RateLimit::kPerSecondMax)},
      {"metrics-token", "Bearer token for /metrics", set_metrics_token},
      {"metrics-listen", "Address and port of the metrics' own listener", set_metrics_listen},
      {"metrics-endpoints", "Endpoints with series of their own in the metrics (20)",
       number(&Settings::metrics_endpoints, 0, 500)},
      {"shards", "Event loops (one per core)", number(&Settings::shards, 1, 256)},
      {"retry-policy", "Preset or JSON, for endpoints without one (standard-webhooks)",
       set_retry_policy},
      {"timeout", "Deadline of an attempt (15s)",
       duration(&Settings::timeout, seconds(1), seconds(300))},
      {"shutdown-grace", "How long to wait for attempts in flight (20s)",
       duration(&Settings::shutdown_grace, seconds(0), hours(1))},
      {"retention", "How long what has ended is kept, from 1h (90d)",
       retention(&model::RetentionSettings::ended)},
      {"retention-payloads", "The same for payloads, from their acceptance (as retention)",
       retention(&model::RetentionSettings::payloads)},
      {"retention-attempts", "The same for attempts (as retention)",
       retention(&model::RetentionSettings::attempts)},
      {"retention-dead-letters", "The same for dead letters, from their death (as retention)",
       retention(&model::RetentionSettings::dead_letters)},
      {"disk-max", "Disk that the store may take, such as 200GB; 0: no limit (0)", set_disk_max},
      {"payload-bytes-max", "Largest request body (1048576)",
       number(&Settings::payload_bytes_max, 1024, 64 * kMebibyte)},
      {"memory-max", "Memory to use, such as 512MiB (half of what the machine allows)",
       set_memory_max},
      {"block-cache-mib", "Memory for reading the store (an eighth of memory-max, 64 at most)",
       number(&Settings::block_cache_mib, 8, 1024 * 1024)},
      {"write-buffer-mib", "Memory for writing the store (an eighth of memory-max, 64 at most)",
       number(&Settings::write_buffer_mib, 8, 1024 * 1024)},
      {"log-level", "Least level to log: debug, info, warn or error (info)", set_log_level},
      {"log-format", "Lines of the log as text or json (text)", set_log_format},
  };
}

}  // namespace

std::span<const SettingSpec> setting_specs() {
  static const std::vector<SettingSpec> kSpecs = make_specs();
  return kSpecs;
}

std::string environment_name(std::string_view setting) {
  std::string name = "PETREL_";
  for (const char c : setting) name += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  return name;
}

Result<Settings> read_settings(const SettingSources& sources) {
  std::map<std::string, std::string> file;
  if (!sources.config_file.empty()) {
    ASSIGN_OR_RETURN(file, read_config_file(sources.config_file));
  }

  Settings settings;
  settings.retry_policy = *policy::find_preset(policy::kDefaultPreset);
  for (const SettingSpec& spec : setting_specs()) {
    const std::string name(spec.name);
    const auto in_file = file.extract(name);
    const auto flag = sources.flags.find(name);
    const std::string variable = environment_name(name);
    std::string origin;
    std::string given;
    if (flag != sources.flags.end()) {
      origin = "--" + name;
      given = flag->second;
    } else if (const auto value = sources.environment(variable)) {
      origin = variable;
      given = *value;
    } else if (!in_file.empty()) {
      origin = sources.config_file + ": " + name;
      given = in_file.mapped();
    }
    if (origin.empty()) continue;
    const Status status = spec.set(settings, given);
    if (!status.ok()) return invalid(origin, status.error().text());
    settings.given.push_back({name, origin, shown_value(name, given)});
  }
  if (!file.empty()) {
    return invalid(sources.config_file, unknown_key(file.begin()->first));
  }
  if (settings.tls.certificate.empty() != settings.tls.key.empty()) {
    return invalid(settings.tls.key.empty() ? "tls-key" : "tls-cert",
                   "is missing: TLS needs both tls-cert and tls-key");
  }
  return settings;
}

}  // namespace petrel::app
