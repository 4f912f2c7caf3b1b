#include "base/url.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace petrel {
namespace {

constexpr std::size_t kNameMax = 253;
constexpr std::size_t kLabelMax = 63;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_';
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// What browsers and inet_aton() take for a part of an IPv4 address: 127, 0177, 0x7f.
bool is_number(std::string_view label) {
  if (label.starts_with("0x")) {
    return std::all_of(label.begin() + 2, label.end(), is_hex);
  }
  return std::all_of(label.begin(), label.end(), is_digit);
}

// Why `name`, in lower case, cannot be a host; empty if it can.
std::string_view objection(std::string_view name) {
  if (name.empty()) return "has no host";
  if (name.size() > kNameMax) return "has too long a host";
  std::string_view rest = name;
  std::string_view label;
  for (;;) {
    const std::size_t dot = rest.find('.');
    label = rest.substr(0, dot);
    if (label.empty()) return "has a host with an empty part between dots or at its end";
    if (label.size() > kLabelMax) return "has a host with a part of more than 63 characters";
    if (!std::all_of(label.begin(), label.end(), is_name_character)) {
      return "has a host with characters that no name has";
    }
    if (dot == std::string_view::npos) break;
    rest = rest.substr(dot + 1);
  }
  if (is_number(label)) return "has an IPv4 address that is not in the form 192.0.2.1";
  return {};
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

Error refuse(std::string_view why) { return invalid("", fmt::format("the URL {}", why)); }

// "example.com:80" taken apart. Empty, or why it is refused.
std::string_view take_authority(std::string_view authority, Url& url) {
  if (authority.find('@') != std::string_view::npos) {
    return "must not hold a user name or password";
  }
  const bool has_brackets = authority.starts_with('[');
  const std::size_t bracket = has_brackets ? authority.find(']') : 0;
  if (bracket == std::string_view::npos) return "has a host that is neither a name nor an address";
  const std::size_t host_size = std::min(authority.find(':', bracket), authority.size());
  const std::string host = lower(authority.substr(0, host_size));

  if (has_brackets) {
    if (host.find('%') != std::string::npos) return "has an IPv6 address with a zone";
    url.ip = IpAddress::parse(std::string_view(host).substr(1, bracket - 1));
    if (!url.ip || url.ip->is_v4() || host.size() != bracket + 1) {
      return "has a host that is neither a name nor an address";
    }
  } else {
    url.ip = IpAddress::parse(host);
    const std::string_view why = url.ip ? std::string_view() : objection(host);
    if (!why.empty()) return why;
  }
  url.host = url.ip ? url.ip->text() : host;

  url.port = url.is_https ? 443 : 80;
  const std::string_view port = authority.substr(host_size);
  if (port.size() <= 1) return {};
  const auto number = parse_digits(port.substr(1));
  if (!number || *number < 1 || *number > 65535) return "has a port that is not in 1 … 65535";
  url.port = static_cast<std::uint16_t>(*number);
  return {};
}

// The scheme in front of its colon, or nothing if there is none.
std::string_view scheme_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view scheme = text.substr(0, colon);
  const bool is_scheme =
      is_letter(scheme.front()) && std::all_of(scheme.begin(), scheme.end(), [](char c) {
        return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
      });
  return is_scheme ? scheme : std::string_view();
}

// Whether a path and a query are made of what RFC 3986 lets them be made of.
bool is_target(std::string_view text) {
  constexpr std::string_view kMarks = "-._~!$&'()*+,;=:@/?";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      const std::string_view escaped = text.substr(i + 1, 2);
      if (escaped.size() < 2 || !is_hex_digit(escaped[0]) || !is_hex_digit(escaped[1]))
        return false;
      i += 2;
    } else if (!is_letter(c) && !is_digit(c) && kMarks.find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  if (text.empty()) return refuse("is empty");
  if (text.size() > kLengthMax) return refuse("is longer than 2048 characters");
  const bool has_odd_byte = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f;
  });
  if (has_odd_byte) return refuse("holds a space, a control byte or a character beyond ASCII");

  const std::string_view scheme = scheme_of(text);
  if (scheme.empty()) return refuse("is not well-formed");
  Url url;
  url.is_https = equals_ignoring_case(scheme, "https");
  if (!url.is_https && !equals_ignoring_case(scheme, "http")) {
    return refuse("must begin with https:// or http://");
  }
  std::string_view rest = text.substr(scheme.size() + 1);
  if (!rest.starts_with("//")) return refuse("has no host");
  if (rest.find('#') != std::string_view::npos) return refuse("must not have a fragment (#…)");
  rest.remove_prefix(2);

  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view why = take_authority(rest.substr(0, end), url);
  if (!why.empty()) return refuse(why);
  rest.remove_prefix(end);
  if (!is_target(rest)) return refuse("is not well-formed");
  url.target = rest.starts_with('/') ? rest : "/" + std::string(rest);
  return url;
}

std::string Url::authority() const {
  const bool is_v6 = ip && !ip->is_v4();
  const std::string shown = is_v6 ? "[" + host + "]" : host;
  if (port == (is_https ? 443 : 80)) return shown;
  return fmt::format("{}:{}", shown, port);
}

std::string Url::origin() const {
  const bool is_v6 = ip && !ip->is_v4();
  return fmt::format("{}://{}{}{}:{}", is_https ? "https" : "http", is_v6 ? "[" : "", host,
                     is_v6 ? "]" : "", port);
}

std::string Url::text() const {
  return fmt::format("{}://{}{}", is_https ? "https" : "http", authority(), target);
}

}  // namespace petrel
