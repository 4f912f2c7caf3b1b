// Witness turns what the simulated store, wire, clock, producers and people see of a node into
// evidence, and has a judge hear it while it happens. It draws no conclusions.
//
//   witness.accepted(…)   the store has it on disk       ─▶ judge::OnDisk
//   witness.requested(…)  the wire is given a request    ─▶ judge::Requested
//   witness.asked(…)      a person asks for something    ─▶ judge::Asked
//
// What people changed holds from the answer on. If the answer was Unavailable, or never came, the
// judge is told what became of it once the disk has it and the node runs by it, or never will.
//
// Thread: confined.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/attempt.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/settlement.h"
#include "model/task.h"
#include "sim/judge/judge.h"
#include "sim/lookout.h"
#include "sim/scenario.h"
#include "sim/world.h"

namespace petrel::sim {

class Witness {
 public:
  Witness(const Scenario& scenario, World& world);

  // Called at the first accusation.
  void on_accusation(std::function<void()> listener) { accused_ = std::move(listener); }

  // Whether the node shows the endpoint, or without one the application, as the disk has it. Asked
  // while something is open.
  using IsShown = std::function<bool(ApplicationId, EndpointId)>;
  void on_shown(IsShown ask) { is_shown_ = std::move(ask); }

  const judge::Judge& judge() const { return judge_; }
  const Reached& reached() const { return lookout_.reached(); }
  const std::vector<judge::Evidence>& heard() const { return heard_; }
  void keep_evidence() { keeps_ = true; }

  // A producer or a person asks, and is told. The number is given here.
  std::uint64_t asked(judge::Asked asked);
  void told(std::uint64_t number, int status, MessageId message = {});

  // The change that the store is handed next is what this one asked for.
  void decides(std::uint64_t number) { deciding_ = number; }

  // A change set is handed to the store. The handle names it until its fate is known.
  using ChangeHandle = std::optional<std::uint64_t>;
  ChangeHandle handed_over(const model::Endpoint* update, bool was_paused);
  void change_written(ChangeHandle change);

  // The store.
  void accepted(const model::Delivery& delivery, MonoTime handed_over);
  void settling(const model::DeliveryKey& key);
  void settled(const model::Delivery& delivery, const std::optional<model::Attempt>& attempt,
               MonoTime handed_over);
  void loaded(const std::vector<MessageId>& messages, Duration took);

  // What a set of changes has done.
  struct Author {
    judge::By by = judge::By::Person;
    TaskId task = {};
    MonoTime handed_over{};
  };
  void changed(const model::Delivery& delivery, const Author& author);
  void dropped(const judge::Dropped& dropped);
  void payload_gone(const judge::PayloadGone& gone);
  void task_step(TaskId task);
  void task_written(const model::Task& task, judge::By by, std::uint64_t overtaken);

  void store_is_away(bool is_away, const char* verb);
  void store_failed(const char* verb);

  // Told of each landmark, in the midst of it.
  void on_seen(Lookout::Listener listener) { lookout_.on_seen(std::move(listener)); }

  // Something happened that evidence does not show.
  void saw(Landmark landmark) { lookout_.saw(landmark); }

  // The wire.
  // `payload_bytes` are those of all requests that are out, with this one.
  std::uint64_t requested(const model::AttemptOrder& order, std::size_t payload_bytes);
  void replied(std::uint64_t request, const model::AttemptResult& result);

  // The process and its clock.
  void started();
  void stopping(Duration grace);
  void ended(bool has_drained);
  void clock_set(Duration by);

  void counted(const judge::Counted& counted);
  void rested(judge::Dump dump);

  // After every event.
  void looked();

 private:
  // What somebody asked for and nobody knows yet what became of.
  struct Open {
    ApplicationId application;
    EndpointId endpoint;
    bool is_own = false;
    bool is_written = false;
    bool is_answered = false;  // With Unavailable, or (if it is the node's own) never.
  };

  template <typename What>
  void hear(What what);
  void create_all(const Scenario& scenario);
  void resolve(std::uint64_t number, bool has_happened);

  World& world_;
  bool keeps_ = false;
  std::vector<judge::Evidence> heard_;
  judge::Judge judge_;
  Lookout lookout_;
  std::function<void()> accused_;
  IsShown is_shown_;
  std::uint64_t last_number_ = 0;
  std::uint64_t last_request_ = 0;
  int life_ = 0;
  std::optional<std::uint64_t> deciding_;
  std::map<std::uint64_t, Open> open_;
  std::map<model::DeliveryKey, MonoTime> settling_;  // Since when they were handed over first.

  struct Loaded {
    MonoTime at;
    Duration took;
  };
  std::map<MessageId, Loaded> loaded_;
};

}  // namespace petrel::sim
