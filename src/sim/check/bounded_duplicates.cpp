#include <algorithm>

#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

class BoundedDuplicates final : public Checker {
 public:
  using Checker::Checker;

  void sending(const Track& track, const Trip& trip) override {
    if (track.trips.empty()) return;
    for (const Trip& before : track.trips) {
      if (before.life == trip.life) check_same_life(track, before);
    }
    // What follows a failure that we know of is no duplicate but a retry.
    const Trip& last = track.trips.back();
    if (last.was_seen_to_succeed() || cut_off(last, trip)) {
      ++totals().duplicates;
    } else if (last.is_processed) {
      ++totals().repeats_unknown;
    }
  }

  void crashed(const std::vector<Track>& tracks, store::Browse&) override {
    totals().duplicates_bound += static_cast<std::uint64_t>(
        std::count_if(tracks.begin(), tracks.end(), [](const Track& track) {
          return !track.trips.empty() && !track.trips.back().is_recorded;
        }));
  }

  void rested(const std::vector<Track>&, store::Browse&) override {
    if (totals().duplicates <= totals().duplicates_bound) return;
    accuse(Property::BoundedDuplicates, "more duplicates than were in flight at crashes");
  }

 private:
  // The process died before the answer of a receiver that had processed it came back.
  static bool cut_off(const Trip& before, const Trip& trip) {
    return before.life < trip.life && !before.has_ended && before.is_processed;
  }

  void check_same_life(const Track& track, const Trip& before) {
    if (!before.has_ended) {
      accuse(Property::BoundedDuplicates, "sent while the attempt before is still out", &track);
    } else if (before.was_seen_to_succeed()) {
      accuse(Property::BoundedDuplicates, "sent again after a success, without a crash", &track);
    } else if (!before.is_our_fault() && !before.is_recorded) {
      accuse(Property::BoundedDuplicates,
             "sent again before the outcome of the attempt before is on disk", &track);
    }
  }
};

}  // namespace

std::unique_ptr<Checker> bounded_duplicates(Court& court) {
  return std::make_unique<BoundedDuplicates>(court);
}

}  // namespace petrel::sim::check
