#include "app/policy_argument.h"

#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "policy/presets.h"
#include "policy/retry_policy_json.h"

namespace petrel::app {
namespace {

// Far more than any policy needs; a wrong file name must not read a disk into memory.
constexpr std::size_t kPolicyFileBytesMax = 1024 * 1024;

Result<std::string> read_policy_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_found(fmt::format("cannot read the file {}", path));
  std::string text(kPolicyFileBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) return unavailable(fmt::format("cannot read the file {}", path));
  if (text.size() > kPolicyFileBytesMax) return invalid("", fmt::format("{} is too large", path));
  return text;
}

}  // namespace

Result<policy::RetryPolicy> read_policy(const std::string& argument) {
  if (argument.starts_with('@')) {
    ASSIGN_OR_RETURN(const std::string text, read_policy_file(argument.substr(1)));
    return policy::parse_policy(text);
  }
  const std::string_view text = trim(argument);
  if (text.starts_with('{') || text.starts_with('"')) return policy::parse_policy(text);
  return policy::find_preset(text);
}

}  // namespace petrel::app
