#include "policy/classify.h"

#include "base/check.h"

namespace petrel::policy {
namespace {

constexpr int kAmbiguousMax = 3;

Rule built_in_answer(int status) {
  const Selector on = Selector::status(status);
  switch (status) {
    case 404:
      return {on, Action::Retry, kAmbiguousMax};
    case 410:
      return {on, Action::Pause};
    case 408:
    case 429:
      return {on, Action::Retry};
    default:
      break;
  }
  switch (status / 100) {
    case 2:
      return {on, Action::Success};
    case 3:
    case 4:
      return {on, Action::Fail};
    default:
      return {on, Action::Retry};
  }
}

Rule built_in_failure(FailureKind kind) {
  const Selector on = Selector::failure(kind);
  if (kind == FailureKind::Dns) return {on, Action::Retry, kAmbiguousMax};
  return {on, Action::Retry};
}

}  // namespace

Rule classify(const Outcome& outcome, std::span<const Rule> rules) {
  const Rule* best = nullptr;
  for (const Rule& rule : rules) {
    if (!rule.on.matches(outcome)) continue;
    if (best == nullptr || rule.on.is_exact()) best = &rule;
  }
  if (best != nullptr) return *best;
  CHECK(outcome.is_answer() || outcome.kind() == Outcome::Kind::Failed);
  return outcome.is_answer() ? built_in_answer(outcome.status())
                             : built_in_failure(outcome.failure());
}

}  // namespace petrel::policy
