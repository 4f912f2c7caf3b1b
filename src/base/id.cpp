#include "base/id.h"

#include <fmt/format.h>

#include "base/text.h"

namespace petrel {

Result<Ksuid> parse_id(std::string_view prefix, std::string_view text) {
  if (text.substr(0, prefix.size()) != prefix) {
    return invalid("", fmt::format("{} does not begin with \"{}\"", in_quotes(text), prefix));
  }
  const auto ksuid = Ksuid::parse(text.substr(prefix.size()));
  if (!ksuid) {
    return invalid("", fmt::format("{} is not an id: \"{}\" is followed by {} letters and digits",
                                   in_quotes(text), prefix, Ksuid::kTextLength));
  }
  return *ksuid;
}

}  // namespace petrel
