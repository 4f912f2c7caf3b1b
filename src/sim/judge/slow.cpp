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

  // Two at once are more than a ramp begins with: it is over, or goes on.
  void requested(const Request& request) override {
    const EndpointId endpoint = request.sent.endpoint;
    const bool is_beyond = scene().in_flight_to(endpoint) > figures::kRampInFlight;
    if (is_beyond) beyond_ramp_[endpoint] = now();
  }

  // One whose payload was expunged is cancelled when its turn comes, and a ramp or a rate lets it
  // have one.
  void on_disk(const Track* before, const OnDisk& record, const Request*) override {
    const bool is_expunged = record.by == By::Lane && record.reason == "cancelled" &&
                             !record.attempt && scene().may_be_expunged(record.message);
    if (before != nullptr && is_expunged) turned_[record.endpoint] = now();
  }

  void passed(const Moment& now) override {
    for (const EndpointId endpoint : catalogue().endpoints()) {
      const LaneModel* const lane = lanes().lane(endpoint);
      if (lane == nullptr || !lane->free || *lane->free + settings().slack >= now.mono) continue;
      const auto next = lanes().next_of(endpoint);
      if (!next) continue;
      const MonoTime free = std::max({*lane->free, next->due, turned_[endpoint]});
      const MonoTime from = lanes().end_of_line(endpoint, free);
      if (from + settings().slack + settings().memory_wait >= now.mono) continue;
      MonoTime& accused = accused_[endpoint];
      if (accused >= from) continue;
      accused = now.mono;
      // Others go meanwhile, one by one, as in the ramp that was there last.
      const bool is_ramp =
          lane->ramp_over && *lane->ramp_over > beyond_ramp_[endpoint] && lane->last_begun >= from;
      accuse(is_ramp ? Rule::RampEndless : Rule::Slow, next->track->name,
             fmt::format("due and allowed for {}, and not sent{}", to_words(now.mono - from),
                         is_ramp ? ", although its ramp has to be over" : ""));
    }
  }

 private:
  std::map<EndpointId, MonoTime> accused_;      // When last.
  std::map<EndpointId, MonoTime> beyond_ramp_;  // When last more was sent than a ramp begins with.
  std::map<EndpointId, MonoTime> turned_;       // When one had its turn that was not sent.
};

}  // namespace

std::unique_ptr<Accuser> slow(Bench bench) { return std::make_unique<Slow>(bench); }

}  // namespace petrel::sim::judge
