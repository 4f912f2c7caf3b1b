#include "storm/table.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "storm/numbers.h"

namespace petrel::storm {
namespace {

constexpr std::size_t kPlotColumns = 64;

std::string time_cell(const std::optional<Duration>& time) { return time ? to_words(*time) : "–"; }

// Padded by what is seen: fmt counts the dash as one column too.
std::string padded(std::string_view text, std::size_t width) {
  return fmt::format("{:>{}}", text, width);
}

std::size_t name_width(const Comparison& comparison) {
  std::size_t width = std::string_view("policy").size();
  for (const Run& run : comparison.runs) width = std::max(width, run.contender.name.size());
  return width;
}

// The name once, then the other runs of the same policy below it.
std::string_view name_in(const Comparison& comparison, std::size_t i) {
  const std::string& name = comparison.runs[i].contender.name;
  return i > 0 && comparison.runs[i - 1].contender.name == name ? std::string_view() : name;
}

std::size_t column_of(const Window& window, Duration at) {
  const double place = place_in(window, at) * static_cast<double>(kPlotColumns);
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(kPlotColumns)));
}

std::string away_line(const Scenario& scenario, const Window& window) {
  const std::size_t from = column_of(window, scenario.outage_at);
  const std::size_t to = std::max(column_of(window, scenario.recovery()), from + 1);
  std::string line(from, ' ');
  constexpr std::string_view kAway = " away ";
  const std::size_t width = to - from;
  if (width < kAway.size() + 2) {
    for (std::size_t i = 0; i < width; ++i) line += "░";
    return line + " away";
  }
  const std::size_t left = (width - kAway.size()) / 2;
  for (std::size_t i = 0; i < left; ++i) line += "░";
  line += kAway;
  for (std::size_t i = left + kAway.size(); i < width; ++i) line += "░";
  return line;
}

std::string plot_line(const Run& run, const Window& window, int capacity) {
  constexpr std::array<std::string_view, 8> kLevels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<bool> has_crash(kPlotColumns, false);
  for (const Duration crash : run.timeline.crashes) {
    const std::size_t column = column_of(window, crash);
    if (column < kPlotColumns) has_crash[column] = true;
  }
  const std::vector<int> highest = peaks(run.timeline.requests, window, kPlotColumns);
  std::string line;
  for (std::size_t i = 0; i < kPlotColumns; ++i) {
    if (has_crash[i]) {
      line += "✗";
    } else if (highest[i] > capacity) {
      line += "▲";
    } else if (highest[i] == 0) {
      line += " ";
    } else {
      line += kLevels[static_cast<std::size_t>((highest[i] * 8 - 1) / capacity)];
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::array<std::string, kColumns.size()> cells_of(const Score& score) {
  std::string dead = with_commas(score.dead);
  if (score.unfinished > 0) dead += fmt::format(" (+{} open)", with_commas(score.unfinished));
  return {with_commas(score.peak_per_second), with_commas(score.crashes),
          with_commas(score.wasted),          dead,
          time_cell(score.drained_after),     time_cell(score.delay_p50),
          time_cell(score.neighbour_p99)};
}

std::string score_table(const Comparison& comparison) {
  std::vector<std::array<std::string, kColumns.size()>> rows;
  std::array<std::size_t, kColumns.size()> widths{};
  for (const Run& run : comparison.runs) rows.push_back(cells_of(run.score));
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    widths[i] = kColumns[i].size();
    for (const auto& row : rows) widths[i] = std::max(widths[i], row[i].size());
  }
  const std::size_t width = name_width(comparison);
  std::string table = fmt::format("{:<{}}  guards", "policy", width);
  for (std::size_t i = 0; i < kColumns.size(); ++i) table += "  " + padded(kColumns[i], widths[i]);
  table += "\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Run& run = comparison.runs[r];
    table += fmt::format("{:<{}}  {:<6}", name_in(comparison, r), width,
                         run.contender.is_guarded ? "on" : "off");
    for (std::size_t i = 0; i < kColumns.size(); ++i) table += "  " + padded(rows[r][i], widths[i]);
    table += run.score.is_paused ? "  the endpoint was paused\n" : "\n";
  }
  return table;
}

std::string request_plot(const Comparison& comparison) {
  const Window window = window_of(comparison);
  const int capacity = comparison.scenario.receiver.capacity;
  const std::size_t width = name_width(comparison);
  std::string plot = fmt::format(
      "requests a second at the receiver: █ its capacity of {}/s, ▲ more, ✗ it fell over\n"
      "{:<{}}  guards  {}\n",
      with_commas(capacity), "policy", width, away_line(comparison.scenario, window));
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const Run& run = comparison.runs[i];
    std::string line =
        fmt::format("{:<{}}  {:<6}  {}", name_in(comparison, i), width,
                    run.contender.is_guarded ? "on" : "off", plot_line(run, window, capacity));
    line.erase(line.find_last_not_of(' ') + 1);
    plot += line + "\n";
  }
  const Duration column = window.length() / static_cast<int>(kPlotColumns);
  plot += fmt::format("{:<{}}          each column is {}, {} in all\n", "", width, to_words(column),
                      to_words(window.length()));
  return plot;
}

}  // namespace petrel::storm
