// PaceModel is how fast a task may put deliveries back at most, by the contract ("Replay", and
// "Exactly: Replay"): as a bucket that leaks at its rate, and that what is put back runs into.
//
//   rate      where it begins; with a ramp twice that after each minute, up to the ceiling
//   size      a second's worth, or one if that is more: so much it may catch up with; and the one
//             that is due. Of a rate that has doubled since, what was due by both
//
// It keeps to the largest rate that is allowed: one that was halved meanwhile may be lower.
//
// Thread: confined.

#pragma once

#include "base/time.h"

namespace petrel::sim::judge {

class PaceModel {
 public:
  struct Settings {
    int rate = 1;  // Per minute.
    int ceiling = 1;
    double extra = 0;  // What may come together beyond that.
  };

  explicit PaceModel(const Settings& settings) : settings_(settings) {}

  // The first one is put back: from now on the minutes run.
  void begin(MonoTime at);

  // One more may come, once and for all.
  void widen() { settings_.extra += 1; }

  // One more is put back. Whether that is allowed. REQUIRES: it has begun.
  bool add(MonoTime at);

  // What may come at one moment.
  double size_at(MonoTime at) const;

 private:
  double rate_at(MonoTime at) const;
  double leaked(MonoTime from, MonoTime to) const;

  Settings settings_;
  MonoTime began_{};
  double level_ = 0;
  MonoTime last_{};
};

}  // namespace petrel::sim::judge
