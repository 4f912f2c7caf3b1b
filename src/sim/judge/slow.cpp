#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "sim/judge/accusers.h"

namespace petrel::sim::judge {
namespace {

class Slow final : public Accuser {
 public:
  using Accuser::Accuser;

  void passed(const Moment& now) override {
    for (const EndpointId endpoint : catalogue().endpoints()) {
      const LaneModel* const lane = lanes().lane(endpoint);
      if (lane == nullptr || !lane->free || *lane->free + settings().slack >= now.mono) continue;
      const auto next = lanes().next_of(endpoint);
      if (!next) continue;
      const MonoTime from = std::max(*lane->free, next->due);
      if (from + settings().slack >= now.mono) continue;
      MonoTime& accused = accused_[endpoint];
      if (accused >= from) continue;
      accused = now.mono;
      const bool is_ramp = lane->ramp_over && *lane->ramp_over >= lane->last_begun;
      accuse(is_ramp ? Rule::RampEndless : Rule::Slow, next->track->name,
             fmt::format("due and allowed for {}, and not sent{}", to_words(now.mono - from),
                         is_ramp ? ", although its ramp has to be over" : ""));
    }
  }

 private:
  std::map<EndpointId, MonoTime> accused_;  // When last.
};

}  // namespace

std::unique_ptr<Accuser> slow(Bench bench) { return std::make_unique<Slow>(bench); }

}  // namespace petrel::sim::judge
