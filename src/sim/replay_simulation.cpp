#include "sim/replay_simulation.h"

#include <functional>
#include <utility>

#include "sim/replay_disk.h"
#include "sim/replay_lanes.h"
#include "sim/replay_node.h"
#include "sim/replay_people.h"
#include "sim/replay_scenario.h"
#include "sim/world.h"

namespace petrel::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kBegin = wall_from_unix_seconds(1'767'225'600);  // 2026 begins.
constexpr std::size_t kLastEvents = 60;

// For a ramp to come up again from one a minute, and for the last answers.
constexpr Duration kGrace = minutes(30);

class ReplaySimulation {
 public:
  explicit ReplaySimulation(const ReplaySettings& settings)
      : settings_(settings),
        scenario_(draw_replay_scenario(settings.seed)),
        dice_(settings.seed ^ 0x9e3779b97f4a7c15U),
        world_(kBegin),
        log_(world_),
        audit_(world_, log_),
        disk_({.world = world_,
               .trouble = scenario_.trouble,
               .mutant = settings.mutant,
               .watcher = [this](const ReplayWrite& write) { audit_.seen(write); },
               .handed_over = [this](const store::ChangeSet& set) { meddle(set); }},
              dice_.seed()),
        node_({.world = world_, .disk = disk_, .log = log_, .mutant = settings.mutant},
              dice_.seed()),
        lanes_({.world = world_,
                .scenario = scenario_,
                .disk = disk_,
                .log = log_,
                .answered = [this](const model::DeliveryKey& key,
                                   bool is_good) { node_.answered(key, is_good); },
                .stopped = [this](EndpointId endpoint) { audit_.stopped(endpoint); }},
               dice_.seed()),
        people_({world_, scenario_, disk_, lanes_, node_, log_}, dice_.seed()) {
    audit_.look_at(disk_, lanes_);
    node_.set_lanes(lanes_);
  }

  ReplayReport run() {
    lanes_.stock();
    node_.start();
    for (int i = 0; i < scenario_.tasks; ++i) {
      world_.after(dice_.between(seconds(1), scenario_.length * 2 / 3), [this] {
        if (!is_well_) people_.begin_task();
      });
    }
    begin_incidents();
    world_.watch([this] { count_down(); });
    world_.run_until(MonoTime(scenario_.length));
    heal();
    come_to_rest();
    return report();
  }

 private:
  // Again and again, at about this interval; not at all if it is 0.
  void every(Duration interval, const std::function<void()>& action) {
    if (interval == Duration(0)) return;
    world_.after(dice_.spread(interval / 4, interval * 2), [this, interval, action] {
      if (is_well_) return;
      action();
      every(interval, action);
    });
  }

  EndpointId some_endpoint() { return lanes_.endpoints()[dice_.index(lanes_.endpoints().size())]; }

  void begin_incidents() {
    const ReplayIncidents& incidents = scenario_.incidents;
    every(incidents.crash, [this] { crash(dice_.spread(milliseconds(10), seconds(60))); });
    every(incidents.crash_loop, [this] { crashes_left_ = dice_.between(5, 40); });
    every(incidents.stall, [this] { disk_.stall(dice_.spread(milliseconds(100), seconds(60))); });
    every(incidents.refusal, [this] { disk_.refuse(dice_.spread(seconds(1), minutes(2))); });
    every(incidents.clock_step, [this] { step_clock(); });
    every(incidents.stop,
          [this] { lanes_.stop(some_endpoint(), dice_.spread(seconds(1), minutes(15))); });
    every(incidents.deletion, [this] { lanes_.remove(some_endpoint()); });
    every(incidents.expunging, [this] { expunge(); });
    every(incidents.resend, [this] { people_.resend(); });
    every(incidents.message, [this] { lanes_.post_message(); });
    every(incidents.edit, [this] { people_.edit(); });
    every(seconds(3), [this] {
      if (crashes_left_ == 0) return;
      --crashes_left_;
      crash(dice_.spread(milliseconds(10), seconds(1)));
    });
    draw_countdown();
  }

  void draw_countdown() {
    const int about = scenario_.incidents.crash_events;
    events_left_ = about == 0 ? -1 : dice_.between(1, 2 * about);
  }

  // Dies between any two events.
  void count_down() {
    if (is_well_ || events_left_ < 0 || !node_.is_up() || node_.under_way() == 0) return;
    if (events_left_-- > 0) return;
    draw_countdown();
    crash(dice_.spread(milliseconds(10), minutes(5)));
  }

  void crash(Duration down) {
    if (!node_.is_up()) return;
    audit_.crashed();
    node_.crash();
    world_.after(down, [this] { node_.start(); });
  }

  void step_clock() {
    const Duration by = dice_.chance(0.5) ? hours(1) : -hours(1);
    world_.clock().step(by);
    audit_.stepped(by);
  }

  void meddle(const store::ChangeSet& set) {
    if (is_well_) return;
    people_.meddle(set);
    const bool may_stall = scenario_.incidents.stall > Duration(0);
    if (may_stall && dice_.chance(0.03)) disk_.stall(dice_.spread(milliseconds(100), seconds(60)));
  }

  void expunge() {
    const MessageId message = lanes_.messages()[dice_.index(lanes_.messages().size())];
    disk_.change_by_person({.changes = {store::ExpungePayload{lanes_.application(), message}}},
                           [](const Status&) {});
  }

  void heal() {
    if (audit_.violation()) return;
    is_well_ = true;
    disk_.heal();
    node_.start();
    lanes_.heal();
    // What people have asked for is still on its way.
    world_.run_until(world_.now() + minutes(5));
    people_.resume_most();
    world_.run_until(world_.now() + minutes(1));
  }

  bool is_all_over() {
    for (const model::Task& task : disk_.tasks_on_disk(people_.organisation())) {
      if (task.state == model::TaskState::Running) return false;
    }
    return node_.under_way() == 0;
  }

  // The slowest could have to put back everything that there is, from where it began.
  MonoTime rest_bound() {
    Duration longest{};
    const auto all = static_cast<std::int64_t>(lanes_.messages().size()) * scenario_.endpoints;
    for (const model::Task& task : disk_.tasks_on_disk(people_.organisation())) {
      if (task.state != model::TaskState::Running) continue;
      longest = std::max(longest, Duration(minutes(1)) * all / task.pacing.rate_per_minute);
    }
    return world_.now() + longest + kGrace;
  }

  void come_to_rest() {
    const MonoTime bound = rest_bound();
    while (!audit_.violation() && !world_.is_spinning() && world_.now() < bound && !is_all_over()) {
      world_.run_until(world_.now() + minutes(1));
    }
    if (audit_.violation()) return;
    audit_.rested(people_.organisation());
    if (node_.under_way() > 0) {
      audit_.accuse(ReplayPromise::ComesToRest, "the process is still at a task that has ended");
    }
  }

  ReplayReport report() {
    ReplayReport report;
    report.seed = settings_.seed;
    report.violation = audit_.violation();
    if (report.violation) report.last_events = log_.last_lines(kLastEvents);
    if (settings_.keeps_log) report.log = log_.text();
    report.totals = audit_.totals();
    report.simulated = world_.now().time_since_epoch();
    report.events = world_.events_done();
    report.hash = log_.hash();
    return report;
  }

  ReplaySettings settings_;
  ReplayScenario scenario_;
  Dice dice_;
  World world_;
  ReplayLog log_;
  ReplayAudit audit_;
  ReplayDisk disk_;
  ReplayNode node_;
  ReplayLanes lanes_;
  ReplayPeople people_;
  int events_left_ = -1;  // Until it dies; -1: it does not.
  int crashes_left_ = 0;
  bool is_well_ = false;
};

}  // namespace

ReplayReport simulate_replay(const ReplaySettings& settings) {
  return ReplaySimulation(settings).run();
}

}  // namespace petrel::sim
