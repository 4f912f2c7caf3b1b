// Scenario is one simulated day, drawn from one seed: who receives, who sends, and what goes wrong
// when. Drawn swarm style: each seed first draws which kinds of trouble there are at all, so some
// days are quiet but for one thing and others have everything at once.
//
// It is a plan and nothing else: running it is Simulation's.
//
// Thread: any. A value.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "engine/core.h"
#include "model/retention.h"
#include "policy/retry_policy.h"
#include "sim/fault.h"
#include "sim/reached.h"
#include "sim/task_plan.h"

namespace petrel::sim {

// How a receiver behaves for a while.
struct Behaviour {
  // Healthy if empty; else one of the first faults, up to Flapping.
  std::optional<Fault> manner = std::nullopt;

  double share = 1;          // Of the requests that it happens to; the others are answered well.
  Duration latency{};        // Of an answer.
  Duration period{};         // Of Flapping: it is well for one half of it.
  std::int64_t wish{};       // Seconds, for the kinds of Retry-After that have some.
  bool is_overload = false;  // Retry-After comes with a 503 instead of a 429 …
  bool is_plain = false;     // … or with a 500, which holds no more than the delivery.
};

struct Phase {
  MonoTime from;
  Behaviour behaviour;
};

struct EndpointPlan {
  EndpointId id;
  std::size_t application = 0;
  std::string url;
  std::string authority;
  std::shared_ptr<const policy::RetryPolicy> policy;
  Duration timeout = std::chrono::seconds(15);
  int in_flight_max = 10;
  std::optional<int> throttle_rate;
  Duration clock_skew{};      // Of the receiver's clock, which its Date header shows.
  std::vector<Phase> phases;  // In order; the first one from the beginning.
};

// A message that a producer will post, until it hears that it was accepted.
struct PostPlan {
  MonoTime at;
  std::size_t application = 0;
  bool has_key = true;        // Without an idempotency key it is posted once.
  bool loses_answer = false;  // The first answer does not reach the producer.
  bool reuses_key = false;    // Posted once more under the same key, with another body.
  std::optional<Duration> deliver_after = std::nullopt;  // Not to be sent before.

  // Once it is accepted it is posted so often again, so far apart.
  int repeats = 0;
  Duration repeats_every{};

  std::size_t payload_bytes = 0;  // At least.
};

// Something that happens to us once.
struct Incident {
  MonoTime at;
  Fault kind = Fault::Crash;
  Duration length{};         // How long it lasts, or how far the clock is stepped.
  std::size_t endpoint = 0;  // If it happens to one …
  std::optional<int> in_flight_max = std::nullopt;  // … which is changed to have so many then.
  std::size_t application = 0;                      // If it happens to one …
  std::optional<int> rate = std::nullopt;  // … which may have so many attempts a second then.

  // It waits until this is seen next, and then happens to the delivery concerned.
  std::optional<Landmark> aim = std::nullopt;
  MessageId message{};
};

struct StoreTrouble {
  Duration latency_max = std::chrono::milliseconds(2);
  double is_slow = 0;  // The share of steps that take up to seconds.
  double fails = 0;
  double commit_unknown = 0;
  double load_fails = 0;
};

struct Scenario {
  std::uint64_t seed = 0;
  Duration length{};  // After it all faults stop.
  std::vector<ApplicationId> applications;
  std::vector<std::optional<int>> rates;  // Of applications, in their order; the others have none.
  std::vector<EndpointPlan> endpoints;
  std::vector<PostPlan> posts;  // By time.
  std::vector<Incident> incidents;
  StoreTrouble store;
  engine::CoreSettings core;
  std::size_t shards = 1;
  std::size_t memory_bytes = 0;  // For what is in flight. 0: no bound.

  // Of the server, and of applications in their order; the others have none of their own.
  model::RetentionSettings retention;
  std::vector<model::RetentionSettings> retentions;

  model::RetentionSettings retention_of(std::size_t application) const {
    return application < retentions.size() ? retentions[application] : model::RetentionSettings();
  }

  std::optional<int> rate_of(std::size_t application) const {
    return application < rates.size() ? rates[application] : std::nullopt;
  }
  TaskPlans tasks;
};

Scenario draw_scenario(std::uint64_t seed, Duration length);

}  // namespace petrel::sim
