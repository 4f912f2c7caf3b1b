// ReplayMutant is a deliberate defect around the replay of dead letters, and ReplayPromise what it
// must be seen to break.
//
// Thread: any. Values.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace petrel::sim {

// The parts of P13.
enum class ReplayPromise : std::uint8_t {
  Rate,            // Never faster than the pacing allows, also over restarts.
  Standing,        // What takes nothing gets nothing.
  Once,            // Nothing is put back twice by one task, and each is counted.
  NothingSkipped,  // When it is finished, everything that it was about has been put back.
  OnlyWhatIsMeant,
  WordHolds,  // What people said of a task stays said: paused, cancelled.
  ComesToRest,
};

std::string_view to_string(ReplayPromise promise);

struct ReplayViolation {
  ReplayPromise promise;
  std::string text;  // What was seen, in plain words.
};

enum class ReplayMutant : std::uint8_t {
  None,
  ProgressBehind,   // How far it has come is a commit of its own, behind what was done.
  ProgressBefore,   // The same, before it.
  ForgetsNextAt,    // When the next one may go is not read.
  BeginsAtCeiling,  // A ramp is read as if it had come to its end.
  AlwaysTakes,      // Whoever asks how an endpoint stands hears that it takes something.
  IgnoresRevision,  // A task is written whatever revision was read.
  ForgetsTasks,     // A starting process is not told what is under way.
  LosesRows,        // Lists leave out a row now and then.
  ForgetsFilters,   // Which reasons and types are meant is not read.
};

struct ReplayMutantLine {
  ReplayMutant mutant;
  std::string_view name;
  ReplayPromise caught_by;
};

// All of them but None.
std::span<const ReplayMutantLine> replay_mutants();

std::optional<ReplayMutant> parse_replay_mutant(std::string_view name);

}  // namespace petrel::sim
