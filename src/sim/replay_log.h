// ReplayLog is what happened while people replayed, line by line: the same seed gives the same
// lines, byte for byte, which the hash shows.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/world.h"

namespace petrel::sim {

class ReplayLog {
 public:
  explicit ReplayLog(const World& world) : world_(world) {}

  void add(std::string_view line);

  std::uint64_t hash() const { return hash_; }
  std::string last_lines(std::size_t count) const;
  std::string text() const { return last_lines(lines_.size()); }

 private:
  const World& world_;
  std::vector<std::string> lines_;
  std::uint64_t hash_ = 14695981039346656037U;
};

}  // namespace petrel::sim
