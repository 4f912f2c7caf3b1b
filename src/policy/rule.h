// Rule is one line of a policy that says what an outcome means: `{"on": "404", "action": "fail"}`.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/outcome.h"

namespace petrel::policy {

enum class Action : std::uint8_t {
  Success,  // Delivered.
  Retry,    // Try again, by the policy's schedule.
  Fail,     // Final: the delivery is dead at once.
  Pause,    // Final, and the endpoint is paused: it told us to stop.
};

std::string_view to_string(Action action);

// The error's field is left empty, for the caller to name.
Result<Action> parse_action(std::string_view text);

// Selector is what a rule looks for: a status ("404"), a class of them ("5xx"), or a kind of
// failure ("dns").
class Selector {
 public:
  // The error's field is left empty, for the caller to name.
  static Result<Selector> parse(std::string_view text);
  static Selector status(int status) { return Selector(Kind::Status, status); }
  static Selector failure(FailureKind kind) {
    return Selector(Kind::Failure, static_cast<int>(kind));
  }

  bool matches(const Outcome& outcome) const;

  // Whether it names one status or failure rather than a class.
  bool is_exact() const { return kind_ != Kind::Class; }

  // Whether it looks for an answer rather than for the lack of one.
  bool is_answer() const { return kind_ != Kind::Failure; }

  std::string text() const;

  friend bool operator==(const Selector&, const Selector&) = default;

 private:
  enum class Kind : std::uint8_t { Status, Class, Failure };

  Selector(Kind kind, int code) : kind_(kind), code_(code) {}

  Kind kind_;
  int code_;
};

struct Rule {
  Selector on;
  Action action = Action::Retry;

  // How many attempts of one delivery may end this way; with the last of them it is dead. Only
  // together with Retry.
  std::optional<int> attempts_max = std::nullopt;

  friend bool operator==(const Rule&, const Rule&) = default;
};

}  // namespace petrel::policy
