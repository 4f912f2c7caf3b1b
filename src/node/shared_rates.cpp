#include "node/shared_rates.h"

namespace petrel::node {

std::shared_ptr<lane::SharedRate> SharedRates::of(const model::Application& application) {
  if (!application.throttle_rate) return nullptr;
  return rates_.with([&](auto& rates) {
    std::shared_ptr<lane::SharedRate>& rate = rates[application.id];
    if (!rate) rate = std::make_shared<lane::SharedRate>(*application.throttle_rate);
    return rate;
  });
}

void SharedRates::changed(const model::Application& application, MonoTime now) {
  if (!application.deleted_at && application.throttle_rate) {
    return of(application)->set_rate(*application.throttle_rate, now);
  }
  if (application.deleted_at) rates_.with([&](auto& rates) { rates.erase(application.id); });
}

}  // namespace petrel::node
