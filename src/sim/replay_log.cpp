#include "sim/replay_log.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/rfc3339.h"

namespace petrel::sim {

void ReplayLog::add(std::string_view line) {
  const double seconds = static_cast<double>(world_.now().time_since_epoch().count()) / 1e6;
  lines_.push_back(
      fmt::format("{:>14.6f} s  {}  {}\n", seconds, to_rfc3339(world_.clock().wall()), line));
  for (const char letter : lines_.back()) {
    hash_ = (hash_ ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  }
}

std::string ReplayLog::last_lines(std::size_t count) const {
  std::string text;
  const std::size_t first = lines_.size() - std::min(count, lines_.size());
  for (std::size_t i = first; i < lines_.size(); ++i) text += lines_[i];
  return text;
}

}  // namespace petrel::sim
