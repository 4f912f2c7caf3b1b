// The comparison as a page for a browser: the scenario, the table, the pictures and how to read
// them, in one file that asks nothing of the network.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include "storm/comparison.h"

namespace petrel::storm {

// `command` is what a reader types to get the same page.
std::string page(const Comparison& comparison, std::string_view command);

}  // namespace petrel::storm
