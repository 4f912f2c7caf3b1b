// petrel_sim lives through simulated days, one per seed, and says whether the judge accuses the
// node of anything.
//
//   petrel_sim --seeds 200          seeds 1 … 200
//   petrel_sim --seed 17            one seed, again
//   petrel_sim --all --seed 17      every accusation to the end of the day, not only the first
//   petrel_sim --verbose --seed 17  with all of the evidence
//   petrel_sim --mutants            every mutant must be accused, first of the rule that it breaks
//   petrel_sim --determinism        the same seed twice gives the same evidence
//   petrel_sim --store rocks        every day on the real store; of itself every tenth is

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "rocks_disk.h"
#include "sim/judge/evidence_text.h"
#include "sim/simulation.h"

namespace petrel::sim {
namespace {

enum class Mode { Seeds, Mutants, Determinism };

struct Options {
  Mode mode = Mode::Seeds;
  std::uint64_t first = 1;
  std::uint64_t seeds = 100;
  std::int64_t hours = 24;
  Mutant mutant = Mutant::None;
  std::string mutant_name;
  std::optional<bool> is_on_rocks;  // Every tenth if empty.
  bool hears_all = false;
  bool is_verbose = false;
};

constexpr std::string_view kUsage =
    "usage: petrel_sim [--seeds N] [--first S] [--seed S] [--hours H] [--mutant NAME]\n"
    "                  [--store rocks|memory] [--all] [--verbose] [--mutants | --determinism]\n";

// How many days a mutant has to be caught in.
constexpr std::uint64_t kMutantSeeds = 200;

// How much is shown of what led to the first accusation.
constexpr std::size_t kLastLines = 40;

// A run of so many days must come by every fault, act and landmark.
constexpr std::uint64_t kSeedsToReachAll = 200;

// A day on the real store takes many times as long as one in memory.
constexpr std::uint64_t kSeedsPerRocks = 10;

bool is_on_rocks(const Options& options, std::uint64_t seed) {
  return options.is_on_rocks.value_or(seed % kSeedsPerRocks == 0);
}

std::unique_ptr<Disk> make_rocks(const DiskParts& parts) {
  return std::make_unique<RocksDisk>(parts);
}

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
  if (name == "--store") {
    options.is_on_rocks = value == "rocks";
    return value == "rocks" || value == "memory";
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
      options.hears_all = true;
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
          .make_disk = is_on_rocks(options, seed) ? MakeDisk(make_rocks) : MakeDisk(),
          .keeps_evidence = options.is_verbose,
          .hears_all = options.hears_all};
}

// Picks the evidence that an accusation rests on: what happened to its delivery or endpoint, and to
// the process and its clock.
class Relevance {
 public:
  explicit Relevance(const judge::Accusation& accusation) : accusation_(accusation) {}

  // To be asked of every piece in order.
  bool takes(const judge::Evidence& evidence) {
    if (std::holds_alternative<judge::Life>(evidence.what)) return true;
    if (std::holds_alternative<judge::ClockSet>(evidence.what)) return true;
    if (const auto* const reply = std::get_if<judge::Replied>(&evidence.what)) {
      return requests_.count(reply->request) > 0;
    }
    const judge::About about = judge::about(evidence);
    const bool fits = (!accusation_.endpoint || about.endpoint == accusation_.endpoint) &&
                      (!accusation_.message || about.message == accusation_.message);
    const auto* const sent = std::get_if<judge::Requested>(&evidence.what);
    if (fits && sent != nullptr) requests_.insert(sent->request);
    return fits;
  }

 private:
  const judge::Accusation& accusation_;
  std::set<std::uint64_t> requests_;
};

// Days keep no evidence unless they are asked to, so an accused one is lived through again.
void print_last_lines(const Options& options, const SimulationReport& report) {
  SimulationSettings settings = settings_of(options, report.seed);
  settings.keeps_evidence = true;
  Relevance relevance(report.accusations.front());
  std::vector<std::string> lines;
  for (const judge::Evidence& each : simulate(settings).evidence) {
    if (relevance.takes(each)) lines.push_back(judge::to_line(each));
  }
  const std::size_t skipped = lines.size() - std::min(lines.size(), kLastLines);
  for (std::size_t i = skipped; i < lines.size(); ++i) fmt::print("{}\n", lines[i]);
}

void print_accused(const Options& options, const SimulationReport& report) {
  for (const judge::Accusation& accusation : report.accusations) {
    fmt::print("seed {}: {}\n", report.seed, accusation.line());
  }
  if (!options.hears_all && !options.is_verbose) print_last_lines(options, report);
  std::string repeat = fmt::format("petrel_sim --seed {}", report.seed);
  if (options.hours != Options().hours) repeat += fmt::format(" --hours {}", options.hours);
  if (options.is_on_rocks) repeat += *options.is_on_rocks ? " --store rocks" : " --store memory";
  if (!options.mutant_name.empty()) repeat += fmt::format(" --mutant {}", options.mutant_name);
  fmt::print("again: {}\n", repeat);
}

struct Summary {
  std::uint64_t seeds = 0;
  std::uint64_t events = 0;
  Duration simulated{};
  Totals totals;
  FaultCounts faults;
  Reached reached;

