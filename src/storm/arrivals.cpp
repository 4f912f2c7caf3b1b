#include "storm/arrivals.h"

#include <algorithm>

#include "base/random.h"

namespace petrel::storm {
namespace {

constexpr std::size_t kPlaceBytes = 4;

void draw(const Scenario& scenario, Party party, Random& random, std::vector<Arrival>& arrivals) {
  const Duration last = scenario.span - Duration(1);
  Duration at{};
  for (int i = 0; i < scenario.messages; ++i) {
    const bool is_alone = party == Party::Neighbour;
    if (is_alone || i % scenario.batch == 0) at = random.between(Duration::zero(), last);
    arrivals.push_back({at, party});
  }
}

}  // namespace

std::vector<Arrival> draw_arrivals(const Scenario& scenario) {
  Random random(scenario.seed);
  std::vector<Arrival> arrivals;
  arrivals.reserve(2 * static_cast<std::size_t>(scenario.messages));
  draw(scenario, Party::Stricken, random, arrivals);
  draw(scenario, Party::Neighbour, random, arrivals);
  std::stable_sort(arrivals.begin(), arrivals.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  return arrivals;
}

MessageId message_id(std::size_t place, WallTime accepted_at) {
  Ksuid::Bytes bytes = Ksuid::first_at(accepted_at).bytes();
  for (std::size_t i = 0; i < kPlaceBytes; ++i) {
    bytes[Ksuid::kBytes - 1 - i] = static_cast<std::uint8_t>(place >> (8 * i));
  }
  return MessageId(Ksuid(bytes));
}

std::size_t place_of(const MessageId& message) {
  std::size_t place = 0;
  for (std::size_t i = Ksuid::kBytes - kPlaceBytes; i < Ksuid::kBytes; ++i) {
    place = place << 8U | message.ksuid().bytes()[i];
  }
  return place;
}

}  // namespace petrel::storm
