// The comparison as a picture: one panel for each policy, all on the same axes, with the policy
// alone and under the guards laid over each other.
//
// The picture is SVG that stands by itself: no script, no font, no file from elsewhere. Its colours
// follow the reader's light or dark setting.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>

#include "storm/comparison.h"

namespace petrel::storm {

enum class Subject {
  Requests,  // A second, at the receiver, with its capacity and where it fell over.
  Waiting,   // Messages neither delivered nor dead.
};

// To be put into a page that has chart_style().
std::string chart(const Comparison& comparison, Subject subject);

// A file of its own.
std::string chart_file(const Comparison& comparison, Subject subject);

// The style sheet's part for charts, with the colours that the rest of a page may use too: --ink,
// --soft, --line, --page, --alone, --guarded, --away.
std::string_view chart_style();

// Text as it may stand in HTML and SVG.
std::string escaped(std::string_view text);

}  // namespace petrel::storm
