#include "net/http_message.h"

#include <boost/beast/http/status.hpp>

#include "base/text.h"

namespace petrel::net {

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (equals_ignoring_case(key, name)) return value;
  }
  return {};
}

std::string_view reason_phrase(int status) {
  const auto code = boost::beast::http::int_to_status(static_cast<unsigned>(status));
  const auto text = boost::beast::http::obsolete_reason(code);
  return {text.data(), text.size()};
}

}  // namespace petrel::net
