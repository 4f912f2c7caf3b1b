// Result<T> is either a value or the Error that kept us from having one.
//
//   Result<Duration> delay = parse_duration("30s");
//   if (!delay.ok()) return delay.error();
//   use(*delay);
//
// There are five kinds of error, told apart by what the caller can do about them. A sixth needs a
// caller that would act on it. A failed delivery is not an error: it is a policy::Outcome.
//
// An ignored Result does not compile.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"

namespace petrel {

enum class ErrorKind {
  Invalid,      // The input is wrong: say which field and why; repeating it will not help.
  NotFound,     // There is no such thing.
  Conflict,     // It clashes with what is there already.
  Unavailable,  // Not now: the store, the disk or the network is away. Try again later.
  Corrupt,      // What was stored cannot be trusted.
};

std::string_view to_string(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::Invalid;
  std::string field;   // Where in the input, as a path: "rules[2].on". Empty if nowhere special.
  std::string detail;  // What is wrong, in words that a person can act on.

  // "rules[2].on: is not a status", or just the detail if there is no field.
  std::string text() const;

  // The same error seen from one level further out: "on" under "rules[2]" is "rules[2].on". A name
  // is cut at 64 characters, and what is not plain ASCII in it is shown as '?'.
  Error under(std::string_view parent) const;

  friend bool operator==(const Error&, const Error&) = default;
};

Error invalid(std::string_view field, std::string_view detail);
Error not_found(std::string_view detail);
Error conflict(std::string_view detail);
Error unavailable(std::string_view detail);
Error corrupt(std::string_view detail);

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }

  // REQUIRES: ok().
  const T& value() const& {
    CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T& value() & {
    CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  // REQUIRES: !ok().
  const Error& error() const {
    CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

// The Result of an act that gives nothing back.
struct Done {
  friend bool operator==(const Done&, const Done&) = default;
};
using Status = Result<Done>;

}  // namespace petrel
