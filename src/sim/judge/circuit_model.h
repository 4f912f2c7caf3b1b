// CircuitModel is every state that an endpoint's circuit and ramp may be in, by what the node was
// told. It objects to a request that none of them allows.
//
// Several states are possible where the contract leaves it open, or where nobody can see it:
// whether what ended just a window ago still counts, which moment a restart goes on from, whether
// an order under way counts already. What is seen afterwards narrows them down again.
//
//   it must open    a condition is met by every reading: the old state goes
//   it may open     by some reading: the old and the new state stay
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/time.h"
#include "sim/judge/circuit_state.h"
#include "sim/judge/settings_reading.h"
#include "sim/judge/two_clocks.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {

class CircuitModel {
 public:
  explicit CircuitModel(Duration lateness) : lateness_(lateness) {}

  enum class Objection : std::uint8_t { None, Circuit, RampInFlight, RampRate };

  // A request, let go at some moment between the two.
  struct Start {
    std::uint64_t order;
    MonoTime earliest;
    MonoTime latest;
    int in_flight;  // To the endpoint, this one included.
  };
  Objection objection(const Start& start) const;
  void started(const Start& start);

  struct End {
    std::uint64_t order;
    std::uint64_t last_order;  // Of the last request that began by now.
    MonoTime now;
    std::vector<Verdict> verdicts;  // By the policies that may hold.
    std::optional<Span> held_until = std::nullopt;
  };
  void ended(const End& end, const std::vector<Guards>& guards);

  // A delivery was given up, with the attempt of that order if there is one.
  struct GivenUp {
    std::optional<std::uint64_t> order;
    std::uint64_t last_order;
    Span when;
  };
  void given_up(const GivenUp& given_up, const std::vector<Guards>& guards);

  // Orders, and endpoints that send again: asked first, then told.
  void probe_asked(MonoTime now);
  void probe_told(MonoTime now);
  void close_asked(std::uint64_t number, std::uint64_t last_order, MonoTime now,
                   const std::vector<Guards>& guards);
  void close_told(std::uint64_t number);
  void may_pause(MonoTime now);
  void has_paused();
  void may_resume(MonoTime now, const std::vector<Guards>& guards);
  void has_resumed(MonoTime now);

  // A settlement is on disk, of the attempt of that order: a restart may find the circuit as it was
  // at any moment since that ended, and since it was handed over if that is known.
  void recorded(std::uint64_t order, std::optional<MonoTime> handed_over = std::nullopt);

  // The same without an attempt: the lane may have been written with it as it is now.
  void recorded_unsent();
  void restarted(MonoTime now, std::uint64_t last_order, const TwoClocks& clocks,
                 const std::vector<Guards>& guards);

  // It did nothing for so long that the lane may have left: its rate may be counted anew.
  void rested();

  // Its lane may go on at another place, where the window of attempts starts empty.
  void may_have_moved();

  void was_busy(MonoTime now);
  void was_pressed(MonoTime since, MonoTime now);
  void pass(MonoTime now, Duration slack);
  void released();

  bool may_be_closed() const;
  bool must_be_closed() const { return !may_be_open(); }
  bool may_be_open() const;
  bool may_ramp() const;
  const std::vector<CircuitState>& states() const { return states_; }

 private:
  using States = std::vector<CircuitState>;

  // More states than this are never needed to tell right from wrong; the first ones are kept.
  static constexpr std::size_t kStatesMax = 24;

  void make_room();
  void settle(CircuitState state, const End& end, Verdict verdict,
              const std::vector<Guards>& guards);
  void settle_probe(CircuitState state, const End& end, Verdict verdict,
                    const std::vector<Guards>& guards);
  void add_opened(const CircuitState& state, Span when, std::uint64_t last_order,
                  const std::vector<Guards>& guards);
  void add(CircuitState state);
  void note(MonoTime at, std::uint64_t order = 0);

  Duration lateness_;
  States states_ = {CircuitState{}};
  States kept_ = {CircuitState{}};  // As a restart may find it.

  // Since that was written: a process that starts begins with the ramp.
  struct Resumed {
    bool may_be = false;
    std::optional<MonoTime> surely_by = std::nullopt;
  };
  Resumed resumed_;

  struct Note {
    MonoTime at;
    std::uint64_t order;  // Of the attempt whose end it is the note of; else 0.
    States states;
  };
  using History = std::deque<Note>;
  History::const_iterator last_note_by(History::const_iterator first, MonoTime now) const;
  History history_;
};

// The guards that let most through, and those that let least.
Guards lenient_of(const std::vector<Guards>& guards);

}  // namespace petrel::sim::judge
