#include "storm/comparison.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/duration_text.h"
#include "policy/retry_policy_json.h"
#include "storm/numbers.h"

namespace petrel::storm {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);
constexpr int kOutagesShownMax = 4;  // After the recovery.

Duration end_of(const Run& run, const Scenario& scenario) {
  if (run.score.drained_after) return scenario.recovery() + *run.score.drained_after;
  return static_cast<std::int64_t>(run.timeline.requests.size()) * kSecond;
}

}  // namespace

Window window_of(const Comparison& comparison) {
  const Scenario& scenario = comparison.scenario;
  const Duration lead = std::max(scenario.outage / 10, kSecond);
  Duration to = scenario.recovery() + std::max(scenario.outage / 2, kSecond);
  for (const Run& run : comparison.runs) to = std::max(to, end_of(run, scenario) + lead);
  to = std::min(to, scenario.recovery() + kOutagesShownMax * scenario.outage);
  return {.from = std::max(scenario.outage_at - lead, Duration::zero()), .to = to};
}

double place_in(const Window& window, Duration at) {
  return static_cast<double>((at - window.from).count()) /
         static_cast<double>(window.length().count());
}

std::vector<int> peaks(const std::vector<int>& seconds, const Window& window, std::size_t columns) {
  CHECK(columns >= 1);
  std::vector<int> highest(columns, 0);
  const auto count = static_cast<std::int64_t>(columns);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto first = (window.from + window.length() * i / count) / kSecond;
    const Duration end = window.from + window.length() * (i + 1) / count;
    for (auto second = first; second * kSecond < end; ++second) {
      const auto at = static_cast<std::size_t>(second);
      if (at >= seconds.size()) break;
      int& high = highest[static_cast<std::size_t>(i)];
      high = std::max(high, seconds[at]);
    }
  }
  return highest;
}

std::vector<const Run*> best_of(const Comparison& comparison) {
  CHECK(!comparison.runs.empty());
  const Score& best = std::min_element(comparison.runs.begin(), comparison.runs.end(),
                                       [](const Run& one, const Run& other) {
                                         return is_better(one.score, other.score);
                                       })
                          ->score;
  std::vector<const Run*> chosen;
  for (const Run& run : comparison.runs) {
    const Score& score = run.score;
    const bool is_as_kind = score.crashes == best.crashes && score.lost() == best.lost();
    const bool is_as_soon =
        best.drained_after
            ? score.drained_after &&
                  *score.drained_after <= *best.drained_after + *best.drained_after / 10
            : !score.drained_after;
    if (is_as_kind && is_as_soon) chosen.push_back(&run);
  }
  return chosen;
}

std::string full_name(const Contender& contender) {
  return contender.name + (contender.is_guarded ? " with the guards" : " alone");
}

std::string verdict(const Comparison& comparison) {
  const std::vector<const Run*> best = best_of(comparison);
  std::string alone;
  std::string guarded;
  for (const Run* run : best) {
    std::string& names = run->contender.is_guarded ? guarded : alone;
    names += (names.empty() ? "" : ", ") + run->contender.name;
  }
  if (!guarded.empty()) guarded = "with the guards " + guarded;
  if (!alone.empty()) alone = (guarded.empty() ? "alone " : "; alone ") + alone;
  const Score& score = best.front()->score;
  const std::string drained = score.drained_after
                                  ? "drained " + to_words(*score.drained_after) + " after recovery"
                                  : std::string("not drained when the run ended");
  return fmt::format("Best here{}: {}{}. {}, {} not delivered, {}.",
                     best.size() > 1 ? ", and too close to tell apart" : "", guarded, alone,
                     counted(score.crashes, "crash", "crashes"),
                     counted(score.lost(), "message", "messages"), drained);
}

void write_comparison(const Comparison& comparison, JsonWriter& json) {
  json.begin_object();
  json.key("scenario");
  write_scenario(comparison.scenario, json);
  json.key("runs").begin_array();
  for (const Run& run : comparison.runs) {
    json.begin_object();
    json.field("policy", run.contender.name);
    json.key("retryPolicy");
    policy::write_policy_whole(run.contender.policy, json);
    json.field("guards", run.contender.is_guarded);
    json.key("score");
    write_score(run.score, json);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace petrel::storm
