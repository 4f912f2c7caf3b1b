// petrel_sim_replay lives through replays full of faults, one world per seed, and says whether
// every promise was kept.
//
//   petrel_sim_replay --seeds 300          seeds 1 … 300
//   petrel_sim_replay --seed 17            one seed, again
//   petrel_sim_replay --mutants            every mutant must be caught, by the right check
//   petrel_sim_replay --determinism        the same seed twice gives the same log

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sim/replay_simulation.h"

namespace petrel::sim {
namespace {

enum class Mode { Seeds, Mutants, Determinism };

struct Options {
  Mode mode = Mode::Seeds;
  std::uint64_t first = 1;
  std::uint64_t seeds = 100;
  ReplayMutant mutant = ReplayMutant::None;
  std::string mutant_name;
  bool is_verbose = false;
};

constexpr std::string_view kUsage =
    "usage: petrel_sim_replay [--seeds N] [--first S] [--seed S] [--mutant NAME] [--verbose]\n"
    "                         [--mutants | --determinism]\n";

// How many worlds a mutant has to be caught in.
constexpr std::uint64_t kMutantSeeds = 200;

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Whether `name` is an option with this value. Takes it over.
bool take_value(Options& options, std::string_view name, std::string_view value) {
  if (name == "--seeds") return read_number(value, options.seeds);
  if (name == "--first") return read_number(value, options.first);
  if (name == "--seed") {
    options.seeds = 1;
    return read_number(value, options.first);
  }
  const auto mutant = parse_replay_mutant(value);
  if (name != "--mutant" || !mutant) return false;
  options.mutant = *mutant;
  options.mutant_name = value;
  return true;
}

std::optional<Options> read_options(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (name == "--mutants") {
      options.mode = Mode::Mutants;
    } else if (name == "--determinism") {
      options.mode = Mode::Determinism;
    } else if (name == "--verbose") {
      options.is_verbose = true;
    } else if (i + 1 >= count || !take_value(options, name, arguments[++i])) {
      return std::nullopt;
    }
  }
  return options;
}

ReplaySettings settings_of(const Options& options, std::uint64_t seed) {
  return {.seed = seed, .mutant = options.mutant, .keeps_log = options.is_verbose};
}

void print_failure(const Options& options, const ReplayReport& report) {
  const std::string mutant =
      options.mutant_name.empty() ? "" : fmt::format(" --mutant {}", options.mutant_name);
  const ReplayViolation& violation = *report.violation;
  fmt::print("{}seed {} broke P13 {}: {}\nreplay: scripts/sim --replay --seed {}{}\n",
             report.last_events, report.seed, to_string(violation.promise), violation.text,
             report.seed, mutant);
}

int run_seeds(const Options& options) {
  ReplayTotals totals;
  std::uint64_t events = 0;
  Duration simulated{};
  for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
    const ReplayReport report = simulate_replay(settings_of(options, seed));
    if (options.is_verbose) fmt::print("{}", report.log);
    totals.add(report.totals);
    events += report.events;
    simulated += report.simulated;
    if (!report.violation) continue;
    print_failure(options, report);
    return 1;
  }
  fmt::print("{} seeds, {} simulated hours, {} events, {} crashes\n", options.seeds,
             simulated / std::chrono::hours(1), events, totals.crashes);
  fmt::print("{} tasks: {} finished, {} cancelled; {} put back, {} discarded, {} skipped\n",
             totals.tasks, totals.finished, totals.cancelled, totals.put_back, totals.discarded,
             totals.skipped);
  fmt::print("{} were overtaken by others; {} steps reached an endpoint that had just stopped\n",
             totals.overtaken, totals.late_steps);
  fmt::print("all promises were kept\n");
  return 0;
}

int run_mutants(Options options) {
  int missed = 0;
  for (const ReplayMutantLine& line : replay_mutants()) {
    options.mutant = line.mutant;
    std::optional<ReplayReport> caught;
    for (std::uint64_t seed = 1; seed <= kMutantSeeds && !caught; ++seed) {
      ReplayReport report = simulate_replay(settings_of(options, seed));
      if (report.violation) caught = std::move(report);
    }
    const bool is_right = caught && caught->violation->promise == line.caught_by;
    missed += is_right ? 0 : 1;
    fmt::print("{:<24} {}\n", line.name,
               !caught ? std::string("NOT CAUGHT")
                       : fmt::format("{} {} at seed {}: {}", is_right ? "caught by" : "WRONGLY by",
                                     to_string(caught->violation->promise), caught->seed,
                                     caught->violation->text));
  }
  return missed == 0 ? 0 : 1;
}

int run_determinism(const Options& options) {
  for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
    ReplaySettings settings = settings_of(options, seed);
    settings.keeps_log = true;
    const ReplayReport once = simulate_replay(settings);
    const ReplayReport again = simulate_replay(settings);
    if (once.hash == again.hash && once.log == again.log) continue;
    fmt::print("seed {} gave two different logs\n", seed);
    return 1;
  }
  fmt::print("{} seeds gave the same log twice\n", options.seeds);
  return 0;
}

int run(int count, char** arguments) {
  const auto options = read_options(count, arguments);
  if (!options) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  switch (options->mode) {
    case Mode::Seeds:
      return run_seeds(*options);
    case Mode::Mutants:
      return run_mutants(*options);
    case Mode::Determinism:
      return run_determinism(*options);
  }
  return 2;
}

}  // namespace
}  // namespace petrel::sim

int main(int argc, char** argv) { return petrel::sim::run(argc, argv); }
