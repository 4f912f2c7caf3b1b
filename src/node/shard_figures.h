// ShardFigures is what a shard says of its lanes for the metrics; FigureBoard is where all shards
// say it, each as of its last survey.
//
// Thread: ShardFigures: any, a value. FigureBoard: safe.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/id.h"
#include "base/time.h"

namespace petrel::node {

// The attempts of an endpoint that have failed within the last hour.
struct EndpointFailures {
  EndpointId endpoint;
  std::uint64_t failures = 0;

  friend bool operator==(const EndpointFailures&, const EndpointFailures&) = default;
};

struct ShardFigures {
  std::size_t lanes = 0;
  std::size_t circuits_open = 0;
  std::size_t circuits_half_open = 0;
  int in_flight = 0;

  // The earliest due moment of what waits, of lanes that are neither paused nor disabled: with a
  // closed circuit, and with one that is not. It may lie ahead.
  std::optional<WallTime> first_due = std::nullopt;
  std::optional<WallTime> first_due_behind_circuit = std::nullopt;

  // Of all lanes, and of those that have the most, the most first.
  std::uint64_t failures = 0;
  std::vector<EndpointFailures> failing = {};

  // As of what is added to it.
  ShardFigures& operator+=(const ShardFigures& other);

  // Keeps the lanes that fail most. REQUIRES: what counts for the order is there.
  void keep_most_failing(std::size_t most);
};

// The earlier one of two that may be empty.
inline std::optional<WallTime> earlier(std::optional<WallTime> a, std::optional<WallTime> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

inline ShardFigures& ShardFigures::operator+=(const ShardFigures& other) {
  lanes += other.lanes;
  circuits_open += other.circuits_open;
  circuits_half_open += other.circuits_half_open;
  in_flight += other.in_flight;
  first_due = earlier(first_due, other.first_due);
  first_due_behind_circuit = earlier(first_due_behind_circuit, other.first_due_behind_circuit);
  failures += other.failures;
  failing.insert(failing.end(), other.failing.begin(), other.failing.end());
  return *this;
}

inline void ShardFigures::keep_most_failing(std::size_t most) {
  std::sort(failing.begin(), failing.end(), [](const auto& a, const auto& b) {
    return a.failures != b.failures ? a.failures > b.failures : a.endpoint < b.endpoint;
  });
  if (failing.size() > most) failing.resize(most);
}

class FigureBoard {
 public:
  explicit FigureBoard(std::size_t shards) : figures_(std::vector<ShardFigures>(shards)) {}

  void say(std::size_t shard, ShardFigures figures) {
    figures_.with([&](auto& all) { all[shard] = std::move(figures); });
  }

  // Of all shards.
  ShardFigures sum() const {
    return figures_.with([](const auto& all) {
      ShardFigures sum;
      for (const ShardFigures& each : all) sum += each;
      return sum;
    });
  }

 private:
  Guarded<std::vector<ShardFigures>> figures_;
};

}  // namespace petrel::node
