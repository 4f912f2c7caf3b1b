// TRY and ASSIGN_OR_RETURN hand an error on to the caller, in a function that returns a Result.
//
//   TRY(check_name(name));
//   TRY(under("body", read_endpoint(body, endpoint)));
//   ASSIGN_OR_RETURN(const JsonValue body, parse_json(text));
//
// Both are statements of their own: an `if` before them needs braces. The first part of
// ASSIGN_OR_RETURN takes no type with a comma in it; `const auto` does.
//
// Thread: any.

#pragma once

#include <string_view>
#include <utility>

#include "base/result.h"

namespace petrel {

// The same result; an error as it is seen from one level further out. See Error::under().
template <typename T>
Result<T> under(std::string_view parent, Result<T> result) {
  if (result.ok()) return result;
  return result.error().under(parent);
}

}  // namespace petrel

#define PETREL_JOINED_(a, b) a##b
#define PETREL_JOINED(a, b) PETREL_JOINED_(a, b)
#define PETREL_TRIED PETREL_JOINED(tried_, __LINE__)

#define TRY(...)                                         \
  do {                                                   \
    const auto PETREL_TRIED = (__VA_ARGS__);             \
    if (!PETREL_TRIED.ok()) return PETREL_TRIED.error(); \
  } while (false)

#define ASSIGN_OR_RETURN(declaration, ...)             \
  auto PETREL_TRIED = (__VA_ARGS__);                   \
  if (!PETREL_TRIED.ok()) return PETREL_TRIED.error(); \
  declaration = *std::move(PETREL_TRIED)
