#include <fmt/format.h>

#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

class DeliveredIsTrue final : public Checker {
 public:
  using Checker::Checker;

  void recorded(const Track& track, const model::Settlement& settlement) override {
    const bool is_delivered = settlement.delivery.state == model::DeliveryState::Delivered;
    if (is_delivered && !is_true(track)) {
      accuse(Property::DeliveredIsTrue, "recorded as delivered, but the receiver has no success",
             &track);
    }
    if (!settlement.attempt) return;
    const bool fits = !track.trips.empty() && track.trips.back().has_ended &&
                      track.trips.back().outcome == settlement.attempt->outcome;
    if (fits) return;
    accuse(
        Property::DeliveredIsTrue,
        fmt::format("an attempt that ended with {} is recorded, but not the last one on the wire",
                    settlement.attempt->outcome.text()),
        &track);
  }

 private:
  static bool is_true(const Track& track) {
    if (track.trips.empty()) return false;
    const Trip& last = track.trips.back();
    return last.is_processed && last.was_seen_to_succeed();
  }
};

}  // namespace

std::unique_ptr<Checker> delivered_is_true(Court& court) {
  return std::make_unique<DeliveredIsTrue>(court);
}

}  // namespace petrel::sim::check
