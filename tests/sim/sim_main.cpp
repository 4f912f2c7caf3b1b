// petrel_sim lives through simulated days, one per seed, and says whether every promise was kept.
//
//   petrel_sim --seeds 200          seeds 1 … 200
//   petrel_sim --seed 17            one seed, again
//   petrel_sim --all --seed 17      all that the judge says of it, not only the first
//   petrel_sim --mutants            every mutant must be caught, by the right checker
//   petrel_sim --determinism        the same seed twice gives the same journal

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "sim/simulation.h"

namespace petrel::sim {
namespace {

enum class Mode { Seeds, All, Mutants, Determinism };

struct Options {
  Mode mode = Mode::Seeds;
  std::uint64_t first = 1;
  std::uint64_t seeds = 100;
  std::int64_t hours = 24;
  Mutant mutant = Mutant::None;
  std::string mutant_name;
  bool is_verbose = false;
};

constexpr std::string_view kUsage =
    "usage: petrel_sim [--seeds N] [--first S] [--seed S] [--hours H] [--mutant NAME]\n"
    "                  [--verbose] [--all | --mutants | --determinism]\n";

// How many days a mutant has to be caught in.
constexpr std::uint64_t kMutantSeeds = 200;

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Whether `name` is an option with this value. Takes it over.
bool take_value(Options& options, std::string_view name, std::string_view value) {
  if (name == "--seeds") return read_number(value, options.seeds);
  if (name == "--first") return read_number(value, options.first);
  if (name == "--hours") return read_number(value, options.hours) && options.hours > 0;
  if (name == "--seed") {
    options.seeds = 1;
    return read_number(value, options.first);
  }
  if (name != "--mutant") return false;
  const auto mutant = parse_mutant(value);
  if (!mutant) return false;
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
    } else if (name == "--all") {
      options.mode = Mode::All;
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

SimulationSettings settings_of(const Options& options, std::uint64_t seed) {
  return {.seed = seed,
          .length = std::chrono::hours(options.hours),
          .mutant = options.mutant,
          .keeps_journal = options.is_verbose,
          .hears_all = options.mode == Mode::All};
}

void print_failure(const Options& options, const SimulationReport& report) {
  std::string replay = fmt::format("scripts/sim --seed {}", report.seed);
  if (options.hours != Options().hours) replay += fmt::format(" --hours {}", options.hours);
  if (!options.mutant_name.empty()) replay += fmt::format(" --mutant {}", options.mutant_name);
  const Violation& violation = *report.violation;
  fmt::print("seed {} broke {}: {}\n", report.seed, to_string(violation.promise), violation.text);
  if (violation.delivery) {
    fmt::print("delivery of {} to {}\n", violation.delivery->message.text(),
               violation.delivery->endpoint.text());
  }
  fmt::print("{}replay: {}\n", report.last_events, replay);
}

struct Summary {
  std::uint64_t seeds = 0;
  std::uint64_t events = 0;
  Duration simulated{};
  Totals totals;
  FaultCounts faults;

  void add(const SimulationReport& report) {
    ++seeds;
    events += report.events;
    simulated += report.simulated;
    totals.add(report.totals);
    faults.add(report.faults);
  }
};

void print_summary(const Summary& summary) {
  const Totals& totals = summary.totals;
  std::size_t kinds = 0;
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    const auto fault = static_cast<Fault>(i);
    kinds += summary.faults.of(fault) > 0 ? 1 : 0;
    fmt::print("{:>10}  {}\n", summary.faults.of(fault), to_string(fault));
  }
  fmt::print("{} seeds, {} simulated hours, {} events, {} of {} kinds of fault\n", summary.seeds,
             summary.simulated / std::chrono::hours(1), summary.events, kinds, kFaultKinds);
  fmt::print("{} messages, {} deliveries: {} delivered, {} dead; {} attempts\n", totals.messages,
             totals.deliveries, totals.delivered, totals.dead, totals.attempts);
  fmt::print("{} duplicates, at most {} explained by crashes; {} repeats of unknown outcomes\n",
             totals.duplicates, totals.duplicates_bound, totals.repeats_unknown);
  fmt::print("{} recoveries, {} attempts while the herd was held back\n", totals.recoveries,
             totals.attempts_ramped);
  fmt::print("storms made a bystander wait {} ms longer at most\n",
             totals.storm_cost_max / std::chrono::milliseconds(1));
}

int run_seeds(const Options& options) {
  Summary summary;
  for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
    const SimulationReport report = simulate(settings_of(options, seed));
    if (options.is_verbose) fmt::print("{}", report.journal);
    summary.add(report);
    if (!report.violation) continue;
    print_failure(options, report);
    return 1;
  }
  print_summary(summary);
  fmt::print("all promises were kept\n");
  return 0;
}

// Everything that the judge says, whatever it has said before.
int run_all(const Options& options) {
  std::size_t count = 0;
  for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
    const SimulationReport report = simulate(settings_of(options, seed));
    fmt::print("{}", report.evidence);
    for (const judge::Accusation& accusation : report.accusations) {
      fmt::print("seed {}: {}\n", seed, accusation.line());
    }
    if (report.violation) fmt::print("seed {}: {}\n", seed, report.violation->text);
    count += report.accusations.size() + (report.violation ? 1 : 0);
  }
  fmt::print("{} accusations\n", count);
  return count == 0 ? 0 : 1;
}

int run_mutants(Options options) {
  int missed = 0;
  for (const MutantLine& line : mutants()) {
    options.mutant = line.mutant;
    std::optional<SimulationReport> caught;
    for (std::uint64_t seed = 1; seed <= kMutantSeeds && !caught; ++seed) {
      SimulationReport report = simulate(settings_of(options, seed));
      if (report.violation) caught = std::move(report);
    }
    const bool is_right = caught && line.is_caught_by(caught->violation->promise);
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
    SimulationSettings settings = settings_of(options, seed);
    settings.keeps_journal = true;
    const SimulationReport once = simulate(settings);
    const SimulationReport again = simulate(settings);
    if (once.hash == again.hash && once.journal == again.journal) continue;
    fmt::print("seed {} gave two different journals\n", seed);
    return 1;
  }
  fmt::print("{} seeds gave the same journal twice\n", options.seeds);
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
    case Mode::All:
      return run_all(*options);
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
