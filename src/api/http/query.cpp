#include "api/http/query.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/rfc3339.h"
#include "base/text.h"

namespace petrel::api {
namespace {

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string form_decoded(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decoded(spaced);
}

// What stands before `separator`, which is taken off the text along with it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool names_list(std::string_view parameter, std::string_view name) {
  if (!parameter.starts_with(name)) return false;
  parameter.remove_prefix(name.size());
  if (parameter.empty()) return true;
  if (parameter.size() < 2 || parameter.front() != '[' || parameter.back() != ']') return false;
  const std::string_view index = parameter.substr(1, parameter.size() - 2);
  return std::all_of(index.begin(), index.end(), is_digit);
}

Error wrong(std::string_view name, std::string_view detail) {
  return invalid(name, detail).under("query");
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool has_two = text[i] == '%' && i + 2 < text.size();
    const int high = has_two ? hex_digit(text[i + 1]) : -1;
    const int low = has_two ? hex_digit(text[i + 2]) : -1;
    if (high >= 0 && low >= 0) {
      result += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

Query::Query(std::string_view text) {
  while (!text.empty()) {
    std::string_view pair = take_until(text, '&');
    const std::string_view name = take_until(pair, '=');
    if (!name.empty()) parameters_.emplace_back(form_decoded(name), form_decoded(pair));
  }
}

std::string_view Query::text(std::string_view name) const {
  const auto found = std::find_if(parameters_.rbegin(), parameters_.rend(),
                                  [&](const auto& each) { return each.first == name; });
  return found == parameters_.rend() ? std::string_view() : found->second;
}

Result<bool> Query::flag(std::string_view name, bool if_absent) const {
  const std::string_view value = text(name);
  if (value.empty()) return if_absent;
  if (equals_ignoring_case(value, "true")) return true;
  if (equals_ignoring_case(value, "false")) return false;
  return wrong(name, "must be true or false");
}

Result<std::optional<std::int64_t>> Query::number(std::string_view name) const {
  const std::string_view value = text(name);
  if (value.empty()) return std::optional<std::int64_t>();
  const std::optional<std::int64_t> number = parse_digits(value);
  if (!number) return wrong(name, "must be a whole number");
  return number;
}

Result<std::optional<WallTime>> Query::time(std::string_view name) const {
  std::string value(text(name));
  if (value.empty()) return std::optional<WallTime>();
  // An offset's plus sign that was not percent-encoded has become a space.
  if (value.size() > 6 && value[value.size() - 6] == ' ' && value[value.size() - 3] == ':' &&
      value.find(':') < value.size() - 6) {
    value[value.size() - 6] = '+';
  }
  const Result<WallTime> time = parse_rfc3339(value);
  if (!time.ok()) return wrong(name, time.error().detail);
  return std::optional<WallTime>(*time);
}

std::vector<std::string> Query::list(std::string_view name) const {
  std::vector<std::string> items;
  for (const auto& [parameter, value] : parameters_) {
    if (!names_list(parameter, name)) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::string_view item = take_until(rest, ',');
      if (!item.empty()) items.emplace_back(item);
    }
  }
  return items;
}

}  // namespace petrel::api
