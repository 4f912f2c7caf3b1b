#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "sim/judge/accusers.h"

namespace petrel::sim::judge {
namespace {

class Slots final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    count_all(request);
    judge_share(request);
    judge_kept_places(request);
  }

 private:
  // Attempts in flight, of which the first one of each endpoint is not a further one.
  struct Count {
    std::map<EndpointId, int> held = {};
    int further = 0;

    void add(EndpointId endpoint) {
      if (held[endpoint]++ > 0) ++further;
    }
    int held_by(EndpointId endpoint) const {
      const auto found = held.find(endpoint);
      return found == held.end() ? 0 : found->second;
    }
  };

  // What is on the wire has a slot.
  void count_all(const Request& request) {
    Count count;
    for (const Request* const each : scene().in_flight()) count.add(each->sent.endpoint);
    const int further_most = settings().slots / 2;
    const int first_most = settings().slots - further_most;
    if (static_cast<int>(count.held.size()) > first_most) {
      accuse(Rule::Slots, request.delivery(),
             fmt::format("{} endpoints have requests in flight, and of {} slots {} are for first "
                         "ones",
                         count.held.size(), settings().slots, first_most));
    } else if (count.further > further_most) {
      accuse(Rule::Slots, request.delivery(),
             fmt::format("{} further ones in flight, and of {} slots {} are for those",
                         count.further, settings().slots, further_most));
    }
  }

  // When the node may have let it go at the earliest. What was on the wire by then, and still is,
  // had its slot then, and all the time since.
  MonoTime let_go(const Request& request) const {
    return request.begun.mono - request.sent.loading - settings().lateness;
  }

  Count before(const Request& request, const std::string* origin = nullptr) const {
    Count count;
    for (const Request* const each : scene().in_flight()) {
      if (each == &request || each->begun.mono > let_go(request)) continue;
      if (origin == nullptr || each->origin == *origin) count.add(each->sent.endpoint);
    }
    return count;
  }

  void judge_share(const Request& request) {
    const Count count = before(request);
    const int held = count.held_by(request.sent.endpoint);
    const int left = settings().slots / 2 - count.further;
    if (held == 0 || figures::kSlotParts * (held - 1) < left) return;
    accuse(Rule::SlotShare, request.delivery(),
           fmt::format("one more beside {} in flight, when {} slots for further ones were left",
                       held, left));
  }

  void judge_kept_places(const Request& request) {
    const Count count = before(request, &request.origin);
    if (count.held_by(request.sent.endpoint) == 0) return;
    int cap = settings().authority_cap;
    int others = -1;
    for (const EndpointId endpoint : catalogue().endpoints()) {
      const auto all = catalogue().between(endpoint, let_go(request), now());
      const auto is_here = [&](const Possible* each) {
        return each->exists && each->settings.origin == request.origin;
      };
      for (const Possible* const each : all) {
        if (is_here(each)) cap = std::max(cap, each->settings.max_in_flight);
      }
      if (!all.empty() && std::all_of(all.begin(), all.end(), is_here)) ++others;
    }
    const int kept = std::clamp(others, 0, cap / 2);
    if (count.further < cap - kept - 1) return;
    accuse(Rule::KeptPlaces, request.delivery(),
           fmt::format("one more in flight to {}, beside {} further ones: of {} places {} are kept "
                       "for other endpoints",
                       request.origin, count.further, cap, kept));
  }
};

}  // namespace

std::unique_ptr<Accuser> slots(Bench bench) { return std::make_unique<Slots>(bench); }

}  // namespace petrel::sim::judge
