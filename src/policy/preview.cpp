#include "policy/preview.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/check.h"
#include "base/duration_text.h"

namespace petrel::policy {
namespace {

constexpr std::size_t kSpreadParts = 10;

// What one attempt number looked like over all samples.
struct Column {
  std::vector<Duration> waits;
  double since_first_sum = 0;  // A double: the sum of a million weeks does not fit into a Duration.
};

// How the sample ends. Empty if it is delivered.
std::optional<DeadReason> play(const RetryPolicy& policy, Random& random,
                               std::vector<Column>& columns) {
  const WallTime start{};
  WallTime now = start;
  WallTime before = start;
  Progress progress;
  for (std::size_t i = 0;; ++i) {
    if (i < columns.size()) {
      columns[i].waits.push_back(now - before);
      columns[i].since_first_sum += static_cast<double>((now - start).count());
    }
    const AttemptEnd end{.outcome = Outcome::answered(503),
                         .retry_after = std::nullopt,
                         .started_at = now,
                         .ended_at = now};
    Decision decision = decide(policy, progress, end, random);
    if (const auto* dead = std::get_if<Dead>(&decision.fate)) return dead->reason;
    const auto* again = std::get_if<TryAgain>(&decision.fate);
    if (again == nullptr) return std::nullopt;
    before = now;
    now = again->at;
    progress = std::move(decision.progress);
  }
}

Duration mean_of(double sum, std::size_t count) {
  return Duration(std::llround(sum / static_cast<double>(count)));
}

std::vector<double> spread_of(const std::vector<Duration>& sorted) {
  std::vector<double> parts(kSpreadParts, 0.0);
  const auto width = static_cast<std::size_t>((sorted.back() - sorted.front()).count()) + 1;
  for (const Duration wait : sorted) {
    const auto where = static_cast<std::size_t>((wait - sorted.front()).count());
    parts[where * kSpreadParts / width] += 1.0 / static_cast<double>(sorted.size());
  }
  return parts;
}

PreviewRow summarise(int attempt, Column& column) {
  std::vector<Duration>& waits = column.waits;
  std::sort(waits.begin(), waits.end());
  const std::size_t p99 = (waits.size() * 99 + 99) / 100 - 1;  // Nearest rank.
  const double sum = std::accumulate(
      waits.begin(), waits.end(), 0.0,
      [](double total, Duration wait) { return total + static_cast<double>(wait.count()); });
  return {.attempt = attempt,
          .samples = static_cast<int>(waits.size()),
          .min = waits.front(),
          .mean = mean_of(sum, waits.size()),
          .p99 = waits[p99],
          .max = waits.back(),
          .cumulative_mean = mean_of(column.since_first_sum, waits.size()),
          .spread = spread_of(waits)};
}

std::string plot(const PreviewRow& row) {
  if (row.min == row.max) return "";
  constexpr std::array<std::string_view, 9> kLevels = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double most = *std::max_element(row.spread.begin(), row.spread.end());
  std::string bars;
  for (const double share : row.spread) {
    bars += kLevels[static_cast<std::size_t>(share / most * 8.0 + 0.5)];
  }
  return bars;
}

}  // namespace

Preview preview(const RetryPolicy& policy, const PreviewSettings& settings) {
  const int rows = std::min(policy.attempts_max, settings.rows_max);
  CHECK(settings.samples >= 1 && rows >= 1);
  CHECK(std::int64_t{settings.samples} * rows <= kSampledAttemptsMax);
  Random random(settings.seed);
  std::vector<Column> columns(static_cast<std::size_t>(rows));
  std::map<std::optional<DeadReason>, int> endings;
  for (int i = 0; i < settings.samples; ++i) ++endings[play(policy, random, columns)];

  Preview result;
  const auto is_rarer = [](const auto& a, const auto& b) { return a.second < b.second; };
  result.ends = std::max_element(endings.begin(), endings.end(), is_rarer)->first;
  for (std::size_t i = 0; i < columns.size() && !columns[i].waits.empty(); ++i) {
    result.rows.push_back(summarise(static_cast<int>(i) + 1, columns[i]));
  }
  return result;
}

void write_preview(const Preview& preview, JsonWriter& json) {
  json.begin_object();
  json.key("attempts").begin_array();
  for (const PreviewRow& row : preview.rows) {
    json.begin_object();
    json.field("n", row.attempt);
    json.field("minMs", whole_milliseconds(row.min));
    json.field("meanMs", whole_milliseconds(row.mean));
    json.field("p99Ms", whole_milliseconds(row.p99));
    json.field("maxMs", whole_milliseconds(row.max));
    json.field("cumulativeMeanMs", whole_milliseconds(row.cumulative_mean));
    json.end_object();
  }
  json.end_array();
  json.field("ends", preview.ends ? to_string(*preview.ends) : "delivered");
  json.end_object();
}

std::string preview_table(const Preview& preview) {
  std::string table =
      fmt::format("{:>7}  {:>9}  {:>9}  {:>9}  {:>9}  {:>11}  {}\n", "attempt", "min", "mean",
                  "p99", "max", "since first", "spread (min to max)");
  for (const PreviewRow& row : preview.rows) {
    std::string line = fmt::format("{:>7}  {:>9}  {:>9}  {:>9}  {:>9}  {:>11}  {}", row.attempt,
                                   to_words(row.min), to_words(row.mean), to_words(row.p99),
                                   to_words(row.max), to_words(row.cumulative_mean), plot(row));
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

}  // namespace petrel::policy
