#include "intake/names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"

namespace petrel::intake {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_' ||
         c == '.';
}

Status check_name(std::string_view name, std::string_view also_allowed) {
  if (name.empty()) return invalid("", "must not be empty");
  if (name.size() > kNameLengthMax) {
    return invalid("", fmt::format("must not be longer than {} characters", kNameLengthMax));
  }
  const bool is_legal = std::all_of(name.begin(), name.end(), [&](char c) {
    return is_plain(c) || also_allowed.find(c) != std::string_view::npos;
  });
  if (is_legal) return Done{};
  std::string_view legal = "letters, digits, '-', '_' and '.'";
  if (!also_allowed.empty()) legal = "letters, digits, '-', '_', '.', ':' and '+'";
  return invalid("", fmt::format("{} may hold only {}", in_quotes(name), legal));
}

Status check_names(const std::vector<std::string>& names, std::size_t count_max,
                   std::string_view noun) {
  if (names.empty() || names.size() > count_max) {
    return invalid("", fmt::format("must be null or 1 to {} {}", count_max, noun));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Status status = check_name(names[i], ":+");
    if (!status.ok()) return status.error().under(fmt::format("[{}]", i));
  }
  return Done{};
}

}  // namespace

Status check_uid(std::string_view uid, std::string_view id_prefix) {
  TRY(check_name(uid, ""));
  if (uid.starts_with(id_prefix)) {
    return invalid("", fmt::format("must not begin with \"{}\", as ids do", id_prefix));
  }
  return Done{};
}

Status check_event_type(std::string_view name) { return check_name(name, ""); }

Status check_channels(const std::vector<std::string>& channels) {
  return check_names(channels, kChannelsMax, "channels");
}

Status check_tags(const std::vector<std::string>& tags) {
  return check_names(tags, kTagsMax, "tags");
}

}  // namespace petrel::intake
