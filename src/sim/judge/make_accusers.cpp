#include "sim/judge/accusers.h"

namespace petrel::sim::judge {

std::vector<std::unique_ptr<Accuser>> make_accusers(Bench bench) {
  std::vector<std::unique_ptr<Accuser>> accusers;
  for (const auto make : {lost,   untrue_record,   repeated,  overspent, too_early, circuit,
                          ramp,   in_flight,       authority, rate,      slots,     slow,
                          unfair, forbidden,       pausing,   drain,     release,   resend,
                          replay, catalogue_truth, unbounded, audit,     retention}) {
    accusers.push_back(make(bench));
  }
  return accusers;
}

}  // namespace petrel::sim::judge
