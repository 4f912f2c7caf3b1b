// Receiver is a model of a customer's server: it can do so much a second, and falls over when it is
// asked for far more.
//
// Every request is 1/capacity of a second's work. How far behind it is, in time, decides:
//
//   what it has taken on is at most 1 s of work   answered 200, after the wait and its latency
//   more than that                                turned away: 503, at once
//   all that came, also what was turned away,     it falls over: what it had taken on is reset,
//   is more than crash_after of work              and for crash_for it refuses connections
//
// With 200 a second and crash_after 2 s: at 250/s it turns the first away after four seconds and
// falls over after eight; at 600/s it turns away after half a second and falls over after one. At
// 200/s it holds out for ever.
//
// Beside that it is away once, from a moment to a moment, by no fault of ours: the outage. What it
// had taken on before that is still answered. When it comes back, from either, it has nothing left
// to do.
//
// Thread: confined.

#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/time.h"
#include "policy/outcome.h"

namespace petrel::storm {

inline constexpr int kCapacityMax = 100'000;

// What it takes on without turning a request away, in work.
inline constexpr Duration kQueueMax = std::chrono::seconds(1);

// How soon a request is refused or turned away.
inline constexpr Duration kRefusalTime = std::chrono::milliseconds(5);

enum class OutageKind : std::uint8_t {
  Refuses,     // Connections are refused.
  Answers503,  // Something in front of it says 503.
  Hangs,       // Connections are taken and nothing ever comes back.
};

std::string_view to_string(OutageKind kind);  // "refuse", "503", "hang": as on the command line.
std::string_view in_words(OutageKind kind);   // "refuses connections", …

struct ReceiverSettings {
  int capacity = 200;  // Requests a second.
  Duration latency = std::chrono::milliseconds(50);
  Duration crash_after = std::chrono::seconds(2);
  Duration crash_for = std::chrono::seconds(30);
};

struct Outage {
  MonoTime from;
  MonoTime until;
  OutageKind kind = OutageKind::Refuses;
};

class Receiver {
 public:
  // How it ends for the sender, if the receiver does not fall over before that.
  struct Answer {
    policy::Outcome outcome;
    Duration after;  // Duration::max() if it never answers.
    bool is_taken_on = false;
    bool is_last_straw = false;  // It has just fallen over: all that it had taken on is reset.
  };

  // REQUIRES: 1 <= capacity <= kCapacityMax, crash_after >= kQueueMax.
  Receiver(const ReceiverSettings& settings, const Outage& outage);

  // A request comes in at `now`, which never goes back.
  Answer take(MonoTime now);

 private:
  // Work is counted in nanoseconds: 1/capacity of a second is seldom a whole microsecond.
  using Work = std::chrono::nanoseconds;

  Answer fall_over(MonoTime now);

  ReceiverSettings settings_;
  Outage outage_;
  Work work_per_request_;
  MonoTime down_until_ = MonoTime::min();
  MonoTime last_{};
  Work taken_on_{};  // As of `last_`.
  Work asked_for_{};
};

}  // namespace petrel::storm
