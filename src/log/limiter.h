// Limiter keeps one kind of line from burying the others: of each kind so many are written within a
// span of time, and the rest is counted, to be told when the span is over.
//
//   20 × delivery.dead, then 480 more within the same 10 s
//     →  20 lines, and 10 s after the first: "480 more lines like delivery.dead were left out"
//
// Time is handed in, never read.
//
// Thread: confined.

#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "log/kind.h"

namespace petrel::log {

class Limiter {
 public:
  static constexpr Duration kSpan = std::chrono::seconds(10);

  struct LeftOut {
    Kind kind;
    std::uint64_t lines;

    friend bool operator==(const LeftOut&, const LeftOut&) = default;
  };

  // Whether a line of that kind is written now. If not, it is counted. The first one begins a span,
  // and so does the first after a span that is over and told.
  bool admit(Kind kind, MonoTime now);

  // What was left out in spans that are over by now: each is told once.
  std::vector<LeftOut> take_left_out(MonoTime now);

  // The same of all spans: the log ends.
  std::vector<LeftOut> take_all_left_out();

 private:
  struct Span {
    MonoTime began{};
    std::uint32_t lines = 0;  // 0: none is running.
    std::uint64_t left_out = 0;
  };

  std::array<Span, kKinds.size()> spans_{};
};

}  // namespace petrel::log
