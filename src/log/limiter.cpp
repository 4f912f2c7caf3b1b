#include "log/limiter.h"

namespace petrel::log {

bool Limiter::admit(Kind kind, MonoTime now) {
  const KindSpec& spec = spec_of(kind);
  if (spec.lines_max == kAll) return true;
  Span& span = spans_[static_cast<std::size_t>(kind)];
  // One with lines to be told of is over when they are.
  const bool is_over = span.lines > 0 && span.left_out == 0 && now - span.began >= kSpan;
  if (span.lines == 0 || is_over) span = {.began = now};
  if (span.lines >= spec.lines_max) {
    ++span.left_out;
    return false;
  }
  ++span.lines;
  return true;
}

std::vector<Limiter::LeftOut> Limiter::take_left_out(MonoTime now) {
  std::vector<LeftOut> all;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    Span& span = spans_[i];
    if (span.left_out == 0 || now - span.began < kSpan) continue;
    all.push_back({kKinds[i].kind, span.left_out});
    span = {};
  }
  return all;
}

std::vector<Limiter::LeftOut> Limiter::take_all_left_out() {
  return take_left_out(MonoTime::max());
}

}  // namespace petrel::log
