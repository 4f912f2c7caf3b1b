#include "sim/draw_policy.h"

#include <algorithm>
#include <string_view>

#include "base/check.h"
#include "policy/presets.h"

namespace petrel::sim {
namespace {

using policy::Action;
using policy::FailureKind;
using policy::Jitter;
using policy::Rule;
using policy::Selector;
using policy::Strategy;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// As a person would write it down: in whole seconds.
Duration draw_delay(Dice& dice, Duration first, Duration last) {
  return std::chrono::ceil<seconds>(dice.spread(first, last));
}

Selector class_of(std::string_view text) { return *Selector::parse(text); }

Rule draw_rule(Dice& dice) {
  switch (dice.between(0, 6)) {
    case 0:
      return {Selector::status(404), Action::Fail};
    case 1:
      return {Selector::failure(FailureKind::Dns), Action::Retry, dice.between(1, 6)};
    case 2:
      return {class_of("5xx"), Action::Retry, dice.between(1, 4)};
    case 3:
      return {Selector::status(410), Action::Fail};
    case 4:
      return {Selector::status(429), Action::Fail};
    case 5:
      return {class_of("4xx"), Action::Retry};
    default:
      return {Selector::failure(FailureKind::Timeout), Action::Retry, dice.between(1, 3)};
  }
}

policy::Backoff draw_backoff(Dice& dice) {
  policy::Backoff backoff;
  backoff.strategy =
      dice.one_of({Strategy::Fixed, Strategy::Linear, Strategy::Exponential, Strategy::Schedule});
  backoff.delay_base =
      dice.chance(0.1) ? Duration::zero() : draw_delay(dice, seconds(1), minutes(5));
  backoff.multiplier = dice.between(10, 40) / 10.0;
  backoff.delay_max = std::max(backoff.delay_base, draw_delay(dice, minutes(1), hours(3)));
  backoff.jitter = dice.one_of(
      {Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Percent, Jitter::Decorrelated});
  if (backoff.jitter == Jitter::Percent) backoff.jitter_percent = dice.between(0, 100);
  if (backoff.strategy == Strategy::Schedule) {
    if (backoff.jitter == Jitter::Decorrelated) backoff.jitter = Jitter::Full;
    for (int i = dice.between(1, 6); i > 0; --i) {
      backoff.schedule.push_back(draw_delay(dice, seconds(1), backoff.delay_max));
    }
  }
  return backoff;
}

}  // namespace

policy::RetryPolicy draw_policy(Dice& dice) {
  if (dice.chance(0.3)) {
    const auto presets = policy::presets();
    return presets[dice.index(presets.size())].policy;
  }
  policy::RetryPolicy policy;
  policy.backoff = draw_backoff(dice);
  policy.attempts_max = dice.between(1, 9);
  policy.give_up_after = draw_delay(dice, minutes(5), hours(20));
  policy.retry_after_cap = draw_delay(dice, seconds(30), hours(6));
  if (dice.chance(0.4)) policy.rules.push_back(draw_rule(dice));
  CHECK(policy::validate(policy).ok());
  return policy;
}

}  // namespace petrel::sim
