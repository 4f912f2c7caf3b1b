// ProgressBar tells a waiting person how far a long command is, on one line that it writes over and
// takes away at the end.
//
//   [██████████░░░░░░░░░░░░░░]  42 %  storm-safe
//
// It shows nothing in the first second: what is quick needs no bar.
//
// Thread: confined.

#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/time.h"

namespace petrel::app {

class ProgressBar {
 public:
  // `out` is null if it is not a terminal.
  //
  // REQUIRES: `clock` outlives it.
  ProgressBar(const Clock& clock, std::FILE* out);
  ~ProgressBar();

  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // May be called as often as one likes; it draws ten times a second at most. `share` is 0 to 1.
  void show(double share, std::string_view what);

 private:
  const Clock& clock_;
  std::FILE* out_;
  MonoTime begin_;
  std::optional<MonoTime> drawn_at_;
};

// The bar itself, without moving any cursor.
std::string bar_text(double share, std::string_view what);

}  // namespace petrel::app
