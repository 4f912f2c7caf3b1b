#include "base/result.h"

namespace petrel {

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
    outer.field = parent;
  } else if (field.front() == '[') {
    outer.field = std::string(parent) + field;
  } else {
    outer.field = std::string(parent) + "." + field;
  }
  return outer;
}

Error invalid(std::string_view field, std::string_view detail) {
  return {ErrorKind::Invalid, std::string(field), std::string(detail)};
}
Error not_found(std::string_view detail) { return {ErrorKind::NotFound, {}, std::string(detail)}; }
Error conflict(std::string_view detail) { return {ErrorKind::Conflict, {}, std::string(detail)}; }
Error unavailable(std::string_view detail) {
  return {ErrorKind::Unavailable, {}, std::string(detail)};
}
Error corrupt(std::string_view detail) { return {ErrorKind::Corrupt, {}, std::string(detail)}; }

}  // namespace petrel
