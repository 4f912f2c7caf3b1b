#include "sim/scenario.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/ksuid.h"
#include "base/secure_random.h"
#include "sim/coincidences.h"
#include "sim/dice.h"
#include "sim/draw_policy.h"

namespace petrel::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kManners = static_cast<std::size_t>(Fault::Flapping) + 1;

constexpr std::uint64_t kRateDice = 0x52617465;
constexpr std::uint64_t kRetentionDice = 0x52657465;
constexpr std::uint64_t kAimDice = 0x41696d65;

// How many simulated seconds a wish of Retry-After is long.
std::int64_t draw_wish(Dice& dice) {
  return std::chrono::duration_cast<seconds>(dice.spread(seconds(1), hours(4))).count();
}

class Drawing {
 public:
  Drawing(std::uint64_t seed, Duration length) : dice_(seed), ids_(seed) {
    scenario_.seed = seed;
    scenario_.length = length;
  }

  Scenario draw() {
    draw_swarm();
    draw_endpoints();
    draw_posts();
    draw_outages();
    sort_posts();
    draw_incidents();
    draw_store();
    draw_rates();
    draw_retention();
    draw_aimed();
    scenario_.tasks = draw_task_plans(scenario_);
    add_coincidences(scenario_);
    sort_posts();
    return std::move(scenario_);
  }

 private:
  MonoTime any_time() { return MonoTime(dice_.between(Duration::zero(), scenario_.length)); }

