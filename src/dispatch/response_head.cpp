#include "dispatch/response_head.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "net/http_bytes.h"

namespace petrel::dispatch {
namespace {

using Framing = ResponseHead::Framing;
using net::is_all_of;

constexpr std::string_view kLineEnd = "\r\n";

// A header that we hand on is not longer than any honest one.
constexpr std::size_t kValueMax = 256;

// 'd' is a digit, 'v' the minor version, 's' the first digit of a status.
constexpr std::string_view kStatusPattern = "HTTP/1.v sdd";

bool fits(char c, char pattern) {
  switch (pattern) {
    case 'd':
      return is_digit(c);
    case 's':
      return c >= '1' && c <= '9';
    case 'v':
      return c == '0' || c == '1';
    default:
      return c == pattern;
  }
}

// Calls `visit` with each element of a comma-separated list, trimmed.
template <typename Visit>
void for_each_element(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    visit(trim(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

class HeadParser {
 public:
  explicit HeadParser(ResponseHead& head) : head_(head) {}

  bool take_status_line(std::string_view line) {
    if (line.size() < kStatusPattern.size() || !can_begin_response(line)) return false;
    const std::string_view rest = line.substr(kStatusPattern.size());
    // Some leave out the space with the reason.
    if (!rest.empty() && (rest.front() != ' ' || !is_all_of(net::kValueBytes, rest))) return false;
    head_.status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    is_old_ = line[7] == '0';
    return true;
  }

  bool take_line(std::string_view line) {
    if (line.front() == ' ' || line.front() == '\t') return take_fold(line);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trim(line.substr(colon + 1));
    if (!is_all_of(net::kTokenBytes, name) || !is_all_of(net::kValueBytes, value)) return false;
    has_header_ = true;
    folded_value_ = nullptr;
    is_framing_line_ = false;
    take_meaning(name, value);
    return true;
  }

  void finish() {
    const int status = head_.status;
    const bool is_bodiless = status / 100 == 1 || status == 204 || status == 304;
    head_.keeps_alive = !closes_ && (!is_old_ || asks_to_keep_);
    head_.framing = is_bodiless ? Framing::None : framing();
    if (head_.framing == Framing::Unknown || head_.framing == Framing::UntilEnd) {
      head_.keeps_alive = false;
    }
  }

 private:
  // By length, as this is asked for every header.
  void take_meaning(std::string_view name, std::string_view value) {
    switch (name.size()) {
      case 4:
        if (equals_ignoring_case(name, "date")) keep(head_.date, value);
        return;
      case 10:
        if (equals_ignoring_case(name, "connection")) return take_connection(value);
        if (equals_ignoring_case(name, "keep-alive")) take_keep_alive(value);
        return;
      case 11:
        if (equals_ignoring_case(name, "retry-after")) keep(head_.retry_after, value);
        return;
      case 14:
        if (equals_ignoring_case(name, "content-length")) take_length(value);
        return;
      case 16:
        if (equals_ignoring_case(name, "webhook-delivery")) append_wish(value);
        return;
      case 17:
        if (equals_ignoring_case(name, "transfer-encoding")) take_coding(value);
        return;
      default:
        return;
    }
  }

  // The end of a header that is folded over lines, an old form. One that we would have acted on is
  // left out whole, or makes the framing unknown: half of it could mean something else.
  bool take_fold(std::string_view line) {
    if (!has_header_ || !is_all_of(net::kValueBytes, line)) return false;
    if (folded_value_ != nullptr) folded_value_->clear();
    is_contradiction_ = is_contradiction_ || is_framing_line_;
    return true;
  }

  void keep(std::string& kept, std::string_view value) {
    kept.assign(value.substr(0, kValueMax));
    folded_value_ = &kept;
  }

  // A list may come in several headers. One that does not fit is left out whole: half a word could
  // be another word.
  void append_wish(std::string_view value) {
    std::string& wish = head_.webhook_delivery;
    folded_value_ = &wish;
    if (wish.size() + 1 + value.size() > kValueMax) return;
    if (!wish.empty()) wish += ',';
    wish += value;
  }

  void take_connection(std::string_view value) {
    is_framing_line_ = true;
    for_each_element(value, [&](std::string_view option) {
      if (equals_ignoring_case(option, "close")) closes_ = true;
      if (equals_ignoring_case(option, "keep-alive")) asks_to_keep_ = true;
    });
  }

  void take_keep_alive(std::string_view value) {
    for_each_element(value, [&](std::string_view parameter) {
      const std::size_t equals = std::min(parameter.find('='), parameter.size());
      if (!equals_ignoring_case(trim(parameter.substr(0, equals)), "timeout")) return;
      const auto seconds =
          parse_digits(trim(parameter.substr(std::min(equals + 1, parameter.size()))));
      // A week is as good as any longer time, and fits whatever it is added to.
      constexpr std::int64_t kLongest = 7 * 24 * 3600;
      if (seconds) head_.keep_alive_timeout = std::chrono::seconds(std::min(*seconds, kLongest));
    });
  }

  void take_length(std::string_view value) {
    is_framing_line_ = true;
    const auto length = parse_digits(value);
    const bool is_another =
        has_length_ && (!length || head_.length != static_cast<std::uint64_t>(*length));
    if (!length || is_another) is_contradiction_ = true;
    has_length_ = true;
    if (length) head_.length = static_cast<std::uint64_t>(*length);
  }

  void take_coding(std::string_view value) {
    is_framing_line_ = true;
    if (is_chunked_) is_contradiction_ = true;  // Chunks must be the last coding.
    has_coding_ = true;
    for_each_element(value, [&](std::string_view coding) {
      if (is_chunked_) is_contradiction_ = true;
      is_chunked_ = equals_ignoring_case(coding, "chunked");
    });
  }

  Framing framing() const {
    const bool is_odd = has_coding_ && (has_length_ || is_old_);
    if (is_contradiction_ || is_odd) return Framing::Unknown;
    if (has_coding_) return is_chunked_ ? Framing::Chunked : Framing::UntilEnd;
    return has_length_ ? Framing::Length : Framing::UntilEnd;
  }

  ResponseHead& head_;
  bool is_old_ = false;  // HTTP/1.0.
  bool has_header_ = false;
  bool has_length_ = false;
  bool has_coding_ = false;
  bool is_chunked_ = false;
  bool is_contradiction_ = false;
  bool is_framing_line_ = false;
  bool closes_ = false;
  bool asks_to_keep_ = false;
  std::string* folded_value_ = nullptr;  // That the last header went to.
};

}  // namespace

void ResponseHead::clear() {
  status = 0;
  framing = Framing::UntilEnd;
  length = 0;
  keeps_alive = false;
  keep_alive_timeout.reset();
  retry_after.clear();
  date.clear();
  webhook_delivery.clear();
}

std::string_view parse_response_head(std::string_view text, ResponseHead& head) {
  head.clear();
  HeadParser parser(head);
  const std::size_t first = text.find(kLineEnd);
  if (!parser.take_status_line(text.substr(0, first))) return kNotWellFormed;
  text.remove_prefix(std::min(first + kLineEnd.size(), text.size()));
  for (;;) {
    const std::size_t end = text.find(kLineEnd);
    if (end == 0 || end == std::string_view::npos) break;
    if (!parser.take_line(text.substr(0, end))) return kNotWellFormed;
    text.remove_prefix(end + kLineEnd.size());
  }
  parser.finish();
  return {};
}

bool can_begin_response(std::string_view bytes) {
  const std::size_t size = std::min(bytes.size(), kStatusPattern.size());
  for (std::size_t i = 0; i < size; ++i) {
    if (!fits(bytes[i], kStatusPattern[i])) return false;
  }
  // A fourth digit would be no status.
  return bytes.size() <= size || bytes[size] == ' ' || bytes[size] == '\r';
}

}  // namespace petrel::dispatch
