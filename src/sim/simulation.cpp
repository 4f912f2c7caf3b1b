#include "sim/simulation.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/check/bounds.h"
#include "sim/crowd.h"
#include "sim/dice.h"
#include "sim/faulty_store.h"
#include "sim/incidents.h"
#include "sim/judge/evidence_text.h"
#include "sim/ledger.h"
#include "sim/producers.h"
#include "sim/scenario.h"
#include "sim/scripted_transport.h"
#include "sim/sim_node.h"
#include "sim/witness.h"
#include "sim/world.h"
#include "store/memory/memory_store.h"

namespace petrel::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kBegin = wall_from_unix_seconds(1'767'225'600);  // 2026 begins.
constexpr std::size_t kLastEvents = 40;

// Time for what is out when the faults stop to end and be settled.
constexpr Duration kSettling = minutes(10);

// A circuit may have to be probed once more, and a ramp to run to its end.
constexpr Duration kGrace = minutes(45);

// How often a node that has nothing to do may stir in an hour, and for each lane that leaves in it.
constexpr std::uint64_t kIdleEventsMax = 200;
constexpr std::uint64_t kLeavingEventsMax = 6;

// How often the node is asked what it counts of itself, while something happens.
constexpr Duration kCountEvery = minutes(10);

class Simulation {
 public:
  Simulation(const SimulationSettings& settings, Scenario scenario)
      : settings_(settings),
        scenario_(std::move(scenario)),
        dice_(settings.seed ^ 0x9e3779b97f4a7c15U),
        world_(kBegin),
        ledger_(scenario_, world_, !settings.hears_all),
        witness_(scenario_, world_),
        disk_(world_.clock()),
        store_({.world = world_,
                .disk = disk_,
                .ledger = ledger_,
                .witness = witness_,
                .trouble = scenario_.store,
                .mutant = settings.mutant},
               dice_.seed()),
        transport_({.world = world_,
                    .scenario = scenario_,
                    .ledger = ledger_,
                    .witness = witness_,
                    .mutant = settings.mutant},
                   dice_.seed()),
        node_({.world = world_,
               .scenario = scenario_,
               .store = store_,
               .disk = disk_,
               .transport = transport_,
               .ledger = ledger_,
               .witness = witness_,
               .mutant = settings.mutant},
              dice_.seed()),
        producers_({world_, scenario_, node_, ledger_}, dice_.seed()),
        incidents_({world_, scenario_, node_, store_, ledger_, witness_}, dice_.seed()) {}

  SimulationReport run() {
    if (settings_.hears_all && settings_.keeps_journal) witness_.keep_evidence();
    if (settings_.hears_all) witness_.on_accusation([] {});
    world_.watch([this] {
      if (!settings_.hears_all) ledger_.looked(node_.view());
      incidents_.looked();
      look();
    });
    producers_.begin();
    incidents_.begin();
    node_.start();
    world_.run_until(MonoTime(scenario_.length));
    stop_faults();
    come_to_rest();
    return report();
  }

 private:
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
                      .turns = world_.events_done()});
  }

  bool is_over() { return ledger_.court().violation.has_value(); }

  void stop_faults() {
    world_.after(Duration::zero(), [this] {
      incidents_.end();
      store_.heal();
      transport_.heal();
      node_.start();
      node_.resume_all();
    });
    // What is out may bring the last pauses, and a restart may be under way.
    world_.after(kSettling, [this] {
      node_.start();
      node_.resume_all();
    });
    world_.run_until(world_.now() + kSettling);
  }

  // When the last delivery must have ended, now that everybody is well.
  MonoTime rest_bound() {
    MonoTime last = world_.now();
    Duration backlog{};
    for (const Track& track : ledger_.tracks()) {
      const EndpointPlan& plan = scenario_.endpoints[track.endpoint];
      for (const Trip& trip : track.trips) {
        if (trip.wish) last = std::max(last, trip.ended + check::granted_wait(*plan.policy, trip));
      }
      if (!track.on_disk || !track.on_disk->is_live()) continue;
      backlog += seconds(1);
      last = std::max(last, world_.now() + (track.on_disk->due_at - world_.clock().wall()));
    }
    return last + backlog + kGrace;
  }

  void come_to_rest() {
    if (is_over()) return;
    world_.run_to_rest(rest_bound());
    if (is_over()) return;
    expect_rest();
    if (is_over()) return;
    expect_idle();
    ledger_.rested(disk_);
    witness_.rested(node_.dump());
  }

  void expect_rest() {
    Court& court = ledger_.court();
    if (world_.is_spinning()) {
      return court.accuse(Property::ComesToRest, "the node goes round in a circle");
    }
    if (!producers_.are_done()) {
      court.accuse(Property::ComesToRest, "a producer still waits for its answer");
    }
    for (const Track& track : ledger_.tracks()) {
      if (!track.on_disk || !track.on_disk->is_live()) continue;
      return court.accuse(Property::ComesToRest, "is still under way", &track);
    }
    const engine::CoreCounts counts = node_.view()->counts();
    if (counts.out == 0 && counts.unsettled == 0) return;
    court.accuse(Property::ComesToRest,
                 fmt::format("{} out and {} unsettled", counts.out, counts.unsettled));
  }

  void expect_idle() {
    count();
    const std::uint64_t before = world_.events_done();
    world_.run_until(world_.now() + hours(1));
    count();
    const std::uint64_t most = kIdleEventsMax + kLeavingEventsMax * scenario_.endpoints.size();
    if (world_.events_done() - before <= most) return;
    ledger_.court().accuse(Property::ComesToRest, "the node stirs although nothing is to be done");
  }

  judge::StartDelays start_delays() {
    if (settings_.hears_all) return judge::start_delays(witness_.judge().scene());
    judge::StartDelays delays;
    for (const auto& [which, delay] : ledger_.court().start_delays) {
      const EndpointId endpoint = scenario_.endpoints[which.second].id;
      delays[{endpoint, fmt::format("post.{}", which.first)}] = delay;
    }
    return delays;
  }

  SimulationReport report() {
    const Court& court = ledger_.court();
    SimulationReport report;
    report.seed = settings_.seed;
    report.violation = court.violation;
    if (court.violation) {
      std::uint32_t who = Journal::kNobody;
      if (court.violation->delivery) {
        if (const Track* track = ledger_.find(*court.violation->delivery)) who = track->number;
      }
      report.last_events = ledger_.journal().last_lines(who, kLastEvents);
    }
    report.accusations = witness_.judge().accusations();
    if (settings_.keeps_journal) report.journal = ledger_.journal().text();
    for (const judge::Evidence& each : witness_.heard()) report.evidence += to_line(each) + "\n";
    report.start_delays = start_delays();
    report.totals = court.totals;
    report.faults = ledger_.faults();
    report.simulated = world_.now().time_since_epoch();
    report.events = world_.events_done();
    report.hash = ledger_.journal().hash();
    return report;
  }

  SimulationSettings settings_;
  Scenario scenario_;
  Dice dice_;
  World world_;
  Ledger ledger_;
  Witness witness_;
  store::MemoryStore disk_;
  FaultyStore store_;
  ScriptedTransport transport_;
  SimNode node_;
  Producers producers_;
  Incidents incidents_;
  MonoTime count_at_{};
};

