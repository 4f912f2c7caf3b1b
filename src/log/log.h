// Log is where the rooms say what an operator wants to know: each change of state, in one line,
// with ids as fields.
//
//   log.tell(Kind::CircuitOpened, [&] {
//     return Words{"nothing is sent to it: 20 failures in a row", {{"endpointId", id.text()}}};
//   });
//
// What is said is made only if it is written: a kind below the level costs a comparison. Writing
// never waits; what the world outside does not take is dropped and counted.
//
// Thread: safe.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "log/kind.h"
#include "log/line.h"

namespace petrel::log {

class Log {
 public:
  virtual ~Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool is_on(Kind kind) const { return level_of(kind) >= least_; }

  // `make` gives the Words. It is called at once or not at all.
  template <typename Make>
  void tell(Kind kind, Make&& make) {
    if (is_on(kind) && admits(kind)) write(kind, std::forward<Make>(make)());
  }

 protected:
  explicit Log(Level least) : least_(least) {}

 private:
  // Whether a line of that kind is written now, or there were too many of it.
  virtual bool admits(Kind kind) = 0;

  virtual void write(Kind kind, Words words) = 0;

  const Level least_;
};

// Counts what it is told from Level::Info on, for worlds without an operator.
class CountingLog final : public Log {
 public:
  CountingLog() : Log(Level::Info) {}

  std::uint64_t count(Kind kind) const { return counts_[static_cast<std::size_t>(kind)]; }

 private:
  bool admits(Kind) override { return true; }
  void write(Kind kind, Words) override { ++counts_[static_cast<std::size_t>(kind)]; }

  std::array<std::atomic<std::uint64_t>, kKinds.size()> counts_{};
};

}  // namespace petrel::log
