#include "net/http_response_writer.h"

#include <iterator>

#include <fmt/format.h>

#include "base/http_date.h"

namespace petrel::net {

bool may_have_body(int status) { return status != 204 && status != 304; }

std::string http_response_head(const HttpResponse& response, HttpResponseForm form, WallTime now) {
  const bool has_no_body = !may_have_body(response.status);
  std::string text;
  text.reserve(1024);
  auto out = std::back_inserter(text);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                 reason_phrase(response.status), to_http_date(now));
  if (!has_no_body) fmt::format_to(out, "Content-Length: {}\r\n", response.body.size());
  if (!response.body.empty()) {
    fmt::format_to(out, "Content-Type: {}\r\n", response.content_type);
  }
  for (const auto& [name, value] : response.headers) {
    fmt::format_to(out, "{}: {}\r\n", name, value);
  }
  text += form.keeps_alive ? "\r\n" : "Connection: close\r\n\r\n";
  return text;
}

}  // namespace petrel::net