SimulationReport live_through(const SimulationSettings& settings, Scenario scenario) {
  return Simulation(settings, std::move(scenario)).run();
}

// A crowd takes as long as a day.
constexpr std::uint64_t kSeedsPerCrowd = 4;

// What a storm elsewhere may add to a start, whatever the disk does meanwhile.
constexpr Duration kStormCostMax = std::chrono::milliseconds(100);

// Whether bystanders noticed the storms.
void compare(const judge::StartDelays& calm, SimulationReport& report) {
  for (const auto& [which, delay] : calm) {
    const auto found = report.start_delays.find(which);
    if (found == report.start_delays.end()) continue;
    Duration& most = report.totals.storm_cost_max;
    most = std::max(most, found->second - delay);
  }
  for (const judge::Accusation& each :
       judge::crowd_check(calm, report.start_delays, kStormCostMax)) {
    if (!report.violation) report.violation = Violation{each.rule, each.text};
    report.accusations.push_back(each);
  }
}

SimulationReport simulate_crowd(const SimulationSettings& settings) {
  const Scenario crowd = draw_crowd(settings.seed);
  SimulationReport report = live_through(settings, without_storms(crowd));
  if (report.violation) return report;
  const judge::StartDelays calm = std::move(report.start_delays);
  report.append(live_through(settings, crowd));
  if (!report.violation) compare(calm, report);
  return report;
}

}  // namespace

void SimulationReport::append(SimulationReport next) {
  violation = std::move(next.violation);
  last_events = std::move(next.last_events);
  journal += next.journal;
  evidence += next.evidence;
  accusations.insert(accusations.end(), next.accusations.begin(), next.accusations.end());
  start_delays = std::move(next.start_delays);
  totals.add(next.totals);
  faults.add(next.faults);
  simulated += next.simulated;
  events += next.events;
  hash = hash * 31 + next.hash;
}

SimulationReport simulate(const SimulationSettings& settings) {
  SimulationReport report = live_through(settings, draw_scenario(settings.seed, settings.length));
  const bool has_crowd = settings.seed % kSeedsPerCrowd == 0;
  if (!report.violation && has_crowd) report.append(simulate_crowd(settings));
  return report;
}

}  // namespace petrel::sim
