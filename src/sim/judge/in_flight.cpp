#include <algorithm>

#include <fmt/format.h>

#include "sim/judge/accusers.h"

namespace petrel::sim::judge {
namespace {

class InFlight final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    const EndpointId endpoint = request.sent.endpoint;
    const MonoTime let_go = request.begun.mono - request.sent.loading;
    int most = 0;
    for (const Possible* const each : catalogue().between(endpoint, let_go, now())) {
      most = std::max(most, each->settings.max_in_flight);
    }
    const int count = scene().in_flight_to(endpoint);
    if (most > 0 && count > most) {
      return accuse(Rule::InFlight, request.delivery(),
                    fmt::format("{} in flight to an endpoint that allows {}", count, most));
    }
    const LaneModel* const lane = lanes().lane(endpoint);
    if (lane == nullptr) return;
    const int adaptive = lane->limit.largest_since(let_go - settings().lateness);
    if (count <= adaptive) return;
    accuse(Rule::InFlight, request.delivery(),
           fmt::format("{} in flight, and its answers allow {}", count, adaptive));
  }
};

class Authority final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    const int count = scene().in_flight_at(request.origin);
    if (count <= settings().authority_cap) return;
    const MonoTime let_go = request.begun.mono - request.sent.loading;
    int cap = settings().authority_cap;
    for (const EndpointId endpoint : catalogue().endpoints()) {
      for (const Possible* const each : catalogue().between(endpoint, let_go, now())) {
        const bool shares = each->exists && each->settings.origin == request.origin;
        if (shares) cap = std::max(cap, each->settings.max_in_flight);
      }
    }
    if (count <= cap) return;
    accuse(Rule::Authority, request.delivery(),
           fmt::format("{} in flight to {}, whose endpoints share {}", count, request.origin, cap));
  }
};

class Rates final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    const LaneModel* const lane = lanes().lane(request.sent.endpoint);
    const CircuitModel::Start start = lanes().start_of(request);
    if (lane != nullptr && !lane->rate.fits(start.earliest, start.latest)) {
      accuse(Rule::Rate, request.delivery(), "faster than the rate of its endpoint");
    }
    if (!lanes().fits_application(request)) {
      accuse(Rule::Rate, request.delivery(), "faster than the rate of its application");
    }
  }
};

}  // namespace

std::unique_ptr<Accuser> in_flight(Bench bench) { return std::make_unique<InFlight>(bench); }

std::unique_ptr<Accuser> authority(Bench bench) { return std::make_unique<Authority>(bench); }

std::unique_ptr<Accuser> rate(Bench bench) { return std::make_unique<Rates>(bench); }

}  // namespace petrel::sim::judge
