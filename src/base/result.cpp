#include "base/result.h"

namespace petrel {
namespace {

// Names of fields come from outside: one must not be able to flood or steer a log or a terminal.
constexpr std::size_t kFieldNameMax = 64;

std::string presentable(std::string_view name) {
  std::string result;
  for (const char c : name.substr(0, kFieldNameMax)) result += c >= 0x20 && c < 0x7f ? c : '?';
  if (name.size() > kFieldNameMax) result += "…";
  return result;
}

}  // namespace

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Invalid:
      return "invalid";
    case ErrorKind::NotFound:
      return "not found";
    case ErrorKind::Conflict:
      return "conflict";
    case ErrorKind::Unavailable:
      return "unavailable";
    case ErrorKind::Corrupt:
      return "corrupt";
  }
  return "unknown";
}

std::string Error::text() const { return field.empty() ? detail : field + ": " + detail; }

Error Error::under(std::string_view parent) const {
  Error outer = *this;
  if (field.empty()) {
    outer.field = presentable(parent);
  } else if (field.front() == '[') {
    outer.field = presentable(parent) + field;
  } else {
    outer.field = presentable(parent) + "." + field;
  }
  return outer;
}

Error invalid(std::string_view field, std::string_view detail) {
  return {ErrorKind::Invalid, presentable(field), std::string(detail)};
}
Error not_found(std::string_view detail) { return {ErrorKind::NotFound, {}, std::string(detail)}; }
Error conflict(std::string_view detail) { return {ErrorKind::Conflict, {}, std::string(detail)}; }
Error unavailable(std::string_view detail) {
  return {ErrorKind::Unavailable, {}, std::string(detail)};
}
Error corrupt(std::string_view detail) { return {ErrorKind::Corrupt, {}, std::string(detail)}; }

}  // namespace petrel
