#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "sim/judge/accusers.h"

namespace petrel::sim::judge {
namespace {

class Unbounded final : public Accuser {
 public:
  using Accuser::Accuser;

  void passed(const Moment& now) override {
    ++heard_;
    for (const EndpointId endpoint : catalogue().endpoints()) {
      const bool has_work =
          !scene().waiting(endpoint).empty() || scene().in_flight_to(endpoint) > 0;
      if (has_work) worked_[endpoint] = now.mono;
    }
  }

  // Whom a message is for nobody knows until it is on disk.
  void asked(const Asked& asked) override {
    ++causes_;
    if (asked.act != Act::Post) return;
    for (const EndpointId endpoint : catalogue().endpoints_of(asked.application)) {
      worked_[endpoint] = now();
    }
  }

  // What could not be read is read again, but not at once.
  void store_away(const StoreAway&) override { ++failures_; }
  void requested(const Request& request) override {
    ++causes_;
    worked_[request.sent.endpoint] = now();
  }
  void life(const Life&) override { ++causes_; }

  void counted(const Counted& counted) override {
    // While nothing can be written all lanes stand still.
    const bool is_store_well =
        !scene().is_store_away() && scene().store_back_at() + settings().slack <= now();
    const std::size_t allowed = lanes_allowed();
    if (is_store_well && counted.lanes > allowed) {
      accuse(Rule::Unbounded, fmt::format("{} lanes, and {} endpoints had work in the last hour",
                                          counted.lanes, allowed));
    }
    if (counted.payload_bytes > settings().payload_bytes_max) {
      accuse(Rule::Unbounded, fmt::format("{} bytes of payloads, and {} are allowed",
                                          counted.payload_bytes, settings().payload_bytes_max));
    }
    const std::uint64_t reads_max = settings().reads_per_cause * causes_ + failures_;
    if (counted.store_reads > reads_max) {
      accuse(Rule::Unbounded, fmt::format("{} reads of the store for {} messages, acts and starts",
                                          counted.store_reads, causes_));
    }
    check_rest(counted);
    last_ = counted;
    was_idle_ = is_idle();
    heard_ = 0;
  }

 private:
  // Idle loops sleep.
  void check_rest(const Counted& counted) {
    const bool was_quiet = last_ && was_idle_ && heard_ <= 1 && is_idle();
    if (!was_quiet || counted.turns <= last_->turns + settings().turns_idle_max) return;
    accuse(Rule::Restless,
           fmt::format("{} turns while there was nothing to do", counted.turns - last_->turns));
  }

  // Nothing is in flight or due.
  bool is_idle() const {
    if (!scene().in_flight().empty()) return false;
    const auto& endpoints = catalogue().endpoints();
    return std::none_of(endpoints.begin(), endpoints.end(), [&](EndpointId endpoint) {
      const auto next = lanes().next_of(endpoint);
      return next && next->due <= now();
    });
  }

  std::size_t lanes_allowed() const {
    const MonoTime since = now() - figures::kLaneRests - settings().slack;
    const auto& endpoints = catalogue().endpoints();
    const auto count = std::count_if(endpoints.begin(), endpoints.end(), [&](EndpointId endpoint) {
      const auto worked = worked_.find(endpoint);
      if (worked == worked_.end()) return false;
      return worked->second >= since || !is_at_ease(endpoint);
    });
    return static_cast<std::size_t>(count);
  }

  // A lane with something that it must not forget stays.
  bool is_at_ease(EndpointId endpoint) const {
    const LaneModel* const lane = lanes().lane(endpoint);
    if (lane == nullptr) return true;
    const auto& states = lane->circuit.states();
    const bool is_clean = std::all_of(states.begin(), states.end(), [](const CircuitState& state) {
      return state.is_closed() && !state.ramp && state.streak == 0 && state.exhausted.empty();
    });
    // One that is paused may wait to read whether there is something for it.
    return is_clean && lane->must_send && lane->hold.perhaps_until() <= now();
  }

  std::map<EndpointId, MonoTime> worked_;  // When it last had something to do.
  std::uint64_t causes_ = 1;
  std::uint64_t failures_ = 0;
  std::uint64_t heard_ = 0;  // Pieces of evidence since the last count.
  std::optional<Counted> last_;
  bool was_idle_ = false;
};

}  // namespace

std::unique_ptr<Accuser> unbounded(Bench bench) { return std::make_unique<Unbounded>(bench); }

}  // namespace petrel::sim::judge
