#include "app/public_url.h"

#include <fmt/format.h>

namespace petrel::app {

namespace {

std::string url_of(const Settings& settings, const std::string& host, std::uint16_t port) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", settings.tls.key.empty() ? "http" : "https",
                     is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
}

}  // namespace

std::string listen_url(const Settings& settings, std::uint16_t port) {
  return url_of(settings, settings.listen.host, port);
}

std::string metrics_url(const Settings& settings, std::uint16_t port) {
  return url_of(settings, settings.metrics_listen->host, port);
}

std::string own_url(const Settings& settings, std::uint16_t port) {
  Settings seen = settings;
  if (settings.listen.host == "0.0.0.0") seen.listen.host = "127.0.0.1";
  if (settings.listen.host == "::") seen.listen.host = "::1";
  return listen_url(seen, port);
}

std::string public_url(const Settings& settings, std::uint16_t port) {
  return settings.public_url.empty() ? listen_url(settings, port) : settings.public_url;
}

}  // namespace petrel::app
