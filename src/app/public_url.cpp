#include "app/public_url.h"

#include <fmt/format.h>

namespace petrel::app {

std::string listen_url(const Settings& settings, std::uint16_t port) {
  const std::string& host = settings.listen.host;
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", settings.tls.key.empty() ? "http" : "https",
                     is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
}

std::string public_url(const Settings& settings, std::uint16_t port) {
  return settings.public_url.empty() ? listen_url(settings, port) : settings.public_url;
}

}  // namespace petrel::app
