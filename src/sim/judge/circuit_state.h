// CircuitState is one state that an endpoint's circuit, and the ramp after it, may be in. It is
// moved by what the node is told; CircuitModel keeps the set of those that fit what was seen.
//
// Thread: confined. A value.

#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/time.h"
#include "sim/judge/ramp_model.h"
#include "sim/judge/settings_reading.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {

// A moment that is only known to lie between two.
struct Span {
  MonoTime earliest;
  MonoTime latest;

  friend bool operator==(const Span&, const Span&) = default;
};

struct CircuitState {
  enum class Phase : std::uint8_t { Closed, Open, Probing };

  struct Ending {
    MonoTime at;
    bool is_failure;
  };

  // From the first opening since a finished ramp until the last closing.
  struct Outage {
    Span began;
    MonoTime ended;
  };

  Phase phase = Phase::Closed;
  std::uint64_t changed_order = 0;  // Requests up to here began before the last change of state.

  // What counts towards opening it, while it is closed.
  int streak = 0;
  std::optional<MonoTime> last_success = std::nullopt;
  std::deque<Ending> window = {};
  std::optional<MonoTime> counting_since = std::nullopt;
  std::deque<MonoTime> exhausted = {};

  // While it is not: until when, and which request is the probe.
  std::optional<Span> first_opened = std::nullopt;
  MonoTime opened_by = MonoTime::min();  // A late loop knows of the opening from here on.
  Span open_until{};
  std::uint64_t probe = 0;

  double former_rate = 0;
  std::optional<RampModel> ramp = std::nullopt;
  std::optional<Outage> outage = std::nullopt;

  // Which order to close it is in it, and whether the endpoint sends again since it was paused.
  std::uint64_t close_order = 0;
  double rate_before_pause = 0;  // The largest that it may have been.
  bool may_pause = false;        // A pause is under way: what ends until it holds counts as before.
  bool has_resumed = true;

  bool is_closed() const { return phase == Phase::Closed; }

  // Attempts a second that ended over the last minute, or since counting began.
  double rate(MonoTime now) const;

  // Something has ended, and the endpoint may not be paused yet.
  void follow_pause(MonoTime now);

  // Whether a condition is met at `now`: with every reading of the time, and with some.
  struct Opens {
    bool must = false;
    bool may = false;
  };
  Opens opens(const Guards& guards, MonoTime now, Duration lateness) const;

  // The same, for what was given up alone.
  Opens opens_by_exhaustion(const Guards& guards, MonoTime now, Duration lateness) const;

  void count(Verdict verdict, MonoTime now);

  // Opens it for the first time, or again after a probe that failed. `from` is when that may have
  // happened; `last_order` the last request that had begun by then.
  void open(const Guards& least, const Guards& most, Span from, std::uint64_t last_order);

  // Closes it: all counts start over, a ramp begins.
  void close(const Guards& lenient, MonoTime now, std::uint64_t last_order);

  // The ramp is over, or may be.
  void finish_ramp();

  // As a restart would find it: what is counted starts over, but for the streak.
  CircuitState as_kept() const;

  // For comparing.
  bool is_like(const CircuitState& other) const;
};

}  // namespace petrel::sim::judge
