#include "net/http_head.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "net/http_bytes.h"

namespace petrel::net {
namespace {

using Refused = std::optional<HttpRefusal>;

constexpr std::string_view kLineEnd = "\r\n";

Refused bad(std::string_view detail) { return HttpRefusal{400, detail}; }

constexpr ByteSet make_target_bytes() {
  ByteSet bytes{};
  for (std::size_t c = 0x21; c < 0x7f; ++c) bytes[c] = true;
  return bytes;
}

constexpr ByteSet kTargetBytes = make_target_bytes();

bool is_token(std::string_view text) { return !text.empty() && is_all_of(kTokenBytes, text); }

Refused take_target(std::string_view target, const HttpLimits& limits, HttpRequest& request) {
  if (target.size() > limits.target_bytes_max) {
    return HttpRefusal{414, "the request's target is too long"};
  }
  if (!is_all_of(kTargetBytes, target)) {
    return bad("the request's target holds a byte that must be escaped");
  }
  const bool is_about_all = target == "*" && request.method == "OPTIONS";
  if (!target.starts_with('/') && !is_about_all) {
    return bad("the request's target must be a path that begins with a slash");
  }
  request.target = target;
  return std::nullopt;
}

class HeadReader {
 public:
  explicit HeadReader(const HttpLimits& limits) : limits_(limits) {}

  Refused read(std::string_view text) {
    const std::size_t end = text.find(kLineEnd);
    if (Refused refused = take_request_line(text.substr(0, end))) return refused;
    text.remove_prefix(end + kLineEnd.size());
    for (;;) {
      const std::size_t line_end = text.find(kLineEnd);
      if (line_end == 0) return finish();
      if (Refused refused = take_line(text.substr(0, line_end))) return refused;
      text.remove_prefix(line_end + kLineEnd.size());
    }
  }

  HttpHead take() { return std::move(head_); }

 private:
  Refused take_request_line(std::string_view line) {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return not_a_request();
    const std::string_view method = line.substr(0, first);
    const std::string_view version = line.substr(last + 1);
    if (!is_token(method) || !version.starts_with("HTTP/")) return not_a_request();
    if (version != "HTTP/1.1" && version != "HTTP/1.0") {
      return HttpRefusal{505, "only HTTP/1.1 and HTTP/1.0 are spoken here"};
    }
    is_old_ = version == "HTTP/1.0";
    head_.keeps_alive = !is_old_;
    head_.request.method = method;
    return take_target(line.substr(first + 1, last - first - 1), limits_, head_.request);
  }

  static Refused not_a_request() { return bad("this is not a well-formed HTTP/1.1 request"); }

  Refused take_line(std::string_view line) {
    if (head_.request.headers.size() >= limits_.header_count_max) {
      return HttpRefusal{431, "the request has too many headers"};
    }
    if (line.front() == ' ' || line.front() == '\t') return bad("a header is folded over lines");
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    if (colon == std::string_view::npos || !is_token(name)) {
      return bad("a header's name is not well-formed");
    }
    const std::string_view value = trim(line.substr(colon + 1));
    if (!is_all_of(kValueBytes, value)) {
      return bad("a header holds a control byte");
    }
    head_.request.headers.emplace_back(name, value);
    return take_meaning(name, value);
  }

  // Of the headers that say how the request goes on.
  Refused take_meaning(std::string_view name, std::string_view value) {
    if (equals_ignoring_case(name, "content-length")) return take_length(value);
    if (equals_ignoring_case(name, "transfer-encoding")) return take_coding(value);
    if (equals_ignoring_case(name, "connection")) return take_connection(value);
    if (equals_ignoring_case(name, "expect")) return take_expectation(value);
    if (equals_ignoring_case(name, "host") && std::exchange(has_host_, true)) {
      return bad("the request has more than one Host");
    }
    return std::nullopt;
  }

  Refused take_length(std::string_view value) {
    if (std::exchange(has_length_, true)) return bad("the request has two Content-Lengths");
    const bool is_number = !value.empty() && std::all_of(value.begin(), value.end(), is_digit);
    if (!is_number) return bad("the Content-Length is not a number");
    const auto length = parse_digits(value);
    if (!length || static_cast<std::uint64_t>(*length) > limits_.body_bytes_max) {
      is_too_large_ = true;  // Said at the end: a malformed request is that first.
      return std::nullopt;
    }
    head_.content_length = static_cast<std::size_t>(*length);
    return std::nullopt;
  }

  Refused take_coding(std::string_view value) {
    const bool is_second = std::exchange(head_.is_chunked, true);
    if (is_second || !equals_ignoring_case(value, "chunked")) {
      return bad("the only Transfer-Encoding that is taken is chunked, once");
    }
    return std::nullopt;
  }

  Refused take_connection(std::string_view value) {
    while (!value.empty()) {
      const std::size_t comma = std::min(value.find(','), value.size());
      const std::string_view option = trim(value.substr(0, comma));
      if (equals_ignoring_case(option, "close")) closes_ = true;
      if (equals_ignoring_case(option, "keep-alive")) head_.keeps_alive = true;
      value.remove_prefix(std::min(comma + 1, value.size()));
    }
    return std::nullopt;
  }

  Refused take_expectation(std::string_view value) {
    if (!equals_ignoring_case(value, "100-continue")) {
      return HttpRefusal{417, "the only expectation that is met is 100-continue"};
    }
    head_.expects_continue = !is_old_;
    return std::nullopt;
  }

  Refused finish() {
    if (!has_host_ && !is_old_) return bad("the request has no Host");
    if (head_.is_chunked && has_length_) {
      return bad("the request has both a Content-Length and a Transfer-Encoding");
    }
    if (head_.is_chunked && is_old_) return bad("HTTP/1.0 has no Transfer-Encoding");
    if (is_too_large_) return HttpRefusal{413, "the request's body is too large"};
    if (closes_) head_.keeps_alive = false;
    return std::nullopt;
  }

  const HttpLimits& limits_;
  HttpHead head_;
  bool is_old_ = false;
  bool has_host_ = false;
  bool has_length_ = false;
  bool is_too_large_ = false;
  bool closes_ = false;
};

}  // namespace

std::variant<HttpHead, HttpRefusal> parse_http_head(std::string_view text,
                                                    const HttpLimits& limits) {
  HeadReader reader(limits);
  if (const Refused refused = reader.read(text)) return *refused;
  return reader.take();
}

bool can_begin_http(char c) { return kTokenBytes[static_cast<unsigned char>(c)]; }

}  // namespace petrel::net
