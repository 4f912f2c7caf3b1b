#include "app/listen_address.h"

#include <fmt/format.h>

#include "base/text.h"

namespace petrel::app {

Result<ListenAddress> parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const auto port =
      colon == std::string_view::npos ? std::nullopt : parse_digits(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon == std::string_view::npos ? 0 : colon);
  const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  if (colon == 0) host = "0.0.0.0";
  if (host == "localhost") host = "127.0.0.1";
  const bool is_bare_v6 = !is_bracketed && host.find(':') != std::string_view::npos;
  if (!port || *port > 65535 || host.empty() || is_bare_v6) {
    return invalid("listen", fmt::format("{} is not an address and port; write one such as "
                                         "127.0.0.1:8071, [::1]:8071, or :8071 for all",
                                         in_quotes(text)));
  }
  return ListenAddress{std::string(host), static_cast<std::uint16_t>(*port)};
}

}  // namespace petrel::app
