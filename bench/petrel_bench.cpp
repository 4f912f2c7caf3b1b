// Measures a petrel binary from outside: how many messages it takes and delivers, how long they are
// on their way, and what it spends on each. Load, receivers and server share the machine.
//
//   petrel_bench --petrel build/release/petrel
//   petrel_bench --petrel build/release/petrel --repeat 5 --scale 4 --backlog 2000000 --json
//   petrel_bench --petrel build/release/petrel --only lists --attempts 5000000
//   petrel_bench --petrel build/release/petrel --only retention
//
// Each repetition starts every server anew on an empty store, and the loads take turns, so that a
// machine that changes its pace meanwhile does so for all of them.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <stdlib.h>

#include "backlog.h"
#include "idle.h"
#include "lists.h"
#include "load.h"
#include "neighbours.h"
#include "report.h"
#include "retention.h"

namespace petrel::bench {
namespace {

constexpr int kPorts = 16;
constexpr const char* kCpu = "cpu us";

// What dropping a history may make of the p99 of what is delivered meanwhile.
constexpr double kPurgeRatioMax = 1.2;

constexpr std::string_view kLegend = R"(
ack: from a message sent to its 202; way: from a message sent to its delivery received;
cpu us: of the server, for each delivery; peak: the most memory it had. Medians.
Neighbours: the way to 100 healthy endpoints, alone and beside those that hang; slots in use.
Lists: 50 items a page; small: the same call on a store with a short history.
)";

struct Options {
  std::string petrel = "build/release/petrel";
  std::string scratch = std::filesystem::temp_directory_path().string();
  int repeat = 3;
  double scale = 1;
  int backlog = 100'000;
  int attempts = 0;
  std::string hang_deadline = NeighbourSettings().deadline;
  std::vector<int> shards = {1, 32};
  bool is_json = false;
  std::vector<std::string> only;
  LoadSettings load;
};

struct NamedLoad {
  std::string name;
  Load load;
};

std::vector<NamedLoad> all_loads(double scale) {
  const auto scaled = [&](int messages) { return static_cast<int>(messages * scale); };
  return {
      {"1 endpoint", {.endpoints = 1, .messages = scaled(20'000)}},
      {"1 endpoint, 1000 msg/s", {.endpoints = 1, .messages = scaled(2'000), .rate = 1000}},
      {"10 endpoints", {.endpoints = 10, .messages = scaled(5'000)}},
      {"1000 endpoints", {.endpoints = 1000, .messages = scaled(100)}},
  };
}

// Removed with everything in it.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& parent) : path_(parent + "/petrel-bench-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) throw_errno("mkdtemp");
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void progress(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
  std::fflush(stderr);
}

void add(Report& report, const std::string& row, const Figures& figures) {
  // A median would hide what must not happen even once.
  if (figures.repeated > 0) progress(fmt::format("{} deliveries came again", figures.repeated));
  report.add(row, "accepted/s", figures.accepted_per_s);
  report.add(row, "delivered/s", figures.delivered_per_s);
  report.add(row, "ack p50 ms", figures.ack_p50_ms);
  report.add(row, "ack p99 ms", figures.ack_p99_ms);
  report.add(row, "way p50 ms", figures.way_p50_ms);
  report.add(row, "way p99 ms", figures.way_p99_ms);
  report.add(row, kCpu, figures.cpu_us);
  report.add(row, "peak MiB", figures.rss_mib_max);
  report.add(row, "refused", figures.refused);
  report.add(row, "repeated", figures.repeated);
}

bool is_wanted(const Options& options, const std::string& name) {
  if (options.only.empty()) return true;
  return std::find(options.only.begin(), options.only.end(), name) != options.only.end();
}

void run_loads(const Options& options, Report& report) {
  Receiver receiver(kPorts);
  for (int run = 1; run <= options.repeat; ++run) {
    for (const auto& [name, load] : all_loads(options.scale)) {
      if (!is_wanted(options, name)) continue;
      progress(fmt::format("{} of {}: {}", run, options.repeat, name));
      const ScratchFolder scratch(options.scratch);
      PetrelProcess server(options.petrel, scratch.path() + "/store");
      const std::string application = prepare(server, receiver, load.endpoints, options.load);
      add(report, name, measure(server, receiver, application, load, options.load));
      server.stop();
    }
  }
}

void add(Report& report, const std::string& row, const RestartFigures& figures) {
  report.add(row, "listens ms", figures.listens_ms);
  report.add(row, "1st way ms", figures.first_delivery_ms);
  report.add(row, "then MiB", figures.rss_mib);
  add(report, row, figures.load);
}

void run_backlog(const Options& options, Report& report) {
  if (options.backlog == 0 || !is_wanted(options, "backlog")) return;
  progress(fmt::format("making a backlog of {} deliveries", options.backlog));
  const ScratchFolder scratch(options.scratch);
  BacklogSettings settings;
  settings.binary = options.petrel;
  settings.folder = scratch.path();
  settings.deliveries = options.backlog;
  settings.fresh_messages = static_cast<int>(settings.fresh_messages * options.scale);
  settings.load = options.load;
  Backlog backlog(std::move(settings));

  const std::string empty = "restart, empty store";
  const std::string full = fmt::format("restart, {} waiting", options.backlog);
  for (int run = 1; run <= options.repeat; ++run) {
    progress(fmt::format("{} of {}: restarts", run, options.repeat));
    add(report, empty, backlog.restart_when_empty());
    add(report, full, backlog.restart_with_backlog());
  }
  report.add("backlog", "filled/s", backlog.filled_per_s());
  report.add("backlog", "cpu ratio", report.median(full, kCpu) / report.median(empty, kCpu));
}

std::vector<Hanging> all_hanging(const Options& options) {
  return {{.name = "1 hangs", .messages = options.backlog},
          {.name = "1 grown hangs", .messages = 10'000, .is_grown = true},
          {.name = "450 hang", .endpoints = 450, .messages = 40},
          {.name = "5000 hang", .endpoints = 5000, .messages = 2, .ratio_max = 1.5}};
}

void add(Report& report, const std::string& row, const Hanging& hanging,
         const NeighbourFigures& figures) {
  report.add(row, "alone p50", figures.alone.way_p50_ms);
  report.add(row, "alone p99", figures.alone.way_p99_ms);
  report.add(row, "beside p50", figures.beside.way_p50_ms);
  report.add(row, "beside p99", figures.beside.way_p99_ms);
  report.add(row, "p50 ratio", figures.beside.way_p50_ms / figures.alone.way_p50_ms);
  report.add(row, "p99 ratio", figures.beside.way_p99_ms / figures.alone.way_p99_ms);
  report.add(row, "p99 goal", hanging.ratio_max);
  report.add(row, "ack ratio", figures.beside.ack_p99_ms / figures.alone.ack_p99_ms);
  report.add(row, "cpu ratio", figures.beside.cpu_us / figures.alone.cpu_us);
  if (figures.slots) report.add(row, "slots", *figures.slots);
  if (figures.in_use) report.add(row, "in use", *figures.in_use);
}

void run_beside(const Options& options, const Hanging& hanging, int shards, Report& report) {
  const std::string row = fmt::format("{}, shards: {}", hanging.name, shards);
  progress(
      fmt::format("{}: making {} deliveries that hang", row, hanging.endpoints * hanging.messages));
  const ScratchFolder scratch(options.scratch);
  NeighbourSettings settings;
  settings.binary = options.petrel;
  settings.folder = scratch.path();
  settings.shards = shards;
  settings.hanging = hanging;
  settings.turns = std::max(static_cast<int>(settings.turns * options.scale), 1);
  settings.deadline = options.hang_deadline;
  settings.sending = options.load;
  Neighbours neighbours(std::move(settings));
  for (int run = 1; run <= options.repeat; ++run) {
    progress(fmt::format("{} of {}: {}", run, options.repeat, row));
    add(report, row, hanging, neighbours.measure());
  }
  neighbours.stop();
}

void run_neighbours(const Options& options, Report& report) {
  const bool are_all_wanted = is_wanted(options, "neighbours");
  for (const Hanging& hanging : all_hanging(options)) {
    if (hanging.messages == 0 || !(are_all_wanted || is_wanted(options, hanging.name))) continue;
    for (const int shards : options.shards) run_beside(options, hanging, shards, report);
  }
  if (!are_all_wanted) return;
  progress("two endpoints of a host, one idle");
  const ScratchFolder scratch(options.scratch);
  report.add("1 of 2 at a host", "in flight",
             in_flight_beside_idle(options.petrel, scratch.path()));
}

void run_idle(const Options& options, Report& report) {
  if (!is_wanted(options, "idle")) return;
  progress("making endpoints with open circuits");
  const ScratchFolder scratch(options.scratch);
  IdleSettings settings;
  settings.binary = options.petrel;
  settings.folder = scratch.path();
  settings.endpoints = std::max(static_cast<int>(settings.endpoints * options.scale), 1);
  const Idle idle(settings);
  const auto add_row = [&](const std::string& row, const IdleFigures& figures) {
    report.add(row, "cpu ms/s", figures.cpu_ms_per_s);
    report.add(row, "MiB", figures.rss_mib);
  };
  for (int run = 1; run <= options.repeat; ++run) {
    progress(fmt::format("{} of {}: idle", run, options.repeat));
    add_row(fmt::format("idle, {} at ease", settings.endpoints), idle.at_ease());
    add_row(fmt::format("idle, {} open", settings.endpoints), idle.with_open_circuits());
  }
}

void add(Report& report, const std::string& row, const ListFigures& figures) {
  report.add(row, "p50 ms", figures.p50_ms);
  report.add(row, "p99 ms", figures.p99_ms);
  report.add(row, "small p50", figures.small_p50_ms);
  report.add(row, "small p99", figures.small_p99_ms);
  report.add(row, "p50 ratio", figures.p50_ms / figures.small_p50_ms);
  report.add(row, "items", figures.items);
  report.add(row, "calls", figures.calls);
}

void run_lists(const Options& options, Report& report) {
  if (options.attempts == 0 || !is_wanted(options, "lists")) return;
  progress(fmt::format("writing a history of {} attempts", options.attempts));
  const ScratchFolder scratch(options.scratch);
  Lists lists({.binary = options.petrel,
               .folder = scratch.path(),
               .attempts = options.attempts,
               .payload_bytes = options.load.payload_bytes});
  for (int run = 1; run <= options.repeat; ++run) {
    progress(fmt::format("{} of {}: lists", run, options.repeat));
    for (std::size_t i = 0; i < lists.names().size(); ++i) {
      add(report, lists.names()[i], lists.measure(i));
    }
  }
  report.add("lists", "filled/s", lists.filled_per_s());
}

// Off until it is asked for: it writes a long history first.
void run_retention(const Options& options, Report& report) {
  if (options.only.empty() || !is_wanted(options, "retention")) return;
  progress("writing a history that is to be dropped");
  const ScratchFolder scratch(options.scratch);
  RetentionBenchSettings settings;
  settings.binary = options.petrel;
  settings.folder = scratch.path();
  settings.messages =
      static_cast<std::int64_t>(static_cast<double>(settings.messages) * options.scale);
  settings.sending = options.load;
  const RetentionFigures figures = measure_retention(settings);
  const auto add_row = [&](const std::string& row, const RetentionFigures::Side& side) {
    report.add(row, "ack p99 ms", side.ack_p99_ms);
    report.add(row, "way p50 ms", side.way_p50_ms);
    report.add(row, "way p99 ms", side.way_p99_ms);
    report.add(row, "deliveries", side.deliveries);
    report.add(row, "refused", side.refused);
    report.add(row, "repeated", side.repeated);
  };
  add_row("without a purge", figures.without);
  add_row("beside a purge", figures.beside);
  report.add("beside to without", "p99 ratio",
             figures.beside.way_p99_ms / figures.without.way_p99_ms);
  report.add("beside to without", "p99 goal", kPurgeRatioMax);
  const std::string row = "retention";
  report.add(row, "before", figures.messages_before);
  report.add(row, "after", figures.messages_after);
  report.add(row, "seconds", figures.purge_s);
  report.add(row, "MB before", figures.disk_mb_before);
  report.add(row, "MB after", figures.disk_mb_after);
  report.add(row, "dead", figures.dead_letters);
  report.add(row, "replayed", figures.replayed);
}

int run(int count, char** words) {
  Options options;
  CLI::App cli("Measures a petrel binary: its throughput, its latency, and what it spends.");
  cli.add_option("--petrel", options.petrel, "The binary (build/release/petrel)");
  cli.add_option("--scratch", options.scratch, "Where to make scratch folders");
  cli.add_option("--repeat", options.repeat, "Repetitions; medians are shown (3)")
      ->check(CLI::PositiveNumber);
  cli.add_option("--scale", options.scale, "Times as many messages (1)")
      ->check(CLI::Range(0.01, 1000.0));
  cli.add_option("--backlog", options.backlog, "Waiting deliveries to restart with; 0: none")
      ->check(CLI::NonNegativeNumber);
  cli.add_option("--attempts", options.attempts, "Attempts in the past to list; 0: none (0)")
      ->check(CLI::IsMember({0}) | CLI::Range(kShortHistory, 1'000'000'000));
  cli.add_option("--hang-deadline", options.hang_deadline,
                 "Of attempts at receivers that hang (300s)");
  cli.add_option("--shards", options.shards, "Of servers with neighbours; repeatable (1, 32)")
      ->check(CLI::Range(1, 256));
  cli.add_option("--connections", options.load.connections, "Of the producer (64)")
      ->check(CLI::Range(1, 1000));
  cli.add_option("--in-flight", options.load.in_flight_max, "maxInFlight of an endpoint (64)")
      ->check(CLI::Range(1, 1000));
  cli.add_option("--payload-bytes", options.load.payload_bytes, "(1024)")
      ->check(CLI::Range(100, 500'000));
  cli.add_option(
      "--only", options.only,
      "Only this load, by its name, backlog, neighbours or one of them by its name, idle, "
      "lists or retention; repeatable");
  cli.add_flag("--json", options.is_json, "All values, as JSON");
  CLI11_PARSE(cli, count, words);

  raise_descriptor_limit();
  Report report;
  run_loads(options, report);
  run_backlog(options, report);
  run_neighbours(options, report);
  run_idle(options, report);
  run_lists(options, report);
  run_retention(options, report);
  fmt::print("{}", options.is_json ? report.json() : report.table() + std::string(kLegend));
  return 0;
}

}  // namespace
}  // namespace petrel::bench

int main(int count, char** words) {
  try {
    return petrel::bench::run(count, words);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "petrel_bench: {}\n", failure.what());
    return 1;
  }
}
