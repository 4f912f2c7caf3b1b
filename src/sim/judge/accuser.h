// Accuser watches over one rule, or a few that belong together. It sees what happens and may read
// the scene and the models; it never asks the node whether it did well.
//
// What it is shown is in the scene already, but for a record that goes to disk: of that it also
// sees how the delivery was before.
//
// Thread: confined.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/judge/accusation.h"
#include "sim/judge/evidence.h"
#include "sim/judge/judge_settings.h"
#include "sim/judge/lanes.h"
#include "sim/judge/scene.h"

namespace petrel::sim::judge {

// What all accusers share.
struct Bench {
  const JudgeSettings& settings;
  const Scene& scene;
  const Lanes& lanes;
  std::vector<Accusation>& accusations;
};

class Accuser {
 public:
  explicit Accuser(Bench bench) : bench_(bench) {}
  virtual ~Accuser() = default;
  Accuser(const Accuser&) = delete;
  Accuser& operator=(const Accuser&) = delete;

  // Before anything else is entered that comes at `now`: the time up to it has passed and nothing
  // happened in it.
  virtual void passed(const Moment& /*now*/) {}

  virtual void asked(const Asked&) {}
  virtual void told(const Told&, const Asked&) {}

  // A request goes on the wire. The models have not taken it in.
  virtual void requested(const Request&) {}
  virtual void replied(const Request&) {}

  // `before` is null if there was no such delivery; `request` if no request fits the attempt.
  virtual void on_disk(const Track* /*before*/, const OnDisk&, const Request* /*request*/) {}
  virtual void payload_gone(const PayloadGone&) {}
  virtual void dropped(const Dropped&) {}
  virtual void task_step(const TaskStep&) {}
  virtual void task_on_disk(const TaskOnDisk&) {}
  virtual void counted(const Counted&) {}
  virtual void store_away(const StoreAway&) {}
  virtual void life(const Life&) {}
  virtual void clock_set(const ClockSet&) {}

  // Nothing happens any more.
  virtual void rested(const Dump&) {}

 protected:
  const JudgeSettings& settings() const { return bench_.settings; }
  const Scene& scene() const { return bench_.scene; }
  const Catalogue& catalogue() const { return bench_.scene.catalogue(); }
  const Lanes& lanes() const { return bench_.lanes; }
  MonoTime now() const { return bench_.scene.now().mono; }

  void accuse(Rule rule, const DeliveryName& about, std::string text) {
    bench_.accusations.push_back(
        {rule, bench_.scene.now(), std::move(text), about.endpoint, about.message});
  }
  void accuse(Rule rule, EndpointId about, std::string text) {
    bench_.accusations.push_back({rule, bench_.scene.now(), std::move(text), about});
  }
  void accuse(Rule rule, std::string text) {
    bench_.accusations.push_back({rule, bench_.scene.now(), std::move(text)});
  }

 private:
  Bench bench_;
};

}  // namespace petrel::sim::judge
