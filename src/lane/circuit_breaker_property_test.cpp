#include <algorithm>
#include <chrono>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lane/circuit_breaker.h"

namespace petrel::lane {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Pass = CircuitBreaker::Pass;
using State = CircuitBreaker::State;
using Verdict = CircuitBreaker::Verdict;

constexpr MonoTime kStart = MonoTime(seconds(1'000));

// Opens easily, so that short sequences reach every state.
BreakerSettings touchy_settings() {
  BreakerSettings settings;
  settings.streak_to_open = 3;
  settings.streak_grace = milliseconds(200);
  settings.window = seconds(10);
  settings.window_attempts_min = 5;
  settings.exhausted_to_open = 3;
  settings.open_max = minutes(1);
  return settings;
}

// A breaker under random orders, with what a bystander can know about the passes it gave.
class World {
 public:
  void step() {
    now_ += milliseconds(*rc::gen::inRange(0, *rc::gen::element(10, 1'000, 20'000)));
    const int act = *rc::gen::inRange(0, 100);
    if (act < 45) {
      admit();
    } else if (act < 85) {
      settle();
    } else if (act < 90) {
      breaker_.exhausted(now_, random_);
    } else if (act < 92) {
      breaker_.probe_now(now_);
    } else if (act < 93) {
      breaker_.force_close(now_);
    } else if (act < 95) {
      breaker_.ramp_finished();
    } else if (act < 97) {
      breaker_.restore(breaker_.snapshot(now_), now_);
      for (Out& out : out_) out.is_forgotten = true;
    }
    if (breaker_.state() == State::Closed) {
      for (Out& out : out_) out.is_probe = false;
    }
    check();
  }

 private:
  struct Out {
    Pass pass;
    bool is_probe;      // Given since the circuit was last closed.
    bool is_forgotten;  // Given before a restart.
  };

  std::ptrdiff_t probes_out() const {
    return std::count_if(out_.begin(), out_.end(),
                         [](const Out& out) { return out.is_probe && !out.is_forgotten; });
  }

  void admit() {
    const State before = breaker_.state();
    const auto next = breaker_.next_probe_at();
    const auto pass = breaker_.admit(now_);
    RC_ASSERT(pass.has_value() == (before == State::Closed || (next && *next <= now_)));
    if (pass) out_.push_back({*pass, before != State::Closed, false});
  }

  void settle() {
    if (out_.empty()) return;
    const auto index = *rc::gen::inRange<std::size_t>(0, out_.size());
    const Out out = out_[index];
    out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(index));
    const auto verdict =
        *rc::gen::element(Verdict::Success, Verdict::Failure, Verdict::Failure, Verdict::Failure,
                          Verdict::Reachable, Verdict::Throttled, Verdict::Nothing);
    const auto before = breaker_.snapshot(now_);
    const bool is_late = breaker_.state() != State::Closed && !out.is_probe;

    breaker_.settle(out.pass, verdict, now_, random_, now_ + seconds(5));

    if (is_late || out.is_forgotten) RC_ASSERT(breaker_.snapshot(now_) == before);
    if (is_late || out.is_forgotten) return;
    if (before.state == State::HalfOpen) check_verdict_on_probe(verdict, before.first_opened_ago);
  }

  void check_verdict_on_probe(Verdict verdict, std::optional<Duration> first_opened_ago) {
    const bool is_answered = verdict == Verdict::Success || verdict == Verdict::Reachable;
    RC_ASSERT((breaker_.state() == State::Closed) == is_answered);
    RC_ASSERT((breaker_.state() == State::HalfOpen) == (verdict == Verdict::Nothing));
    RC_ASSERT(breaker_.snapshot(now_).first_opened_ago == first_opened_ago);
  }

  void check() const {
    const bool is_closed = breaker_.state() == State::Closed;
    RC_ASSERT(probes_out() <= 1);
    RC_ASSERT(breaker_.why().empty() == is_closed);
    RC_ASSERT(breaker_.explain(now_).empty() == is_closed);
    RC_ASSERT(breaker_.next_probe_at().has_value() == (!is_closed && probes_out() == 0));
    // However often it reopened, a receiver that is back is found within the longest open time.
    const auto next = breaker_.next_probe_at();
    if (next) RC_ASSERT(*next <= now_ + seconds(75));
  }

  Random random_{*rc::gen::arbitrary<std::uint64_t>()};
  MonoTime now_ = kStart;
  CircuitBreaker breaker_{touchy_settings(), kStart};
  std::vector<Out> out_;
};

RC_GTEST_PROP(CircuitBreakerProperty, B6_NeverAdmitsMoreThanOneProbeUnlessItIsClosed, ()) {
  World world;
  for (int step = 0; step < 300; ++step) world.step();
}

RC_GTEST_PROP(CircuitBreakerProperty, TheOpenTimeIsWithinAQuarterOfItsBase, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  CircuitBreaker breaker({}, kStart);
  for (int i = 0; i < 20; ++i) {
    breaker.settle(breaker.admit(kStart).value(), Verdict::Failure, kStart, random);
  }

  MonoTime now = kStart;
  for (int failed_probes = 0; failed_probes < 60; ++failed_probes) {
    const Duration base = std::clamp<Duration>((now - kStart) / 8, seconds(15), minutes(10));
    const Duration open_time = breaker.next_probe_at().value() - now;
    RC_ASSERT(open_time >= base);
    RC_ASSERT(open_time <= base + base / 4);
    now += open_time;
    breaker.settle(breaker.admit(now).value(), Verdict::Failure, now, random);
  }
}

}  // namespace
}  // namespace petrel::lane
