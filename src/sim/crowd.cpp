#include "sim/crowd.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/ksuid.h"
#include "base/secure_random.h"
#include "sim/dice.h"

namespace petrel::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : dice_(seed), ids_(seed) { crowd_.seed = seed; }

  Scenario draw() {
    crowd_.core.slots = 2 * dice_.between(10, 14);
    crowd_.store.latency_max = dice_.spread(Duration(100), milliseconds(3));
    crowd_.applications.emplace_back(make_id());
    for (int i = dice_.between(1, 2); i > 0; --i) add_bystander();
    draw_storms();
    draw_flood();
    draw_calls();
    add_application();  // Nobody listens to it.
    std::stable_sort(crowd_.posts.begin(), crowd_.posts.end(),
                     [](const PostPlan& a, const PostPlan& b) { return a.at < b.at; });
    return std::move(crowd_);
  }

 private:
  Ksuid make_id() { return Ksuid::make(wall_from_unix_seconds(1'750'000'000), ids_); }

  EndpointPlan& add_endpoint(std::size_t application, const Behaviour& behaviour) {
    EndpointPlan plan;
    plan.id = EndpointId(make_id());
    plan.application = application;
    plan.authority = fmt::format("https://receiver-{}.test:443", crowd_.endpoints.size());
    plan.url = plan.authority + "/";
    plan.policy = std::make_shared<policy::RetryPolicy>();
    plan.phases = {{MonoTime{}, behaviour}};
    crowd_.endpoints.push_back(std::move(plan));
    return crowd_.endpoints.back();
  }

  void add_bystander() {
    const Behaviour well{.latency = dice_.spread(milliseconds(2), milliseconds(10))};
    add_endpoint(0, well);
  }

  std::size_t add_application() {
    crowd_.applications.emplace_back(make_id());
    return crowd_.applications.size() - 1;
  }

  void add_posts(std::size_t application, int count, MonoTime from, Duration width) {
    for (int i = 0; i < count; ++i) {
      crowd_.posts.push_back(
          {.at = from + dice_.between(Duration::zero(), width), .application = application});
    }
  }

  // All at one moment, or each when the one before is known to hang. With the bystanders and the
  // flood there are as many lanes with work as there are first slots.
  void draw_storms() {
    const Duration timeout = dice_.one_of<Duration>({seconds(3), seconds(15), seconds(300)});
    const bool is_at_once = timeout > seconds(15) || dice_.chance(0.5);
    const int others = static_cast<int>(crowd_.endpoints.size()) + 1;
    const int storms = crowd_.core.slots / 2 - others;
    MonoTime begins(seconds(20));
    for (int i = 0; i < storms; ++i) {
      const std::size_t application = add_application();
      EndpointPlan& plan =
          add_endpoint(application, {.manner = Fault::Hanging, .latency = milliseconds(5)});
      plan.timeout = timeout;
      plan.in_flight_max = dice_.between(2, 10);
      add_posts(application, dice_.between(20, 25), begins, milliseconds(10));
      if (!is_at_once) begins += timeout + dice_.between(milliseconds(100), seconds(1));
    }
    crowd_.length = begins.time_since_epoch() + dice_.between(minutes(1), minutes(3));
  }

  // Well, and more than all slots would be of use to it. Bystanders are called meanwhile.
  void draw_flood() {
    const std::size_t application = add_application();
    EndpointPlan& plan =
        add_endpoint(application, {.latency = dice_.between(milliseconds(20), milliseconds(40))});
    plan.in_flight_max = 2 * crowd_.core.slots;
    const MonoTime begins(dice_.between(Duration::zero(), crowd_.length));
    add_posts(application, dice_.between(200, 300), begins, milliseconds(10));
    add_posts(0, 10, begins, seconds(1));
  }

  // A message every few seconds, and more where a storm begins.
  void draw_calls() {
    const std::vector<PostPlan> others = crowd_.posts;
    for (int i = 0; i < 20; ++i) {
      add_posts(0, 1, others[dice_.index(others.size())].at, milliseconds(300));
    }
    add_posts(0, static_cast<int>(crowd_.length / seconds(4)), MonoTime{}, crowd_.length);
  }

  Dice dice_;
  SeededSecureRandom ids_;
  Scenario crowd_;
};

}  // namespace

Scenario draw_crowd(std::uint64_t seed) { return Drawing(seed).draw(); }

Scenario without_storms(Scenario crowd) {
  for (PostPlan& post : crowd.posts) {
    if (post.application != 0) post.application = crowd.applications.size() - 1;
  }
  return crowd;
}

}  // namespace petrel::sim
