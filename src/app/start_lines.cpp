#include "app/start_lines.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/public_url.h"
#include "app/version.h"

namespace petrel::app {
namespace {

using log::Kind;
using log::Words;

// Not here: jwt-secret, main-secret, metrics-token.
constexpr std::string_view kHarmless[] = {
    "listen",
    "store",
    "allow-subnets",
    "proxy",
    "ca-file",
    "nameservers",
    "tls-cert",
    "tls-key",
    "public-url",
    "trusted-proxies",
    "rate-limit",
    "shards",
    "retry-policy",
    "timeout",
    "shutdown-grace",
    "retention",
    "retention-payloads",
    "retention-attempts",
    "retention-dead-letters",
    "disk-max",
    "payload-bytes-max",
    "memory-max",
    "block-cache-mib",
    "write-buffer-mib",
    "log-level",
    "log-format",
    "metrics-listen",
    "metrics-endpoints",
};

// "http://name:password@proxy:8080" without the name and the password.
std::string without_credentials(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t at = url.rfind('@');
  if (at == std::string_view::npos || at < begin) return std::string(url);
  return std::string(url.substr(0, begin)) + "…" + std::string(url.substr(at));
}

std::string absolute(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path found = std::filesystem::absolute(path, failed);
  return failed ? path : found.lexically_normal().string();
}

}  // namespace

std::optional<std::string> shown_value(std::string_view setting, std::string_view value) {
  if (std::find(std::begin(kHarmless), std::end(kHarmless), setting) == std::end(kHarmless)) {
    return std::nullopt;
  }
  return setting == "proxy" ? without_credentials(value) : std::string(value);
}

void log_start(log::Log& log, const Settings& settings) {
  log.tell(Kind::ServerStarting, [&] {
    Words words{fmt::format("petrel {} starts", version_text()), {{"version", kVersion}}};
    if (!build_commit().empty()) words.fields.emplace_back("commit", build_commit());
    words.fields.emplace_back("store", absolute(settings.store));
    words.fields.emplace_back("pid", ::getpid());
    return words;
  });
  for (const GivenSetting& given : settings.given) {
    log.tell(Kind::ServerSetting, [&] {
      Words words{given.shown ? fmt::format("{} is {}", given.name, *given.shown)
                              : fmt::format("{} is set", given.name),
                  {{"setting", given.name}}};
      if (given.shown) words.fields.emplace_back("value", *given.shown);
      words.fields.emplace_back("from", given.origin);
      return words;
    });
  }
}

void log_listening(log::Log& log, const Settings& settings, std::uint16_t port,
                   std::size_t shards) {
  log.tell(Kind::ServerListening, [&] {
    const std::string url = listen_url(settings, port);
    return Words{"requests are taken at " + url, {{"url", url}, {"shards", shards}}};
  });
}

}  // namespace petrel::app
