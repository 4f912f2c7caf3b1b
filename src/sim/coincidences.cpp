#include "sim/coincidences.h"

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/ksuid.h"
#include "base/secure_random.h"
#include "sim/dice.h"
#include "sim/draw_policy.h"

namespace petrel::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr double kShare = 0.12;  // Of the days, for each of them.

// Of one coincidence: its dice, and what it adds to the day.
class Drawing {
 public:
  Drawing(Scenario& scenario, std::uint64_t salt)
      : scenario_(scenario), dice_(scenario.seed ^ salt), ids_(scenario.seed ^ salt) {}

 protected:
  // With time after it for what follows.
  MonoTime any_time() {
    return MonoTime(dice_.between(Duration::zero(), scenario_.length * 4 / 5));
  }

  std::size_t add_application() {
    scenario_.applications.emplace_back(make_id());
    return scenario_.applications.size() - 1;
  }

  // One that is always well.
  EndpointPlan& add_endpoint(std::size_t application, const std::string& authority,
                             Duration latency) {
    EndpointPlan plan;
    plan.id = EndpointId(make_id());
    plan.application = application;
    plan.authority = authority;
    plan.url = fmt::format("{}/{}", authority, scenario_.endpoints.size());
    plan.policy = std::make_shared<policy::RetryPolicy>(draw_policy(dice_));
    plan.in_flight_max = dice_.between(10, 20);
    plan.phases = {{MonoTime{}, Behaviour{.latency = latency}}};
    scenario_.endpoints.push_back(std::move(plan));
    return scenario_.endpoints.back();
  }

  void add_posts(std::size_t application, int count, MonoTime from, Duration width) {
    for (int i = 0; i < count; ++i) {
      scenario_.posts.push_back(
          {.at = from + dice_.between(Duration::zero(), width), .application = application});
    }
  }

  Scenario& scenario_;
  Dice dice_;

 private:
  Ksuid make_id() { return Ksuid::make(wall_from_unix_seconds(1'750'000'000), ids_); }

  SeededSecureRandom ids_;
};

// An authority that several busy endpoints share may have as many requests in flight as the one
// that may have most; then that one has less, goes elsewhere or is gone.
class CrowdedAuthority : public Drawing {
 public:
  explicit CrowdedAuthority(Scenario& scenario) : Drawing(scenario, 0x61757468) {}

  void draw() {
    const engine::CoreSettings usual;
    const bool has_room = scenario_.core.slots == usual.slots &&
                          scenario_.core.in_flight_per_authority == usual.in_flight_per_authority;
    if (!dice_.chance(kShare) || !has_room) return;
    const std::size_t application = add_application();
    const std::size_t largest = scenario_.endpoints.size();
    for (int i = dice_.between(5, 7); i > 0; --i) {
      add_endpoint(application, "https://shared.test:443",
                   dice_.spread(milliseconds(500), seconds(3)));
    }
    scenario_.endpoints[largest].in_flight_max =
        dice_.between(usual.in_flight_per_authority + 1, 3 * usual.in_flight_per_authority);

    const MonoTime at = any_time();
    const MonoTime shrinks_at = at + dice_.spread(seconds(5), minutes(20));
    add_posts(application, dice_.between(30, 100), at, seconds(5));
    add_posts(application, dice_.between(30, 100), shrinks_at + minutes(1), seconds(5));
    Incident shrinks{.at = shrinks_at, .endpoint = largest};
    shrinks.kind =
        dice_.one_of({Fault::EndpointChanged, Fault::UrlChanged, Fault::EndpointDeleted});
    shrinks.in_flight_max = dice_.between(1, usual.in_flight_per_authority);
    scenario_.incidents.push_back(shrinks);
  }
};

// A producer that does not believe what it is told.
class StubbornProducer : public Drawing {
 public:
  explicit StubbornProducer(Scenario& scenario) : Drawing(scenario, 0x72657065) {}

  void draw() {
    if (!dice_.chance(kShare)) return;
    for (int i = dice_.between(1, 2); i > 0; --i) {
      scenario_.posts.push_back({.at = any_time(),
                                 .application = dice_.index(scenario_.applications.size()),
                                 .repeats = dice_.between(300, 1000),
                                 .repeats_every = dice_.spread(milliseconds(20), seconds(1))});
    }
  }
};

// All endpoints of an application stand in line for its rate when it is raised.
class RaisedRate : public Drawing {
 public:
  explicit RaisedRate(Scenario& scenario) : Drawing(scenario, 0x72616973) {}

  void draw() {
    const bool has_room = scenario_.core.slots == engine::CoreSettings().slots;
    if (!dice_.chance(kShare) || !has_room) return;
    const std::size_t application = add_application();
    scenario_.rates.resize(application + 1);
    scenario_.rates.back() = 1;
    for (int i = dice_.between(10, 14); i > 0; --i) {
      add_endpoint(application, fmt::format("https://in-line-{}.test:443", i),
                   dice_.spread(milliseconds(2), milliseconds(100)));
    }
    const MonoTime at = any_time();
    add_posts(application, dice_.between(3, 8), at, seconds(1));
    scenario_.incidents.push_back({.at = at + dice_.between(seconds(2), seconds(25)),
                                   .kind = Fault::ApplicationLimited,
                                   .application = application,
                                   .rate = dice_.between(20, 200)});
  }
};

// Nothing is sent for a while after an endpoint was resumed; then much is.
class BurstAfterRest : public Drawing {
 public:
  explicit BurstAfterRest(Scenario& scenario) : Drawing(scenario, 0x72657374) {}

  void draw() {
    if (!dice_.chance(kShare)) return;
    const std::size_t application = add_application();
    const std::size_t endpoint = scenario_.endpoints.size();
    add_endpoint(application, "https://at-rest.test:443",
                 dice_.spread(milliseconds(2), milliseconds(500)));
    const MonoTime at = any_time();
    const Duration length = dice_.spread(seconds(5), minutes(10));
    scenario_.incidents.push_back(
        {.at = at, .kind = Fault::PausedByHand, .length = length, .endpoint = endpoint});
    const MonoTime rested_at = at + length + dice_.between(seconds(20), minutes(3));
    add_posts(application, dice_.between(20, 60), rested_at, seconds(1));
  }
};

// Large messages go to many endpoints at once, and there is not enough memory for a copy for each
// request, nor for all of them at once.
class HeavyMessages : public Drawing {
 public:
  explicit HeavyMessages(Scenario& scenario) : Drawing(scenario, 0x68656176) {}

  void draw() {
    if (!dice_.chance(kShare)) return;
    constexpr std::size_t kPayload = 200'000;
    scenario_.memory_bytes = 10 * kPayload;
    const std::size_t application = add_application();
    for (int i = dice_.between(6, 8); i > 0; --i) {
      add_endpoint(application, fmt::format("https://heavy-{}.test:443", i),
                   dice_.spread(seconds(1), seconds(4)));
    }
    const std::size_t first = scenario_.posts.size();
    add_posts(application, dice_.between(20, 30), any_time(), seconds(5));
    for (std::size_t i = first; i < scenario_.posts.size(); ++i) {
      scenario_.posts[i].payload_bytes = kPayload;
    }
  }
};

}  // namespace

void add_coincidences(Scenario& scenario) {
  CrowdedAuthority(scenario).draw();
  StubbornProducer(scenario).draw();
  RaisedRate(scenario).draw();
  BurstAfterRest(scenario).draw();
  HeavyMessages(scenario).draw();
}

}  // namespace petrel::sim
