#include "sim/journal.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/rfc3339.h"
#include "model/delivery.h"
#include "policy/outcome.h"
#include "sim/fault.h"

namespace petrel::sim {
namespace {

constexpr std::array<std::string_view, 12> kWords = {"posted",  "promised", "refused", "written",
                                                     "sent",    "arrived",  "ended",   "recorded",
                                                     "CRASHED", "STARTED",  "STEPPED", "store"};

std::string detail_text(Journal::What what, std::int64_t detail) {
  switch (what) {
    case Journal::What::Ended:
      return policy::Outcome::from_way(static_cast<std::uint16_t>(detail)).text();
    case Journal::What::Recorded:
      return std::string(to_string(static_cast<model::DeliveryState>(detail)));
    case Journal::What::Arrived:
      return detail != 0 ? "processed" : "not processed";
    case Journal::What::Failed:
      return std::string(to_string(static_cast<Fault>(detail)));
    default:
      return fmt::format("{}", detail);
  }
}

}  // namespace

void Journal::mix(std::uint64_t value) {
  constexpr std::uint64_t kPrime = 1099511628211U;
  hash_ = (hash_ ^ value) * kPrime;
  hash_ ^= hash_ >> 29U;
}

void Journal::add(What what, std::uint32_t who, std::int64_t detail) {
  const Line line{world_.now(), world_.clock().wall(), what, who, detail};
  lines_.push_back(line);
  mix(static_cast<std::uint64_t>(line.mono.time_since_epoch().count()));
  mix(static_cast<std::uint64_t>(line.wall.time_since_epoch().count()));
  mix(static_cast<std::uint64_t>(what) << 32U | who);
  mix(static_cast<std::uint64_t>(detail));
}

std::string Journal::text_of(const Line& line) {
  const double seconds = static_cast<double>(line.mono.time_since_epoch().count()) / 1e6;
  const std::string who = line.who == kNobody ? "" : fmt::format("#{}", line.who);
  return fmt::format("{:>14.6f} s  {}  {:>7}  {:<9} {}\n", seconds, to_rfc3339(line.wall), who,
                     kWords[static_cast<std::size_t>(line.what)],
                     detail_text(line.what, line.detail));
}

std::string Journal::last_lines(std::uint32_t who, std::size_t count) const {
  std::vector<std::string> found;
  for (auto line = lines_.rbegin(); line != lines_.rend() && found.size() < count; ++line) {
    const bool is_for_all = line->what >= What::Crashed && line->what < What::Failed;
    if (line->who == who || is_for_all) found.push_back(text_of(*line));
  }
  std::string text;
  for (auto line = found.rbegin(); line != found.rend(); ++line) text += *line;
  return text;
}

std::string Journal::text() const {
  std::string text;
  for (const Line& line : lines_) text += text_of(line);
  return text;
}

}  // namespace petrel::sim
