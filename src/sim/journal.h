// Journal is what happened in a simulated world, line by line: the same seed gives the same one,
// byte for byte, which its hash shows.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sim/world.h"

namespace petrel::sim {

class Journal {
 public:
  enum class What : std::uint8_t {
    Posted,    // To the node, by a producer; which post.
    Promised,  // The producer was told that it is accepted; which post.
    Refused,   // The producer was told to come back; which post.
    Written,   // The delivery is on disk.
    Sent,      // The outcome's way is not known yet.
    Arrived,   // At the receiver; 1 if it processed it.
    Ended,     // For us; the outcome's way.
    Recorded,  // Settled on disk; the new state.
    Crashed,
    Started,
    Stepped,  // The wall clock; by microseconds.
    Failed,   // The store failed or stalled us; which Fault.
  };
  static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

  explicit Journal(const World& world) : world_(world) {}

  // `who` is the number of a delivery, or kNobody.
  void add(What what, std::uint32_t who, std::int64_t detail);

  std::uint64_t hash() const { return hash_; }

  // The last lines about `who`, and about what happened to everybody meanwhile.
  std::string last_lines(std::uint32_t who, std::size_t count) const;

  // All of them, one per line.
  std::string text() const;

 private:
  struct Line {
    MonoTime mono;
    WallTime wall;
    What what;
    std::uint32_t who;
    std::int64_t detail;
  };

  void mix(std::uint64_t value);
  static std::string text_of(const Line& line);

  const World& world_;
  std::vector<Line> lines_;
  std::uint64_t hash_ = 14695981039346656037U;
};

}  // namespace petrel::sim
