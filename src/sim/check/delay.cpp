#include <fmt/format.h>

#include "sim/check/bounds.h"
#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

class Delay final : public Checker {
 public:
  using Checker::Checker;

  void recorded(const Track& track, const model::Settlement& settlement) override {
    if (!settlement.delivery.is_live() || track.trips.empty()) return;
    const Trip& trip = track.trips.back();
    const int failure = static_cast<int>(track.recorded) + 1;
    const DelayBounds bounds = delay_bounds(*plan_of(track).policy, failure, trip);
    const Duration delay = settlement.delivery.due_at - trip.ended_wall;
    if (delay >= bounds.shortest && delay <= bounds.longest) return;
    accuse(Property::Delay,
           fmt::format("due {} us after failure {}, which is not within {} … {} us", delay.count(),
                       failure, bounds.shortest.count(), bounds.longest.count()),
           &track);
  }

  void sending(const Track& track, const Trip& trip) override {
    if (!track.recorded_trip || !track.on_disk) return;
    const Trip& last = track.trips[*track.recorded_trip];
    // A restart goes by the wall clock, which may have been stepped forward meanwhile.
    const MonoTime due = clock().earliest_expected(track.on_disk->due_at, last.ended);
    if (trip.started >= due) return;
    accuse(Property::Delay,
           fmt::format("started {} us before it was due", (due - trip.started).count()), &track);
  }
};

}  // namespace

std::unique_ptr<Checker> delay(Court& court) { return std::make_unique<Delay>(court); }

}  // namespace petrel::sim::check
