#include "dispatch/custom_header.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace petrel::dispatch {
namespace {

constexpr std::size_t kNameMax = 256;
constexpr std::size_t kValueMax = 8 * 1024;

constexpr std::array<std::string_view, 14> kOurs = {
    "accept-encoding", "connection", "content-encoding", "content-length",    "content-type",
    "expect",          "host",       "http2-settings",   "keep-alive",        "te",
    "trailer",         "upgrade",    "user-agent",       "transfer-encoding",
};

constexpr std::array<std::string_view, 3> kOurPrefixes = {"webhook-", "svix-", "proxy-"};

bool is_token_character(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
         kMarks.find(c) != std::string_view::npos;
}

bool is_value_character(char c) { return c == '\t' || (c >= 0x20 && c <= 0x7e); }

bool is_ours(std::string_view name) {
  const auto is_name = [&](std::string_view ours) { return equals_ignoring_case(name, ours); };
  const auto is_prefix = [&](std::string_view prefix) {
    return equals_ignoring_case(name.substr(0, prefix.size()), prefix);
  };
  return std::any_of(kOurs.begin(), kOurs.end(), is_name) ||
         std::any_of(kOurPrefixes.begin(), kOurPrefixes.end(), is_prefix);
}

}  // namespace

Status check_custom_header(std::string_view name, std::string_view value) {
  if (name.empty() || name.size() > kNameMax ||
      !std::all_of(name.begin(), name.end(), is_token_character)) {
    return invalid("", fmt::format("{} is not the name of a header", in_quotes(name)));
  }
  if (is_ours(name)) {
    return invalid("",
                   fmt::format("{} is set by the server and cannot be changed", in_quotes(name)));
  }
  if (value.size() > kValueMax) {
    return invalid("", fmt::format("the value of {} is longer than 8 KiB", in_quotes(name)));
  }
  if (!std::all_of(value.begin(), value.end(), is_value_character)) {
    return invalid("", fmt::format("the value of {} holds characters that no header may have",
                                   in_quotes(name)));
  }
  return Done{};
}

}  // namespace petrel::dispatch
