#include "sim/simulation.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/crowd.h"
#include "sim/dice.h"
#include "sim/faulty_store.h"
#include "sim/incidents.h"
#include "sim/producers.h"
#include "sim/rest.h"
#include "sim/scenario.h"
#include "sim/scripted_transport.h"
#include "sim/sim_node.h"
#include "sim/sim_tasks.h"
#include "sim/witness.h"
#include "sim/world.h"

namespace petrel::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr WallTime kBegin = wall_from_unix_seconds(1'767'225'600);  // 2026 begins.

// Time for what is out when the faults stop to end and be settled.
constexpr Duration kSettling = minutes(10);

// How often the node is asked what it counts of itself, while something happens.
constexpr Duration kCountEvery = minutes(10);

class Simulation {
 public:
  Simulation(const SimulationSettings& settings, Scenario scenario)
      : settings_(settings),
        scenario_(std::move(scenario)),
        dice_(settings.seed ^ 0x9e3779b97f4a7c15U),
        world_(kBegin),
        witness_(scenario_, world_),
        disk_(make_disk()),
        store_({.world = world_,
                .disk = *disk_,
                .faults = faults_,
                .witness = witness_,
                .trouble = scenario_.store,
                .mutant = settings.mutant},
               dice_.seed()),
        transport_({.world = world_,
                    .scenario = scenario_,
                    .faults = faults_,
                    .witness = witness_,
                    .mutant = settings.mutant},
                   dice_.seed()),
        node_({.world = world_,
               .scenario = scenario_,
               .store = store_,
               .disk = *disk_,
               .transport = transport_,
               .faults = faults_,
               .witness = witness_,
               .mutant = settings.mutant},
              dice_.seed()),
        producers_({world_, scenario_, node_, faults_}, dice_.seed()),
        incidents_({world_, scenario_, node_, store_, faults_, witness_}, dice_.seed()),
        tasks_({world_, scenario_, node_, *disk_, faults_, witness_}, dice_.seed()) {}

  SimulationReport run() {
    if (settings_.keeps_evidence) witness_.keep_evidence();
    if (!settings_.hears_all) witness_.on_accusation([this] { world_.stop(); });
    world_.watch([this] {
      incidents_.looked();
      look();
    });
    producers_.begin();
    incidents_.begin();
    store_.on_task_step([this](const store::ChangeSet& set) { tasks_.stepped(set); });
    tasks_.begin();
    node_.start();
    world_.run_until(MonoTime(scenario_.length));
    stop_faults();
    come_to_rest();
    return report();
  }

 private:
  std::unique_ptr<Disk> make_disk() {
    if (!settings_.make_disk) return std::make_unique<MemoryDisk>(world_.clock());
    return settings_.make_disk({.clock = world_.clock(),
                                .faults = faults_,
                                .mutant = settings_.mutant,
                                .seed = settings_.seed});
  }

  void look() {
    witness_.looked();
    if (world_.now() < count_at_) return;
    count_at_ = world_.now() + kCountEvery;
    count();
  }

  void count() {
    const NodeView* const view = node_.view();
    if (view == nullptr) return;
    const engine::CoreCounts counts = view->counts();
    witness_.counted({.lanes = counts.lanes,
                      .in_flight = static_cast<std::size_t>(counts.out),
                      .unsettled = counts.unsettled,
                      .store_reads = store_.reads(),
                      .turns = node_.turns()});
  }

  // Nobody wants to hear more of it.
  bool is_over() const { return !settings_.hears_all && !accusations().empty(); }

  void stop_faults() {
    world_.after(Duration::zero(), [this] {
      incidents_.end();
      store_.heal();
      transport_.heal();
      node_.start();
      node_.resume_all();
      tasks_.end();
    });
    // What is out may bring the last pauses, and a restart may be under way.
    world_.after(kSettling, [this] {
      node_.start();
      node_.resume_all();
    });
    world_.run_until(world_.now() + kSettling);
  }

  // Tasks have time to end before everything else has.
  void end_tasks() {
    const MonoTime bound = tasks_.rest_bound(witness_.judge().scene().tracks().size());
    while (!is_over() && !world_.is_spinning() && world_.now() < bound && tasks_.are_under_way()) {
      world_.run_until(world_.now() + kCountEvery);
      tasks_.help();
    }
  }

  void come_to_rest() {
    end_tasks();
    if (is_over()) return;
    world_.run_to_rest(rest_bound(witness_.judge().scene(), now()));
    if (is_over()) return;
    left_over_ = left_over(witness_.judge().scene(), rest());
    if (is_over()) return;
    // Nothing is to be done, and the judge counts how often the node stirs all the same.
    count();
    world_.run_until(world_.now() + hours(1));
    count();
    witness_.rested(node_.dump());
  }

  judge::Moment now() const { return {world_.now(), world_.clock().wall()}; }

  Rest rest() const {
    return {.now = now(),
            .is_spinning = world_.is_spinning(),
            .are_producers_done = producers_.are_done(),
            .counts = node_.view()->counts()};
  }

  std::vector<judge::Accusation> accusations() const {
    std::vector<judge::Accusation> all = witness_.judge().accusations();
    all.insert(all.end(), left_over_.begin(), left_over_.end());
    for (const std::string& each : disk_->complaints()) {
      all.push_back({judge::Rule::Lost, now(), each});
    }
    return all;
  }

  SimulationReport report() {
    SimulationReport report;
    report.seed = settings_.seed;
    report.accusations = accusations();
    report.evidence = witness_.heard();
    report.start_delays = judge::start_delays(witness_.judge().scene());
    report.totals = totals_of(witness_.judge().scene());
    report.faults = faults_;
    report.reached = witness_.reached();
    report.simulated = world_.now().time_since_epoch();
    report.events = world_.events_done();
    return report;
  }

  SimulationSettings settings_;
  Scenario scenario_;
  Dice dice_;
  World world_;
  FaultCounts faults_;
  Witness witness_;
  std::unique_ptr<Disk> disk_;
  FaultyStore store_;
  ScriptedTransport transport_;
  SimNode node_;
  Producers producers_;
  Incidents incidents_;
  SimTasks tasks_;
  MonoTime count_at_{};
  std::vector<judge::Accusation> left_over_;
};

bool is_over(const SimulationSettings& settings, const SimulationReport& report) {
  return !settings.hears_all && !report.accusations.empty();
}

SimulationReport live_through(const SimulationSettings& settings, Scenario scenario) {
  return Simulation(settings, std::move(scenario)).run();
}

// A crowd takes as long as a day.
constexpr std::uint64_t kSeedsPerCrowd = 4;

// What a storm elsewhere may add to a start, whatever the disk does meanwhile.
constexpr Duration kStormCostMax = std::chrono::milliseconds(100);

// Whether bystanders noticed the storms.
void compare(const judge::StartDelays& calm, SimulationReport& report) {
  for (const auto& [which, start] : calm) {
    const auto found = report.start_delays.find(which);
    if (found == report.start_delays.end()) continue;
    Duration& most = report.totals.storm_cost_max;
    most = std::max(most, found->second.delay - start.delay);
  }
  for (const judge::Accusation& each :
       judge::crowd_check(calm, report.start_delays, kStormCostMax)) {
    report.accusations.push_back(each);
  }
}

SimulationReport simulate_crowd(const SimulationSettings& settings) {
  const Scenario crowd = draw_crowd(settings.seed);
  SimulationReport report = live_through(settings, without_storms(crowd));
  if (is_over(settings, report)) return report;
  const judge::StartDelays calm = std::move(report.start_delays);
  report.append(live_through(settings, crowd));
  if (!is_over(settings, report)) compare(calm, report);
  return report;
}

}  // namespace

void SimulationReport::append(SimulationReport next) {
  accusations.insert(accusations.end(), next.accusations.begin(), next.accusations.end());
  evidence.insert(evidence.end(), next.evidence.begin(), next.evidence.end());
  start_delays = std::move(next.start_delays);
  totals.add(next.totals);
  faults.add(next.faults);
  reached.add(next.reached);
  simulated += next.simulated;
  events += next.events;
}

SimulationReport simulate(const SimulationSettings& settings) {
  SimulationReport report = live_through(settings, draw_scenario(settings.seed, settings.length));
  const bool has_crowd = settings.seed % kSeedsPerCrowd == 0;
  if (has_crowd && !is_over(settings, report)) report.append(simulate_crowd(settings));
  return report;
}

}  // namespace petrel::sim
