// The comparison for a terminal: a table of the scores, and a plot of the requests.
//
// Thread: any.

#pragma once

#include <array>
#include <string>
#include <string_view>

#include "storm/comparison.h"

namespace petrel::storm {

// The columns that every form of the table shows after the policy and its guards.
inline constexpr std::array<std::string_view, 7> kColumns = {
    "peak/s", "crashes", "wasted", "dead", "drained after", "median delay", "neighbour p99"};

// A score's cells for these columns.
std::array<std::string, kColumns.size()> cells_of(const Score& score);

std::string score_table(const Comparison& comparison);

// One line for each run: how many requests came in each part of the window.
std::string request_plot(const Comparison& comparison);

}  // namespace petrel::storm
