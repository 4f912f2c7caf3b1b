#include "lane/in_flight_limit.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace petrel::lane {

InFlightLimit::InFlightLimit(const InFlightSettings& settings)
    : max_(settings.max), limit_(std::min(settings.first, settings.max)) {
  CHECK(settings.max >= 1);
  CHECK(settings.first >= 1);
}

std::optional<InFlightLimit::Slot> InFlightLimit::try_acquire() {
  if (is_full()) return std::nullopt;
  ++in_flight_;
  return Slot{halvings_};
}

void InFlightLimit::release(Slot slot, Answer answer) {
  CHECK(in_flight_ >= 1);
  --in_flight_;
  if (slot.halvings != halvings_) return;
  if (answer == Answer::Good) count_good();
  if (answer == Answer::Pushback) halve();
}

void InFlightLimit::count_good() {
  ++good_in_round_;
  if (good_in_round_ < limit_) return;
  good_in_round_ = 0;
  limit_ = std::min(limit_ + 1, max_);
}

void InFlightLimit::halve() {
  limit_ = std::max(limit_ / 2, 1);
  good_in_round_ = 0;
  ++halvings_;
}

void InFlightLimit::set_max(std::int32_t max) {
  CHECK(max >= 1);
  if (max == max_) return;
  max_ = max;
  limit_ = std::min(limit_, max);
  good_in_round_ = 0;
}

std::string InFlightLimit::explain(MonoTime /*now*/) const {
  if (!is_full()) return {};
  std::string text = fmt::format("{} of {} {} in flight", in_flight_, limit_,
                                 limit_ == 1 ? "request is" : "requests are");
  if (limit_ < max_ && halvings_ > 0) {
    text += fmt::format("; {} are allowed once the receiver stops pushing back", max_);
  }
  return text;
}

}  // namespace petrel::lane