  Ksuid make_id() { return Ksuid::make(wall_from_unix_seconds(1'750'000'000), ids_); }

  // Which kinds of trouble this day has at all.
  void draw_swarm() {
    for (std::size_t i = 0; i < kManners; ++i) {
      if (dice_.chance(0.35)) manners_.push_back(static_cast<Fault>(i));
    }
    has_crashes_ = dice_.chance(0.6);
    has_clock_steps_ = dice_.chance(0.4);
    has_store_incidents_ = dice_.chance(0.4);
    has_changes_ = dice_.chance(0.4);
    has_recovery_ = dice_.chance(0.3);
    has_shortage_ = dice_.chance(0.3);
    has_outages_ = dice_.chance(0.3);
  }

  Behaviour draw_behaviour() {
    Behaviour behaviour;
    behaviour.latency = dice_.spread(milliseconds(2), seconds(1));
    if (manners_.empty() || dice_.chance(0.3)) return behaviour;
    behaviour.manner = manners_[dice_.index(manners_.size())];
    behaviour.share = dice_.chance(0.5) ? 1.0 : dice_.between(1, 99) / 100.0;
    behaviour.period = dice_.spread(seconds(2), hours(2));
    behaviour.wish = draw_wish(dice_);
    behaviour.is_overload = dice_.chance(0.4);
    behaviour.is_plain = dice_.chance(0.2);
    return behaviour;
  }

  std::vector<Phase> draw_phases(const std::vector<MonoTime>& recoveries) {
    std::vector<Phase> phases = {{MonoTime{}, draw_behaviour()}};
    for (int i = dice_.between(0, 6); i > 0; --i) phases.push_back({any_time(), draw_behaviour()});
    for (const MonoTime at : recoveries) {
      phases.push_back({at, Behaviour{.manner = std::nullopt, .latency = milliseconds(20)}});
    }
    if (has_shortage_) {
      const MonoTime at = any_time();
      Behaviour shortage = draw_behaviour();
      shortage.manner = Fault::OutOfDescriptors;
      phases.push_back({at, shortage});
      phases.push_back({at + dice_.spread(seconds(1), minutes(30)), draw_behaviour()});
    }
    sort_phases(phases);
    return phases;
  }

  static void sort_phases(std::vector<Phase>& phases) {
    std::stable_sort(phases.begin(), phases.end(),
                     [](const Phase& a, const Phase& b) { return a.from < b.from; });
  }

  void draw_endpoints() {
    for (int i = dice_.between(1, 4); i > 0; --i) {
      scenario_.applications.emplace_back(make_id());
    }
    std::vector<MonoTime> recoveries;
    if (has_recovery_) recoveries = {any_time(), any_time()};
    for (const MonoTime at : recoveries) {
      scenario_.incidents.push_back({.at = at, .kind = Fault::RecoveredAtOnce});
    }
    const int endpoints = dice_.between(1, 12);
    for (int i = 0; i < endpoints; ++i) {
      EndpointPlan plan;
      plan.id = EndpointId(make_id());
      plan.application = dice_.index(scenario_.applications.size());
      const int host = dice_.chance(0.2) ? 0 : i;  // Some share an authority.
      plan.authority = fmt::format("https://receiver-{}.test:443", host);
      plan.url = fmt::format("{}/{}", plan.authority, i);
      plan.policy = std::make_shared<policy::RetryPolicy>(draw_policy(dice_));
      plan.timeout = dice_.one_of<Duration>({seconds(1), seconds(5), seconds(15), seconds(60)});
      plan.in_flight_max = dice_.chance(0.2) ? 1 : dice_.between(1, 20);
      if (dice_.chance(0.2)) plan.throttle_rate = dice_.between(1, 20);
      if (dice_.chance(0.3)) plan.clock_skew = dice_.between(-hours(30), hours(30));
      plan.phases = draw_phases(recoveries);
      scenario_.endpoints.push_back(std::move(plan));
    }
  }

  void draw_posts() {
    // Most come in bursts: an idle system has nothing to lose.
    int left = static_cast<int>(dice_.spread(Duration(50), Duration(2000)).count());
    keyed_ = dice_.one_of({1.0, 0.9, 0.5});
    while (left > 0) {
      const MonoTime at = any_time();
      const Duration width = dice_.spread(milliseconds(10), minutes(10));
      const int burst = dice_.chance(0.5)
                            ? 1
                            : static_cast<int>(dice_.spread(Duration(2), Duration(300)).count());
      for (int i = 0; i < burst && left > 0; ++i, --left) {
        const MonoTime post_at = at + dice_.between(Duration::zero(), width);
        add_post(post_at, dice_.index(scenario_.applications.size()));
      }
    }
  }

  void add_post(MonoTime at, std::size_t application) {
    PostPlan post;
    post.at = at;
    post.application = application;
    post.has_key = dice_.chance(keyed_);
    post.loses_answer = post.has_key && dice_.chance(0.05);
    post.reuses_key = post.has_key && dice_.chance(0.02);
    if (has_changes_ && dice_.chance(0.03)) {
      post.deliver_after = dice_.spread(seconds(61), hours(2));
    }
    scenario_.posts.push_back(post);
  }

  void sort_posts() {
    std::stable_sort(scenario_.posts.begin(), scenario_.posts.end(),
                     [](const PostPlan& a, const PostPlan& b) { return a.at < b.at; });
  }

  // A busy receiver goes away, so much is sent meanwhile that a herd waits for it to come back, and
  // we may die while it is let go.
  void draw_outages() {
    if (!has_outages_) return;
    for (int i = dice_.between(1, 3); i > 0; --i) {
      EndpointPlan& plan = scenario_.endpoints[dice_.index(scenario_.endpoints.size())];
      const MonoTime at = any_time();
      const MonoTime end = at + dice_.spread(seconds(20), minutes(30));
      draw_outage_phases(plan, at, end);
      const Duration busy = dice_.spread(seconds(1), minutes(2));
      for (int n = dice_.between(0, 200); n > 0; --n) {
        add_post(at - dice_.between(Duration::zero(), busy), plan.application);
      }
      for (int n = dice_.between(40, 300); n > 0; --n) {
        add_post(at + dice_.between(Duration::zero(), end - at), plan.application);
      }
      for (int n = has_crashes_ ? dice_.between(0, 4) : 0; n > 0; --n) {
        scenario_.incidents.push_back({.at = end + dice_.spread(seconds(1), minutes(10)),
                                       .kind = dice_.one_of({Fault::Crash, Fault::Restart}),
                                       .length = dice_.spread(milliseconds(1), seconds(20))});
      }
    }
  }

  void draw_outage_phases(EndpointPlan& plan, MonoTime at, MonoTime end) {
    const MonoTime from = std::max(MonoTime{}, at - minutes(2));
    std::erase_if(plan.phases, [&](const Phase& phase) {
      return phase.from > MonoTime{} && phase.from >= from && phase.from < end + hours(1);
    });
    const Duration latency = dice_.spread(milliseconds(2), milliseconds(500));
    const Behaviour well{.manner = std::nullopt, .latency = latency};
    const Fault manner = dice_.one_of(
        {Fault::Refused, Fault::ServerError, Fault::Dns, Fault::Tls, Fault::RetryAfterSeconds});
    plan.phases.push_back({from, well});
    plan.phases.push_back(
        {at,
         Behaviour{
             .manner = manner, .latency = latency, .wish = draw_wish(dice_), .is_plain = true}});
    plan.phases.push_back({end, well});
    sort_phases(plan.phases);
  }

  // Half of what happens to us happens when there is something to do.
  MonoTime busy_time() {
    if (dice_.chance(0.3)) return any_time();
    const PostPlan& post = scenario_.posts[dice_.index(scenario_.posts.size())];
    return post.at + dice_.spread(milliseconds(1), minutes(5));
  }

  void add_incidents(Fault kind, int most, Duration shortest, Duration longest) {
    for (int i = dice_.between(0, most); i > 0; --i) {
      scenario_.incidents.push_back({.at = busy_time(),
                                     .kind = kind,
                                     .length = dice_.spread(shortest, longest),
                                     .endpoint = dice_.index(scenario_.endpoints.size())});
    }
  }

  void draw_incidents() {
    if (has_crashes_) {
      add_incidents(Fault::Crash, 12, milliseconds(1), minutes(20));
      add_incidents(Fault::Restart, 4, milliseconds(1), minutes(1));
    }
    if (has_clock_steps_) {
      add_incidents(Fault::ClockForward, 3, milliseconds(1), hours(1));
      add_incidents(Fault::ClockBack, 3, milliseconds(1), hours(1));
    }
    if (has_store_incidents_) {
      add_incidents(Fault::StoreStalls, 5, milliseconds(100), seconds(30));
      add_incidents(Fault::DiskFull, 3, seconds(1), minutes(40));
    }
    if (has_changes_) {
      add_incidents(Fault::EndpointChanged, 6, seconds(1), seconds(2));
      add_incidents(Fault::PausedByHand, 3, seconds(1), hours(1));
      add_incidents(Fault::UrlChanged, 3, seconds(1), seconds(2));
      add_incidents(Fault::CircuitOrdered, 4, seconds(1), seconds(2));
      add_incidents(Fault::Resent, 6, seconds(1), seconds(2));
      add_incidents(Fault::Expunged, 3, seconds(1), seconds(2));
      add_incidents(Fault::EndpointDeleted, 1, seconds(1), seconds(2));
    }
  }

  void draw_store() {
    scenario_.store.latency_max = dice_.spread(Duration(100), milliseconds(40));
    if (dice_.chance(0.3)) scenario_.store.is_slow = dice_.between(1, 20) / 100.0;
    if (dice_.chance(0.4)) scenario_.store.fails = dice_.between(1, 30) / 100.0;
    if (dice_.chance(0.4)) scenario_.store.commit_unknown = dice_.between(1, 20) / 100.0;
    if (dice_.chance(0.3)) scenario_.store.load_fails = dice_.between(1, 30) / 100.0;
    if (dice_.chance(0.3)) scenario_.core.slots = dice_.between(2, 20);
    if (dice_.chance(0.3)) scenario_.core.in_flight_per_authority = dice_.between(1, 20);
    if (dice_.chance(0.3)) scenario_.core.payload_bytes_max = 1000;
    scenario_.shards = static_cast<std::size_t>(dice_.between(1, 4));
  }

  // The rates of applications, from dice of their own: all other draws are as they were before.
  void draw_rates() {
    Dice dice(scenario_.seed ^ kRateDice);
    const bool are_limited = dice.chance(0.3);
    for (std::size_t i = 0; i < scenario_.applications.size(); ++i) {
      scenario_.rates.push_back(are_limited && dice.chance(0.6) ? draw_rate(dice) : std::nullopt);
    }
    for (int n = are_limited ? dice.between(0, 8) : 0; n > 0; --n) {
      const PostPlan& post = scenario_.posts[dice.index(scenario_.posts.size())];
      scenario_.incidents.push_back({.at = post.at + dice.spread(milliseconds(1), minutes(5)),
                                     .kind = Fault::ApplicationLimited,
                                     .application = post.application,
                                     .rate = draw_rate(dice)});
    }
  }

  // Retentions of hours on every third day, so that much of it is over within the day.
  void draw_retention() {
    Dice dice(scenario_.seed ^ kRetentionDice);
    if (!dice.chance(0.35)) return;
    const auto period = [&] { return Duration(hours(dice.between(1, 12))); };
    scenario_.retention.ended = period();
    if (dice.chance(0.3)) scenario_.retention.payloads = period();
    if (dice.chance(0.3)) scenario_.retention.attempts = period();
    if (dice.chance(0.5)) scenario_.retention.dead_letters = period();
    for (std::size_t i = 0; i < scenario_.applications.size(); ++i) {
      model::RetentionSettings own;
      if (dice.chance(0.4)) own.ended = period();
      if (dice.chance(0.2)) own.payloads = period();
      if (dice.chance(0.3)) own.dead_letters = period();
      scenario_.retentions.push_back(own);
    }
  }

  // What would be missed on most days if it happened at any moment, from dice of its own too.
  void draw_aimed() {
    Dice dice(scenario_.seed ^ kAimDice);
    const auto aim = [&](Fault kind, Landmark landmark) {
      scenario_.incidents.push_back(
          {.at = MonoTime(dice.between(Duration::zero(), scenario_.length / 2)),
           .kind = kind,
           .length = dice.spread(milliseconds(1), minutes(1)),
           .aim = landmark});
    };
    for (int i = has_crashes_ ? dice.between(0, 4) : 0; i > 0; --i) {
      aim(Fault::Crash, Landmark::ReleaseBegun);
    }
    if (has_crashes_ && has_changes_) aim(Fault::Crash, Landmark::MovedInFlight);
    if (has_changes_ && dice.chance(0.5)) aim(Fault::UrlChanged, Landmark::ProbeEarly);
    if (has_changes_ && dice.chance(0.5)) aim(Fault::Expunged, Landmark::LoadBegun);
    for (int i = has_changes_ ? dice.between(0, 3) : 0; i > 0; --i) {
      aim(Fault::Resent, Landmark::ProbeEarly);
    }
    for (int i = has_changes_ ? dice.between(0, 3) : 0; i > 0; --i) {
      aim(Fault::EndpointChanged, Landmark::ToldGone);
    }
    for (int i = has_crashes_ ? dice.between(0, 3) : 0; i > 0; --i) {
      aim(Fault::Crash, Landmark::WrittenLate);
    }
  }

  static std::optional<int> draw_rate(Dice& dice) {
    if (dice.chance(0.2)) return std::nullopt;
    return static_cast<int>(dice.spread(Duration(1), Duration(300)).count());
  }

  Dice dice_;
  SeededSecureRandom ids_;
  Scenario scenario_;
  std::vector<Fault> manners_;
  double keyed_ = 1;  // The share of posts with an idempotency key.
  bool has_crashes_ = false;
  bool has_clock_steps_ = false;
  bool has_store_incidents_ = false;
  bool has_changes_ = false;
  bool has_recovery_ = false;
  bool has_shortage_ = false;
  bool has_outages_ = false;
};

}  // namespace

Scenario draw_scenario(std::uint64_t seed, Duration length) { return Drawing(seed, length).draw(); }

}  // namespace petrel::sim
