// Policy is a retry policy as the judge reads it from the JSON that a person sent, by the
// contract's page and nothing else; and what that policy says about an outcome.
//
// The node has accepted the text, so a reading does not explain what is wrong with it: what cannot
// be read is left at its default.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "sim/judge/evidence.h"
#include "sim/judge/figures.h"

namespace petrel::sim::judge {

enum class Action : std::uint8_t { Retry, Fail, Pause, Success };

// What becomes of an attempt that ended so, and how often it may for one delivery.
struct Treatment {
  Action action = Action::Retry;
  std::optional<int> attempts_max = std::nullopt;
  std::string on = {};  // What `attempts_max` counts: a status, a class or an error's name.

  friend bool operator==(const Treatment&, const Treatment&) = default;
};

struct Policy {
  enum class Strategy : std::uint8_t { Fixed, Linear, Exponential, Schedule };
  enum class Jitter : std::uint8_t { None, Full, Equal, Decorrelated, Percent };

  Strategy strategy = Strategy::Exponential;
  Duration base = figures::kBaseDelay;
  double multiplier = figures::kMultiplier;
  Duration max = figures::kMaxDelay;
  std::vector<Duration> schedule = {};
  Jitter jitter = Jitter::Equal;
  int jitter_percent = 0;
  int attempts_max = figures::kMaxAttempts;
  Duration give_up_after = figures::kGiveUpAfter;
  Duration retry_after_cap = figures::kRetryAfterCap;
  std::vector<Treatment> rules = {};

  friend bool operator==(const Policy&, const Policy&) = default;
};

// An object, or a preset's name as a string.
Policy read_policy(const JsonValue& json);

// The preset of that name; the contract's default policy if there is none.
Policy preset(std::string_view name);

// "404", "dns", …: the most exact word for an outcome. Empty for what is no outcome of a receiver.
std::string word_of(Reply kind, int status);

// Whether a rule's `on` covers an outcome.
bool covers(std::string_view on, Reply kind, int status);

// REQUIRES: the outcome is neither a fault of ours nor Blocked.
Treatment treatment_of(const Policy& policy, Reply kind, int status);

}  // namespace petrel::sim::judge
