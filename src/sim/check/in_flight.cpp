#include <vector>

#include <fmt/format.h>

#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

class InFlight final : public Checker {
 public:
  explicit InFlight(Court& court) : Checker(court), out_(court.scenario.endpoints.size()) {}

  void sending(const Track& track, const Trip&) override {
    const int most = plan_of(track).in_flight_max;
    if (++out_[track.endpoint] <= most) return;
    accuse(Property::InFlight,
           fmt::format("{} on the wire to an endpoint that allows {}", out_[track.endpoint], most),
           &track);
  }

  void ended(const Track& track) override { --out_[track.endpoint]; }

  void crashed(const std::vector<Track>&, store::Browse&) override { out_.assign(out_.size(), 0); }

 private:
  std::vector<int> out_;  // By endpoint.
};

}  // namespace

std::unique_ptr<Checker> in_flight(Court& court) { return std::make_unique<InFlight>(court); }

}  // namespace petrel::sim::check
