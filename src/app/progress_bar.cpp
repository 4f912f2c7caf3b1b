#include "app/progress_bar.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace petrel::app {
namespace {

constexpr Duration kPatience = std::chrono::seconds(1);
constexpr Duration kLeastPause = std::chrono::milliseconds(100);
constexpr int kCells = 24;
constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

ProgressBar::ProgressBar(const Clock& clock, std::FILE* out)
    : clock_(clock), out_(out), begin_(clock.mono()) {}

ProgressBar::~ProgressBar() {
  if (!drawn_at_) return;
  fmt::print(out_, "{}", kClearLine);
  std::fflush(out_);
}

void ProgressBar::show(double share, std::string_view what) {
  if (out_ == nullptr) return;
  const MonoTime now = clock_.mono();
  if (now - begin_ < kPatience) return;
  if (drawn_at_ && now - *drawn_at_ < kLeastPause) return;
  drawn_at_ = now;
  fmt::print(out_, "{}{}", kClearLine, bar_text(share, what));
  std::fflush(out_);
}

std::string bar_text(double share, std::string_view what) {
  share = std::clamp(share, 0.0, 1.0);
  const int full = static_cast<int>(std::floor(share * kCells));
  std::string cells;
  for (int i = 0; i < kCells; ++i) cells += i < full ? "█" : "░";
  return fmt::format("[{}] {:3.0f} %  {}", cells, std::floor(share * 100), what);
}

}  // namespace petrel::app
