#include "node/pauses.h"

#include <utility>

namespace petrel::node {

void Pauses::want(const engine::PauseCommand& pause, WallTime since) {
  auto edit = [why = pause.why, since](model::Endpoint& endpoint) {
    if (!endpoint.pause) endpoint.pause = model::Pause{since, why};
    return Status(Done{});
  };
  changes_.edit(pause.endpoint, std::move(edit), [this, pause, since](const Status& status) {
    if (status.ok() || status.error().kind != ErrorKind::Unavailable) return;
    alarms_.at(clock_.mono() + kTryAgain, [this, pause, since] { want(pause, since); });
  });
}

}  // namespace petrel::node
