// Judge hears evidence and returns accusations: every rule of the contract that what was seen
// breaks.
//
//   Judge judge(settings);
//   judge.hear({now, Requested{…}});
//   for (const Accusation& accusation : judge.accusations()) …
//
// It shares no code with what it judges: it includes base and its own folder alone.
//
// Thread: confined.

#pragma once

#include <memory>
#include <vector>

#include "sim/judge/accusation.h"
#include "sim/judge/accuser.h"
#include "sim/judge/evidence.h"
#include "sim/judge/judge_settings.h"
#include "sim/judge/lanes.h"
#include "sim/judge/scene.h"

namespace petrel::sim::judge {

class Judge {
 public:
  explicit Judge(const JudgeSettings& settings);
  ~Judge();
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  // REQUIRES: evidence comes in the order of its moments on the monotonic clock.
  void hear(const Evidence& evidence);

  // In the order in which they were found.
  const std::vector<Accusation>& accusations() const { return accusations_; }

  const Scene& scene() const { return scene_; }
  const Lanes& lanes() const { return lanes_; }

 private:
  void show(const Asked& asked);
  void show(const Told& told);
  void show(const Resolved&) {}
  void show(const Requested& sent);
  void show(const Replied& reply);
  void show(const OnDisk&) {}
  void show(const PayloadGone& gone);
  void show(const Dropped& dropped);
  void show(const TaskStep& step);
  void show(const TaskOnDisk& record);
  void show(const Counted& counted);
  void show(const Life& life);
  void show(const ClockSet& set);
  void show(const StoreAway& away);
  void show(const Dump& dump);
  void show_record(const OnDisk& record);

  JudgeSettings settings_;
  Scene scene_;
  Lanes lanes_;
  std::vector<Accusation> accusations_;
  std::vector<std::unique_ptr<Accuser>> accusers_;
};

}  // namespace petrel::sim::judge