  void add(const SimulationReport& report) {
    ++seeds;
    events += report.events;
    simulated += report.simulated;
    totals.add(report.totals);
    faults.add(report.faults);
    reached.add(report.reached);
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
  for (std::size_t i = 0; i < kActs; ++i) {
    const auto act = static_cast<judge::Act>(i);
    if (is_done_in_a_day(act)) {
      fmt::print("{:>10}  asked: {}\n", summary.reached.of(act), judge::to_string(act));
    }
  }
  for (std::size_t i = 0; i < kLandmarks; ++i) {
    const auto landmark = static_cast<Landmark>(i);
    fmt::print("{:>10}  {}\n", summary.reached.of(landmark), to_string(landmark));
  }
  fmt::print("{} seeds, {} simulated hours, {} events, {} of {} kinds of fault\n", summary.seeds,
             summary.simulated / std::chrono::hours(1), summary.events, kinds, kFaultKinds);
  fmt::print("{} messages, {} deliveries: {} delivered, {} dead; {} attempts\n", totals.messages,
             totals.deliveries, totals.delivered, totals.dead, totals.attempts);
  fmt::print("tasks put back or discarded {}\n", totals.changed_by_tasks);
  fmt::print("storms made a bystander wait {} ms longer at most\n",
             totals.storm_cost_max / std::chrono::milliseconds(1));
}

// So many ordinary days come by everything that there is.
bool must_reach_all(const Options& options) {
  return options.seeds >= kSeedsToReachAll && options.hours == Options().hours &&
         options.mutant == Mutant::None;
}

bool has_reached(const Options& options, const Summary& summary) {
  const auto missing =
      unreached(summary.reached, summary.faults, options.is_on_rocks.value_or(true));
  for (const std::string& each : missing) fmt::print("NEVER REACHED: {}\n", each);
  return missing.empty();
}

// Ends at the first seed that is accused, unless all are to be heard.
int run_seeds(const Options& options) {
  Summary summary;
  std::uint64_t accused = 0;
  for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
    const SimulationReport report = simulate(settings_of(options, seed));
    for (const judge::Evidence& each : report.evidence) fmt::print("{}\n", judge::to_line(each));
    summary.add(report);
    if (report.accusations.empty()) continue;
    ++accused;
    print_accused(options, report);
    if (!options.hears_all) return 1;
  }
  print_summary(summary);
  const bool has_reached_all = !must_reach_all(options) || has_reached(options, summary);
  if (accused == 0) fmt::print("all promises were kept\n");
  if (accused > 0) fmt::print("{} seeds are accused\n", accused);
  return accused == 0 && has_reached_all ? 0 : 1;
}

// The rule by which it is caught: the first accusation of one of the days is of a rule that it
// breaks. What it is accused of on days before that is said: a mutant that is first known by what
// it brings about deserves a look.
std::optional<judge::Rule> caught_by(Options options, const MutantLine& line) {
  options.mutant = line.mutant;
  if (!options.is_on_rocks) options.is_on_rocks = line.is_of_files;
  std::string before;
  for (std::uint64_t seed = 1; seed <= kMutantSeeds; ++seed) {
    const SimulationReport report = simulate(settings_of(options, seed));
    if (report.accusations.empty()) continue;
    const judge::Accusation& first = report.accusations.front();
    if (line.may_break(first.rule)) {
      fmt::print("{:<26} caught at seed {}{}: {}\n", line.name, seed, before, first.line());
      return first.rule;
    }
    if (before.empty()) before = fmt::format(" (seed {}: {})", seed, to_string(first.rule));
  }
  fmt::print("{:<26} NOT CAUGHT{}\n", line.name, before);
  return std::nullopt;
}

// Every mutant must be caught, and every rule must have caught one.
int run_mutants(const Options& options) {
  int missed = 0;
  std::set<judge::Rule> proven;
  for (const MutantLine& line : mutants()) {
    const bool is_wanted = options.mutant == Mutant::None || options.mutant == line.mutant;
    const auto rule = is_wanted ? caught_by(options, line) : std::nullopt;
    std::fflush(stdout);  // Each takes a while.
    if (is_wanted && !rule) ++missed;
    if (rule) proven.insert(*rule);
  }
  if (options.mutant != Mutant::None) return missed == 0 ? 0 : 1;
  for (const UnprovenRule& each : unproven_rules()) {
    fmt::print("{} has no mutant: {}\n", to_string(each.rule), each.why);
    proven.insert(each.rule);
  }
  for (std::size_t i = 0; i < judge::kRules; ++i) {
    const auto rule = static_cast<judge::Rule>(i);
    if (proven.contains(rule)) continue;
    fmt::print("NO MUTANT was caught by the rule: {}\n", to_string(rule));
    ++missed;
  }
  return missed == 0 ? 0 : 1;
}

// Where the two first differ. Empty if they do not.
std::optional<std::string> difference(const std::vector<judge::Evidence>& once,
                                      const std::vector<judge::Evidence>& again) {
  const std::size_t both = std::min(once.size(), again.size());
  for (std::size_t i = 0; i < both; ++i) {
    const std::string first = judge::to_line(once[i]);
    const std::string second = judge::to_line(again[i]);
    if (first != second) return first + "\n" + second;
  }
  if (once.size() == again.size()) return std::nullopt;
  return fmt::format("{} and {} pieces of evidence", once.size(), again.size());
}

// Leaves out the days on the real store, unless they are asked for: its threads and its log come
// and go in real time.
int run_determinism(const Options& options) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
    SimulationSettings settings = settings_of(options, seed);
    settings.keeps_evidence = true;
    if (settings.make_disk && !options.is_on_rocks) continue;
    ++compared;
    const auto differs = difference(simulate(settings).evidence, simulate(settings).evidence);
    if (!differs) continue;
    fmt::print("seed {} gave different evidence:\n{}\n", seed, *differs);
    return 1;
  }
  fmt::print("{} seeds gave the same evidence twice\n", compared);
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
