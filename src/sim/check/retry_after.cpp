#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sim/check/bounds.h"
#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

class RetryAfter final : public Checker {
 public:
  explicit RetryAfter(Court& court) : Checker(court), holds_(court.scenario.endpoints.size()) {}

  void sending(const Track& track, const Trip& trip) override {
    check_delivery(track, trip);
    for (const Hold& hold : holds_[track.endpoint]) {
      if (trip.started <= hold.from || trip.started >= hold.until) continue;
      accuse(Property::RetryAfter,
             fmt::format("an attempt {} ms before the receiver wants any",
                         (hold.until - trip.started) / std::chrono::milliseconds(1)),
             &track);
    }
  }

  void ended(const Track& track) override {
    const Trip& trip = track.trips.back();
    const bool is_overload = trip.outcome.is_status(429) || trip.outcome.is_status(503);
    if (!is_overload || !trip.wish) return;
    auto& holds = holds_[track.endpoint];
    std::erase_if(holds, [&](const Hold& hold) { return hold.until <= now(); });
    holds.push_back({now(), now() + granted_wait(*plan_of(track).policy, trip)});
  }

  // That the whole endpoint is held is not kept on disk.
  void crashed(const std::vector<Track>&, store::Browse&) override {
    holds_.assign(holds_.size(), {});
  }

 private:
  struct Hold {
    MonoTime from;
    MonoTime until;
  };

  void check_delivery(const Track& track, const Trip& trip) {
    if (!track.recorded_trip) return;
    const Trip& last = track.trips[*track.recorded_trip];
    const Duration granted = granted_wait(*plan_of(track).policy, last);
    // A restart goes by the wall clock, which may have been stepped forward meanwhile.
    if (trip.started >= clock().earliest_expected(last.ended_wall + granted, last.ended)) return;
    accuse(Property::RetryAfter,
           fmt::format("tried {} s after an answer that asked for {} s",
                       (trip.started - last.ended) / std::chrono::seconds(1),
                       granted / std::chrono::seconds(1)),
           &track);
  }

  std::vector<std::vector<Hold>> holds_;  // By endpoint.
};

}  // namespace

std::unique_ptr<Checker> retry_after(Court& court) { return std::make_unique<RetryAfter>(court); }

}  // namespace petrel::sim::check
