#include "node/shared_rates.h"

namespace petrel::node {

std::shared_ptr<lane::SharedRate> SharedRates::of(const model::Application& application) {
  return rates_.with([&](auto& rates) -> std::shared_ptr<lane::SharedRate> {
    if (!application.throttle_rate) {
      rates.erase(application.id);
      return nullptr;
    }
    std::shared_ptr<lane::SharedRate>& rate = rates[application.id];
    if (rate) {
      rate->set_rate(*application.throttle_rate);
    } else {
      rate = std::make_shared<lane::SharedRate>(*application.throttle_rate);
    }
    return rate;
  });
}

}  // namespace petrel::node
